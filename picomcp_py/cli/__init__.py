"""The command `picomcp-py`: run a server, list the tools of any MCP server, call them."""

from .program import main

__all__ = ["main"]
