"""Letting pages of other origins call the server from a browser: Starlette's CORS middleware, set up for MCP."""

from __future__ import annotations

from typing import Any

from ...errors import ConfigError
from .options import HttpOptions


def with_cors(app: Any, options: HttpOptions) -> Any:
    """The ASGI application, with CORS where the options name origins. Raises ConfigError without Starlette."""
    if not options.cors:
        return app
    try:
        from starlette.middleware.cors import CORSMiddleware
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "starlette":
            raise
        raise ConfigError("\"cors\" needs Starlette: pip install 'picomcp-py[http]'") from None
    return CORSMiddleware(
        app,
        allow_origins=list(options.cors),
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],  # Mcp-Param-* headers are named by the tools
        expose_headers=["Mcp-Session-Id", "WWW-Authenticate"],
    )
