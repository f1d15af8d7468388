"""A server for tests with real clients: one tool for each thing that a client and a server do together in a call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from picomcp_py import Context, McpError, Server, pico

NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "maximum": 100}},
    "required": ["a", "b"],
}
SUM = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}


class State:
    """What calls of this connection tell each other."""

    def __init__(self) -> None:
        self.cancelled = anyio.Event()
        self.seen = anyio.Semaphore(0)


@asynccontextmanager
async def lifespan(server: Server) -> AsyncIterator[State]:
    yield State()


server = pico({"name": "for-clients", "version": "1.2.3", "lifespan": lifespan})


@server.tool("add", {"description": "Add two numbers.", "input": NUMBERS, "output": SUM})
def add(input: dict[str, int]) -> dict[str, int]:
    return {"sum": input["a"] + input["b"]}


@server.tool("squares", {"output": {"type": "array", "items": {"type": "integer"}}})
def squares() -> list[int]:
    return [1, 4, 9]


@server.tool("count", {"description": "Counts to 3, and waits each time until the client has seen it: see go_on."})
async def count(input: object, ctx: Context) -> str:
    for number in (1, 2, 3):
        await ctx.info({"at": number})
        await ctx.debug("not wanted")
        await ctx.progress(number, 3, f"{number} of 3")
        await ctx.state.seen.acquire()
    return "counted"


@server.tool("go_on", {})
async def go_on(input: object, ctx: Context) -> None:
    ctx.state.seen.release()


@server.tool("stuck", {})
async def stuck(input: object, ctx: Context) -> None:
    await ctx.progress(1)
    try:
        await anyio.sleep_forever()
    finally:
        ctx.state.cancelled.set()


@server.tool("was_cancelled", {"description": "Waits until a call of stuck was cancelled."})
async def was_cancelled(input: object, ctx: Context) -> str:
    await ctx.state.cancelled.wait()
    return "yes"


@server.tool("refuse", {})
def refuse() -> None:
    raise McpError(-1, "not today", {"why": "tired"})


@server.tool("fail", {})
def fail() -> None:
    raise ValueError("no such file: try another name")


if __name__ == "__main__":
    server.serve()
