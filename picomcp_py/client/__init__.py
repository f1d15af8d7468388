"""A client for MCP servers of both eras: in memory, a program on its stdin and stdout, or a URL.

from picomcp_py.client import Client

async with Client(server) as client:                    # a Server of this process
    result = await client.call_tool("forecast", {"city": "Lyon"})
    print(result.text)

async with Client(["npx", "-y", "some-mcp-server"]) as client: ...
async with Client("server.py") as client: ...
async with Client("https://example.org/mcp", headers={"Authorization": "Bearer ..."}) as client: ...
"""

from .changes import Change, Changes
from .client import Client
from .environment import safe_environment
from .errors import BadAnswer, HttpError, ServerUnavailable, SessionLost
from .result import CompletionResult, PromptResult, ReadResult, ToolResult

__all__ = [
    "BadAnswer",
    "Change",
    "Changes",
    "Client",
    "CompletionResult",
    "HttpError",
    "PromptResult",
    "ReadResult",
    "ServerUnavailable",
    "SessionLost",
    "ToolResult",
    "safe_environment",
]
