"""What a server is, apart from any event loop: its options, its tools, and the loops it is at work in."""

from __future__ import annotations

from contextvars import copy_context
from typing import Any

from ..errors import INVALID_PARAMS, McpError
from .config import ServerOptions
from .registry import Registry
from .tool import Tool

COMPARED = 500
"""Tools that a misspelt name is compared with at most: it takes some microseconds each."""


class App:
    """Shared by the Server and everything that serves it."""

    def __init__(self, options: ServerOptions) -> None:
        self.options = options
        self.tools: Registry[Tool] = Registry("tool")
        self.runtimes: dict[object, Any] = {}
        """The open Runtime of each loop, by its key: calls in process share its lifespan."""
        self.owners: Any = None
        """The Owners of its loops, once it was served over HTTP."""
        self.context = copy_context()
        """What the program had set when it made the server: the context of what no request starts."""

    def tool(self, name: str) -> Tool:
        """McpError -32602 when there is none of that name."""
        tool = self.tools.get(name)
        if tool is None:
            from difflib import get_close_matches

            shown = name if len(name) <= 128 else name[:128] + "..."
            names = self.tools.names()
            near = get_close_matches(shown, names, 1) if len(names) <= COMPARED else []
            raise McpError(INVALID_PARAMS, f"Unknown tool: {shown}" + (f' (did you mean "{near[0]}"?)' if near else ""))
        return tool
