"""MCP servers in Python with picomcp's API: a tool is a name and an explicit config object.

    from picomcp_py import pico

    server = pico({"name": "weather"})

    @server.tool("forecast", {"description": "...", "input": Forecast})
    async def forecast(input, ctx): ...

    server.serve()

The public names are the ones here and those of `picomcp_py.client`.
"""

from typing import TYPE_CHECKING, Any

from .content import audio, image, link, resource, text
from .errors import Aborted, ConfigError, McpError, ToolError
from .offered.result import CallResult, result
from .running.context import Context, RequestInfo, SyncContext
from .running.signal import Signal
from .schemas.schema import Invalid, Issue, Schema, Valid
from .server import Server, pico

if TYPE_CHECKING:
    from .offered.tool_types import Handler, Icon, ServeConfig, ServerConfig, ToolAnnotations, ToolConfig

__all__ = [
    "Aborted",
    "CallResult",
    "ConfigError",
    "Context",
    "Handler",
    "Icon",
    "Invalid",
    "Issue",
    "McpError",
    "RequestInfo",
    "Schema",
    "ServeConfig",
    "Server",
    "ServerConfig",
    "Signal",
    "SyncContext",
    "ToolAnnotations",
    "ToolConfig",
    "ToolError",
    "Valid",
    "audio",
    "image",
    "link",
    "pico",
    "resource",
    "result",
    "text",
]


def __getattr__(name: str) -> Any:
    """The names that only annotations use: building their classes would be a sixth of the import time."""
    if name in ("Handler", "Icon", "ServeConfig", "ServerConfig", "ToolAnnotations", "ToolConfig"):
        from .offered import tool_types

        return getattr(tool_types, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
