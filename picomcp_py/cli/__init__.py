"""The command `picomcp-py`: run a server, list what any MCP server has, call it, read it."""

from .program import main

__all__ = ["main"]
