"""A server of the official SDK, `mcp`."""

from __future__ import annotations

import socket
import sys

import anyio
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("official", instructions="Official.")


@server.tool(description="Add two numbers.")
def add(a: int, b: int) -> int:
    return a + b


@server.tool()
async def fail() -> str:
    raise ValueError("no luck")


@server.tool()
async def count(ctx: Context) -> str:
    await ctx.info("counting")
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3, f"step {step}")
    return "counted"


cancelled: list[str] = []


@server.tool()
async def stuck(ctx: Context) -> str:
    await ctx.report_progress(0, 1)
    try:
        await anyio.sleep_forever()
    finally:
        cancelled.append("stuck")
    return ""


@server.tool()
async def was_cancelled() -> list[str]:
    return cancelled


def serve_http() -> None:
    """On a free port; tells the URL on stderr."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    app = server.streamable_http_app()
    uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=0)).run([listener])


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        serve_http()
    else:
        server.run("stdio")
