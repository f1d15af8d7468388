"""What the ASGI servers of the tests load: `server` itself, and a Starlette application with middleware around it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware

from picomcp_py import Context, Server, pico


@asynccontextmanager
async def lifespan(_: Server) -> AsyncIterator[anyio.Event]:
    print("lifespan begins", file=sys.stderr, flush=True)
    try:
        yield anyio.Event()
    finally:
        print("lifespan ends", file=sys.stderr, flush=True)


server = pico({"name": "program", "version": "1", "lifespan": lifespan})


@server.tool("hold")
async def hold(_: Any, ctx: Context) -> str:
    await ctx.progress(1)
    await ctx.state.wait()
    print("held on", file=sys.stderr, flush=True)
    return "released"


@server.tool("poll")
async def poll(_: Any, ctx: Context) -> str:
    await ctx.close_stream(10)
    await ctx.state.wait()
    return "polled"


@server.tool("release")
async def release(_: Any, ctx: Context) -> str:
    ctx.state.set()
    return "released others"


@server.tool("steps")
async def steps(_: Any, ctx: Context) -> str:
    for number in (1, 2, 3):
        await ctx.progress(number)
    return "done"


@server.tool("wait")
async def wait(_: Any, ctx: Context) -> str:
    await ctx.progress(1)
    print("waiting", file=sys.stderr, flush=True)
    try:
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        print(f"cancelled: {ctx.signal.reason}", file=sys.stderr, flush=True)
        raise
    return "too late"


async def dispatch(request: Any, call_next: Any) -> Any:
    return await call_next(request)


parent = Starlette(
    routes=server.routes("/tools"),
    middleware=[Middleware(BaseHTTPMiddleware, dispatch=dispatch), Middleware(GZipMiddleware)],
)


with_sse = server.asgi({"sse": True})
