"""Changes in the handshake era over HTTP: they come on the session's GET stream, whenever that is opened."""

from __future__ import annotations

from typing import Any

import pytest

from picomcp_py import pico
from tests.changes.listening import EACH, TOOLS, UPDATED, change_each, make
from tests.changes.listening_http import (
    acknowledged,
    ended,
    hub_of,
    listening,
    messages,
    methods,
    settled,
    until_messages,
)
from tests.peer import HANDSHAKE
from tests.transports.http.driver import ask, asking, connect, exchange, initialize, request

pytestmark = pytest.mark.anyio

REVISIONS = HANDSHAKE[1:]
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_session_is_told_on_its_get_stream_and_nowhere_else(revision: str) -> None:
    server = make()

    @server.tool("grow")
    def grow() -> str:
        change_each(server)
        server.notify_resource("note://1")
        return "grown"

    app = server.asgi()
    client = await connect(app, revision)
    assert (await client.ask(request("resources/subscribe", {"uri": "note://1"}))).json["result"] == {}
    async with client.asking(method="GET") as stream:
        called = await client.call("grow")
        assert called.json["result"]["content"][0]["text"] == "grown"
        assert await until_messages(stream, 7)
        await settled(app, server)
        assert methods(stream) == [*EACH, UPDATED]
        assert messages(stream)[-1] == {"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": "note://1"}}
        assert (await client.ask(request("resources/unsubscribe", {"uri": "note://1"}))).json["result"] == {}
        server.notify_resource("note://1")
        await settled(app, server)
        assert len(messages(stream)) == 7


@pytest.mark.parametrize("revision", REVISIONS)
async def test_what_happened_before_the_get_comes_when_it_is_opened(revision: str) -> None:
    server = make()
    app = server.asgi()
    client = await connect(app, revision)
    await client.ask(request("resources/subscribe", {"uri": "note://1"}))
    for _ in range(2):  # and what happens between two of them
        change_each(server)
        server.notify_resource("note://1")
        await settled(app, server)
        async with client.asking(method="GET") as stream:
            await until_messages(stream, 4)
            await settled(app, server)
            assert methods(stream) == [*dict.fromkeys(EACH), UPDATED]  # however often: it looks anew


async def test_nothing_is_told_before_the_client_is_initialized() -> None:
    server = make()
    app = server.asgi()
    opened = await ask(app, initialize())
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    change_each(server)
    await settled(app, server)
    assert (await ask(app, INITIALIZED, headers=session)).status == 202
    server.tool("other", run=lambda: None)
    await settled(app, server)
    async with asking(app, method="GET", headers=session) as stream:
        await until_messages(stream, 1)
        assert methods(stream) == [TOOLS]


async def test_each_session_hears_of_what_it_follows() -> None:
    server = make()
    app = server.asgi()
    one, other = await connect(app), await connect(app)
    await one.ask(request("resources/subscribe", {"uri": "note://1"}))
    await other.ask(request("resources/subscribe", {"uri": "note://2"}))
    async with one.asking(method="GET") as first, other.asking(method="GET") as second:
        server.notify_resource("note://1")
        server.notify_resource("note://2")
        server.tool("other", run=lambda: None)
        await until_messages(first, 2)
        await until_messages(second, 2)
        await settled(app, server)
        for stream, uri in ((first, "note://1"), (second, "note://2")):
            assert methods(stream) == [UPDATED, TOOLS]
            assert messages(stream)[0]["params"] == {"uri": uri}


async def test_a_session_that_has_ended_is_told_nothing() -> None:
    server = make()
    app = server.asgi()
    client = await connect(app)
    assert len(hub_of(app)) == 1
    async with client.asking(method="GET") as stream:
        await stream.until(lambda one: one.status)
        await client.ask(method="DELETE")
        await ended(stream)
        assert len(hub_of(app)) == 0
        change_each(server)
        await settled(app, server)
        assert messages(stream) == []


async def test_sessions_that_make_room_for_others_leave_the_hub() -> None:
    app = make().asgi({"maxSessions": 3})
    for _ in range(10):
        await connect(app)
    assert len(hub_of(app)) == 3


async def test_the_client_of_the_oldest_transport_is_told_on_its_stream() -> None:
    server = make()
    app = server.asgi({"sse": True})
    async with asking(app, method="GET", path="/sse") as stream:
        await stream.until(lambda one: b"sessionId=" in one.body and one.body.endswith(b"\r\n\r\n"))
        query = stream.body.split(b"?")[1].split(b"\r\n")[0]

        async def post(body: Any) -> None:
            one = exchange(app, body, path="/messages")
            one._scope["query_string"] = query
            await one.run()
            assert one.status == 202

        await post(initialize("2024-11-05"))
        await post(INITIALIZED)
        await post(request("resources/subscribe", {"uri": "note://1"}, 2))
        assert len(hub_of(app)) == 1
        server.notify_resource("note://1")
        await stream.until(lambda one: b"notifications/resources/updated" in one.body)
    assert len(hub_of(app)) == 0


@pytest.mark.parametrize("revision", REVISIONS)
async def test_without_sessions_no_change_is_promised_and_nothing_can_be_followed(revision: str) -> None:
    server = make()
    app = server.asgi({"sessions": False})
    opened = (await ask(app, initialize(revision))).json["result"]
    assert opened["capabilities"] == {"logging": {}, "completions": {}, "prompts": {}, "resources": {}, "tools": {}}
    headers = {"MCP-Protocol-Version": revision if revision > "2025-03-26" else None}
    for method in ("resources/subscribe", "resources/unsubscribe"):
        for params in ({"uri": "note://1"}, {}):
            refused = await ask(app, request(method, params), headers=headers)
            assert (refused.status, refused.json["error"]["code"]) == (200, -32601)
            if revision == "2025-03-26":
                (refused_too,) = (await ask(app, [request(method, params)], headers=headers)).json
                assert refused_too["error"]["code"] == -32601
    assert (await ask(app, INITIALIZED, headers=headers)).status == 202
    assert len(hub_of(app)) == 0
    assert (await ask(app, method="GET", headers=headers)).status == 405
    read = await ask(app, request("resources/read", {"uri": "note://1"}), headers=headers)
    assert read.json["result"]["contents"][0]["text"] == "note://1"


async def test_without_sessions_the_newest_revision_still_listens() -> None:
    server = pico({"name": "test"}).tool("tool", run=lambda: None)
    app = server.asgi({"sessions": False})
    async with listening(app, 1, toolsListChanged=True) as one:
        await acknowledged(one)
        server.tool("other", run=lambda: None)
        assert (await until_messages(one, 2))[1]["method"] == TOOLS
