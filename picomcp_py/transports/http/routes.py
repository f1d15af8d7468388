"""Routes for applications of Starlette's kind: the endpoint among others, under the parent's middleware."""

from __future__ import annotations

from typing import Any

from ...errors import ConfigError
from .app import HttpApp


def routes(path: str, app: HttpApp) -> list[Any]:
    """Starlette routes for the endpoint, with a slash at its end and without: a redirect would cost the body, and tell
    clients behind a TLS proxy to go on without TLS. Raises ConfigError.
    """
    if not isinstance(path, str) or not path.startswith("/"):
        raise ConfigError(f'routes(): the path must begin with "/", such as "/mcp", not {path!r:.60}')
    try:
        from starlette.routing import Route
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "starlette":
            raise
        raise ConfigError("routes() needs Starlette: pip install 'picomcp-py[http]'") from None
    bare = path.rstrip("/")
    # An object rather than a function: Starlette calls it as an ASGI application, whatever the method.
    return [Route(one, app, name="mcp", include_in_schema=False) for one in ([bare] if bare else []) + [bare + "/"]]
