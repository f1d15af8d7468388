"""A server of the official SDK, `mcp`, with resources, prompts and completion; its tool `touch` tells of changes."""

from __future__ import annotations

import socket
import sys
from typing import Any

import mcp.types as types
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("library")
subscribed: list[str] = []


@server.resource("note://one", title="One", description="The first note.", mime_type="text/plain")
def one() -> str:
    return "first\nnote\n"


@server.resource("note://picture", name="picture", mime_type="image/png")
def picture() -> bytes:
    return b"\x89PNG\r\n\x00"


@server.resource("note://by/{author}/{number}", name="note", description="Any note.")
def note(author: str, number: str) -> str:
    return f"{number} of {author}"


@server.prompt(title="Sum up", description="Sum up a text.")
def summary(text: str, style: str = "short") -> str:
    return f"Sum up, {style}: {text}"


@server.completion()  # type: ignore[no-untyped-call, untyped-decorator]  # the SDK gives it no types
async def complete(ref: Any, argument: Any, context: Any) -> types.Completion:
    of = ref.name if ref.type == "ref/prompt" else ref.uri
    known = "" if context is None else ",".join(f"{name}={value}" for name, value in context.arguments.items())
    return types.Completion(values=[of, argument.name, argument.value, known], total=7, has_more=True)


@server.tool()
async def touch(ctx: Context, what: str, uri: str = "") -> str:
    """Tell both eras: each takes what is its own."""
    if what == "tools":
        await ctx.notify_tools_changed()
        await ctx.session.send_tool_list_changed()
    elif what == "prompts":
        await ctx.notify_prompts_changed()
        await ctx.session.send_prompt_list_changed()
    elif what == "resources":
        await ctx.notify_resources_changed()
        await ctx.session.send_resource_list_changed()
    else:
        await ctx.notify_resource_updated(uri)
        await ctx.session.send_resource_updated(uri)
    return what


@server.tool()
async def subscriptions() -> list[str]:
    """What was subscribed to (+) and no longer is (-), in the handshake era."""
    found, subscribed[:] = subscribed[:], []
    return found


async def subscribe(ctx: Any, params: Any) -> types.EmptyResult:
    subscribed.append(f"+{params.uri}")
    return types.EmptyResult()


async def unsubscribe(ctx: Any, params: Any) -> types.EmptyResult:
    subscribed.append(f"-{params.uri}")
    return types.EmptyResult()


inner = server._lowlevel_server
inner.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
inner.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)


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
