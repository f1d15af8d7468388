"""A server of the official SDK, `mcp`."""

from __future__ import annotations

import anyio
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


if __name__ == "__main__":
    server.run("stdio")
