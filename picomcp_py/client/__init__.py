"""A client for MCP servers of both eras: in memory, or a program that is spoken to over its stdin and stdout.

from picomcp_py.client import Client

async with Client(server) as client:                    # a Server of this process
    result = await client.call_tool("forecast", {"city": "Lyon"})
    print(result.text)

async with Client(["npx", "-y", "some-mcp-server"]) as client: ...
async with Client("server.py") as client: ...
"""

from .client import Client
from .environment import safe_environment
from .errors import BadAnswer, ServerUnavailable
from .result import ToolResult

__all__ = ["BadAnswer", "Client", "ServerUnavailable", "ToolResult", "safe_environment"]
