"""MCP servers in Python with picomcp's API: a tool is a name and an explicit config object.

    from picomcp_py import pico

    server = pico({"name": "weather"})

    @server.tool("forecast", {"description": "...", "input": Forecast})
    async def forecast(input, ctx): ...

    server.serve()

The public names are the ones here and those of `picomcp_py.client`.
"""

from typing import TYPE_CHECKING, Any

from .content import Block, audio, image, link, resource, text
from .errors import Aborted, ConfigError, McpError, ResourceNotFound, ToolError
from .offered.result import CallResult, result
from .running.context import Context, RequestInfo, SyncContext
from .running.signal import Signal
from .schemas.schema import Invalid, Issue, Schema, Valid
from .server import Server, pico

if TYPE_CHECKING:
    from .offered.prompt_types import Message, PromptConfig, PromptHandler, PromptResult
    from .offered.resource_types import ResourceConfig, ResourceReader
    from .offered.tool_types import Handler, Icon, ServeConfig, ServerConfig, ToolAnnotations, ToolConfig

__all__ = [
    "Aborted",
    "Block",
    "CallResult",
    "ConfigError",
    "Context",
    "Handler",
    "Icon",
    "Invalid",
    "Issue",
    "McpError",
    "Message",
    "PromptConfig",
    "PromptHandler",
    "PromptResult",
    "RequestInfo",
    "ResourceConfig",
    "ResourceNotFound",
    "ResourceReader",
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


_ANNOTATIONS = {
    "tool_types": ("Handler", "Icon", "ServeConfig", "ServerConfig", "ToolAnnotations", "ToolConfig"),
    "prompt_types": ("Message", "PromptConfig", "PromptHandler", "PromptResult"),
    "resource_types": ("ResourceConfig", "ResourceReader"),
}


def __getattr__(name: str) -> Any:
    """The names that only annotations use: building their classes would be a sixth of the import time."""
    for module, names in _ANNOTATIONS.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f".offered.{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
