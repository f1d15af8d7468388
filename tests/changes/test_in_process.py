"""Resources and prompts without a client: reading, getting, listing, removing; and decorators that were forgotten."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from picomcp_py import ConfigError, Context, McpError, ResourceNotFound, Server, pico
from tests.changes.listening import make
from tests.peer import connected

pytestmark = pytest.mark.anyio


async def test_a_resource_is_read_as_a_client_would() -> None:
    server = make().resource("note://bytes", read=lambda: b"\x00", mime_type="application/x")
    held = {"uri": "note://fixed", "mimeType": "text/plain", "text": "held"}
    assert await server.read("note://fixed") == {"contents": [held]}
    assert (await server.read("note://a%20b"))["contents"][0]["text"] == "note://a%20b"
    blob = {"uri": "note://bytes", "mimeType": "application/x", "blob": "AA=="}
    assert await server.read("note://bytes") == {"contents": [blob]}


@pytest.mark.parametrize("uri", ["nowhere://x", "", "note://a/b"])
async def test_what_is_not_there_is_an_exception_of_its_own(uri: str) -> None:
    with pytest.raises(ResourceNotFound) as caught:
        await make().read(uri)
    assert (caught.value.code, caught.value.data, caught.value.uri) == (-32602, {"uri": uri}, uri)
    with pytest.raises(ResourceNotFound):
        await pico({"name": "test"}).read(uri)


async def test_a_read_that_fails_is_an_error() -> None:
    server = make().resource("note://broken", read=lambda: 1 / 0)
    with pytest.raises(McpError, match="division by zero") as caught:
        await server.read("note://broken")
    assert caught.value.code == -32603
    masked = make(mask_errors=True).resource("note://broken", read=lambda: 1 / 0)
    with pytest.raises(McpError) as caught:
        await masked.read("note://broken")
    assert "division" not in caught.value.message


async def test_a_prompt_is_got_as_a_client_would() -> None:
    server = make()
    server.prompt(
        "ask",
        {
            "input": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
            "run": lambda input: f"{input['n'] + 1}",
        },
    )
    message = {"role": "user", "content": {"type": "text", "text": "6"}}
    assert await server.get_prompt("ask", {"n": "5"}) == {"messages": [message]}
    with pytest.raises(McpError, match='Invalid arguments for prompt "ask":\nn: ') as caught:
        await server.get_prompt("ask")
    assert caught.value.code == -32602
    with pytest.raises(McpError, match='Unknown prompt: asks \\(did you mean "ask"\\?\\)'):
        await server.get_prompt("asks")
    with pytest.raises(McpError, match="arguments must be an object"):
        await server.get_prompt("ask", [1])  # type: ignore[arg-type]


async def test_the_meta_and_the_lifespan_reach_the_handler() -> None:
    @asynccontextmanager
    async def lifespan(_: Server) -> AsyncIterator[str]:
        yield "state"

    server = pico({"name": "test", "lifespan": lifespan})

    @server.resource("note://{x}")
    async def read(uri: str, params: Any, ctx: Context) -> list[Any]:
        return [uri, params, ctx.meta, ctx.state, ctx.request.protocol_version]

    @server.prompt("prompt")
    async def prompt(_: Any, ctx: Context) -> str:
        return f"{ctx.meta} {ctx.state}"

    (contents,) = (await server.read("note://1", meta={"a": 1}))["contents"]
    assert contents["text"] == '["note://1",{"x":"1"},{"a":1},"state",""]'
    (message,) = (await server.get_prompt("prompt", meta={"a": 1}))["messages"]
    assert message["content"]["text"] == "{'a': 1} state"


async def test_a_handler_may_use_the_server() -> None:
    server = make()

    @server.tool("use")
    async def use() -> list[Any]:
        read = await server.read("note://fixed")
        said = await server.get_prompt("prompt")
        return [read["contents"][0]["text"], said["messages"][0]["content"]["text"]]

    assert (await server.call("use"))["content"][0]["text"] == '["held","said"]'
    async with connected(server) as peer:
        assert (await peer.call("use"))["content"][0]["text"] == '["held","said"]'


def test_the_lists_are_copies_in_the_order_of_registration() -> None:
    server = make().resource("note://last", {"read": lambda: "", "title": "Last", "meta": {"a": 1}, "size": 3})
    last = {"uri": "note://last", "name": "last", "title": "Last", "size": 3, "_meta": {"a": 1}}
    assert server.list_resources() == [{"uri": "note://fixed", "name": "fixed"}, last]
    assert server.list_resource_templates() == [{"uriTemplate": "note://{day}", "name": "note://{day}"}]
    assert server.list_prompts() == [{"name": "prompt"}]
    server.list_resources()[1]["_meta"]["a"] = 2
    assert server.list_resources()[1] == last


def test_what_was_removed_is_gone_and_may_come_again() -> None:
    server = make()
    removals: list[tuple[Callable[[str], None], str, Callable[[], list[Any]]]] = [
        (server.remove_tool, "tool", server.list_tools),
        (server.remove_prompt, "prompt", server.list_prompts),
        (server.remove_resource, "note://fixed", server.list_resources),
        (server.remove_resource, "note://{day}", server.list_resource_templates),
    ]
    for remove, name, entries in removals:
        assert len(entries()) == 1
        remove(name)
        assert entries() == []
        with pytest.raises(KeyError):
            remove(name)
    server.tool("tool", run=lambda: None).prompt("prompt", run=lambda: "").resource("note://{day}", read=lambda: "")
    assert [len(entries()) for *_, entries in removals] == [1, 1, 0, 1]


async def test_a_runtime_that_has_ended_hears_of_nothing() -> None:
    server = make()
    bus: Any = server._app.bus
    await server.call("tool")
    async with connected(server):
        assert bus.has_subscribers()
    assert not bus.has_subscribers()


def test_only_a_uri_can_be_notified() -> None:
    server = make()
    with pytest.raises(TypeError, match="notify_resource: the URI must be a string, not int"):
        server.notify_resource(5)  # type: ignore[arg-type]
    server.notify_resource("note://nobody-follows")


# ------------------------------------------------------------ decorators that were never applied


async def awaited(coroutine: Awaitable[Any]) -> Any:
    return await coroutine


WAYS: dict[str, Callable[[Server], Any]] = {
    "list_tools": lambda server: server.list_tools(),
    "list_resources": lambda server: server.list_resources(),
    "list_resource_templates": lambda server: server.list_resource_templates(),
    "list_prompts": lambda server: server.list_prompts(),
    "call": lambda server: awaited(server.call("tool")),
    "read": lambda server: awaited(server.read("note://fixed")),
    "get_prompt": lambda server: awaited(server.get_prompt("prompt")),
    "serve_async": lambda server: awaited(server.serve_async()),
    "asgi": lambda server: server.asgi(),
    "routes": lambda server: server.routes(),
}


async def taken(way: str, server: Server) -> None:
    found = WAYS[way](server)
    if hasattr(found, "__await__"):
        await found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("kind", "name", "key"),
    [("resource", "note://x", "read"), ("resource", "note://{x}/{y}", "read"), ("prompt", "ask", "run")],
)
async def test_a_decorator_that_was_never_applied_is_named(way: str, kind: str, name: str, key: str) -> None:
    server = make()
    decorator = getattr(server, kind)(name, {"title": "Forgotten"})
    with pytest.raises(ConfigError) as caught:
        await taken(way, server)
    text = str(caught.value)
    assert text.startswith(f'{kind} "{name}" at {__file__}:')
    assert f'has no "{key}": add "{key}" to its config, or put @server.{kind}("{name}", ...) above a function' in text
    decorator(lambda: "")
    if way != "serve_async":
        await taken(way, server)


def test_a_decorator_needs_a_function() -> None:
    server = make()
    for kind, name in (("resource", "note://x"), ("prompt", "ask")):
        with pytest.raises(ConfigError, match="the decorator needs a function, not str"):
            getattr(server, kind)(name, {})("no function")


def test_serve_names_it_too() -> None:
    server = make()
    server.resource("note://x", {"title": "Forgotten"})
    with pytest.raises(ConfigError, match='resource "note://x" at '):
        server.serve()
