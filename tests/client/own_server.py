"""A server of this library, through its public names only, as a user writes it."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import anyio
from msgspec import Meta, Struct

from picomcp_py import Context, McpError, pico, result

server = pico({"name": "own", "title": "Own server", "version": "1.2.3", "instructions": "Be brief.", "pageSize": 3})
cancelled: list[str] = []


class Echo(Struct):
    text: Annotated[str, Meta(description="said again")]
    times: Annotated[int, Meta(ge=1)] = 1


class Sum(Struct):
    total: int


class Pair(Struct):
    a: int
    b: int


@server.tool("echo", {"title": "Echo", "description": "Say it again.", "input": Echo})
def echo(input: Echo) -> str:
    return input.text * input.times


@server.tool("add", {"input": Pair, "output": Sum, "annotations": {"readOnlyHint": True}})
async def add(input: Pair) -> Sum:
    return Sum(input.a + input.b)


@server.tool("fail")
async def fail() -> None:
    raise ValueError("no luck")


@server.tool("refuse")
async def refuse() -> None:
    raise McpError(-1234, "not you", {"why": "because"})


@server.tool("count")
async def count(input: dict[str, Any], ctx: Context) -> str:
    await ctx.info({"counting": True}, logger="counter")
    for step in (1, 2, 3):
        await ctx.progress(step, 3, f"step {step}")
    return "counted"


@server.tool("count_slowly")
async def count_slowly(input: dict[str, Any], ctx: Context) -> str:
    """Slowly enough for a connection to break in between."""
    await ctx.info({"counting": True})
    for step in (1, 2, 3):
        await ctx.progress(step, 3, f"step {step}")
        await anyio.sleep(0.2)
    return "counted"


@server.tool("stuck")
async def stuck(input: dict[str, Any], ctx: Context) -> None:
    await ctx.progress(0)
    try:
        await anyio.sleep_forever()
    finally:
        cancelled.append(ctx.signal.reason)


@server.tool("cancelled")
async def was_cancelled() -> list[str]:
    """What was cancelled since the last time."""
    found, cancelled[:] = cancelled[:], []
    return found


PLACE = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "options": {
            "type": "object",
            "properties": {
                "fast": {"type": "boolean", "x-mcp-header": "Fast"},
                "copies": {"type": "integer", "x-mcp-header": "Copies"},
            },
        },
    },
}


@server.tool("place", {"description": "Takes arguments that HTTP clients repeat in headers.", "input": PLACE})
async def place(input: dict[str, Any]) -> dict[str, Any]:
    return input


@server.tool("meta")
async def meta(input: dict[str, Any], ctx: Context) -> dict[str, Any]:
    return {**ctx.meta}


@server.tool("nothing")
async def nothing() -> Any:
    return result(structured=None)


@server.tool("environment")
async def environment() -> dict[str, str]:
    return {**os.environ, "cwd": os.getcwd()}


@server.tool("crash")
async def crash() -> None:
    print("about to crash", file=sys.stderr, flush=True)
    os._exit(7)


if __name__ == "__main__":
    server.serve()
