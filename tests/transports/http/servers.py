"""The servers that the tests of HTTP serve, and a lifespan as an ASGI server delivers it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio

from picomcp_py import Context, McpError, Server, pico


class Gate:
    """A handler that waits until it is let go; `started`, `cancelled` and `finished` tell how far it came."""

    def __init__(self) -> None:
        self.started = anyio.Event()
        self.go = anyio.Event()
        self.cancelled = anyio.Event()
        self.finished = anyio.Event()
        self.reason = ""

    async def run(self, _: Any, ctx: Context) -> str:
        self.started.set()
        try:
            await self.go.wait()
        except anyio.get_cancelled_exc_class():
            self.reason = ctx.signal.reason
            self.cancelled.set()
            raise
        await ctx.progress(1, 2)
        self.finished.set()
        return "through"

    async def run_aloud(self, _: Any, ctx: Context) -> str:
        """The same after a notification, which makes the answer a stream."""
        await ctx.progress(0.5)
        return await self.run(_, ctx)


def make(**options: Any) -> Server:
    """A server with the tools that the tests call."""
    server = pico({"name": "test", "version": "1", **options})
    server.tool("echo", {"input": {"type": "object"}, "run": lambda input: input, "thread": False})

    @server.tool("steps", {"input": {"type": "object"}})
    async def steps(input: Any, ctx: Context) -> str:
        for number in range(1, input.get("count", 2) + 1):
            await ctx.progress(number)
        return "done"

    @server.tool("log")
    async def log(_: Any, ctx: Context) -> str:
        await ctx.info("a message")
        return "logged"

    @server.tool("error", {"input": {"type": "object"}})
    async def error(input: Any) -> None:
        raise McpError(input["code"], "an error")

    @server.tool("crash")
    async def crash() -> None:
        raise OSError("secret")

    @server.tool("state")
    async def state(_: Any, ctx: Context) -> Any:
        return ctx.state

    @server.tool("headers")
    async def headers(_: Any, ctx: Context) -> Any:
        return ctx.request.headers

    server.tool(
        "region",
        {
            "input": {
                "type": "object",
                "properties": {
                    "region": {"type": "string", "x-mcp-header": "Region"},
                    "zone": {"type": "object", "properties": {"number": {"type": "integer", "x-mcp-header": "Zone"}}},
                    "fast": {"type": "boolean", "x-mcp-header": "Fast"},
                },
            },
            "run": lambda input: "served",
            "thread": False,
        },
    )
    return server


class Lifespan:
    """What the server did, for tests."""

    def __init__(self) -> None:
        self.log: list[str] = []

    @asynccontextmanager
    async def __call__(self, server: Server) -> AsyncIterator[str]:
        self.log.append("begin")
        try:
            yield "state"
        finally:
            self.log.append("end")


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[list[dict[str, Any]]]:
    """Deliver an ASGI lifespan around the block; gives what the application sent."""
    sent: list[dict[str, Any]] = []
    news = anyio.Event()
    stop = anyio.Event()
    asked = 0

    async def receive() -> dict[str, Any]:
        nonlocal asked
        asked += 1
        if asked == 1:
            return {"type": "lifespan.startup"}
        await stop.wait()
        return {"type": "lifespan.shutdown"}

    async def send(event: dict[str, Any]) -> None:
        sent.append(event)
        news.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(app, {"type": "lifespan", "asgi": {"version": "3.0"}}, receive, send)
        with anyio.fail_after(20):
            await news.wait()
        yield sent
        stop.set()
