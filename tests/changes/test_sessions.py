"""Changes in the handshake era, on a pipe: what a session is told, and from when on."""

from __future__ import annotations

from typing import Any

import pytest

from picomcp_py import pico
from picomcp_py.protocol import handshake
from picomcp_py.running import changes
from tests.changes.listening import (
    EACH,
    RESOURCES,
    TOOLS,
    UPDATED,
    change_each,
    listen,
    make,
    methods,
    settled,
    start_listen,
    untagged,
)
from tests.peer import HANDSHAKE, connected

pytestmark = pytest.mark.anyio

INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def hello(revision: str) -> dict[str, Any]:
    return {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def lists(peer: Any) -> list[str]:
    return [method for method, _ in untagged(peer)]


@pytest.mark.parametrize("revision", HANDSHAKE)
async def test_a_session_is_told_of_every_list_and_of_what_it_follows(revision: str) -> None:
    server = make()
    async with connected(server, revision) as peer:
        change_each(server)
        await settled(peer, server)
        assert lists(peer) == EACH
        for uri in ("note://fixed", "note://1"):
            assert (await peer.request("resources/subscribe", {"uri": uri}))["result"] == {}
        for uri in ("note://fixed", "note://1", "note://2"):
            server.notify_resource(uri)
        await settled(peer, server)
        assert untagged(peer)[6:] == [(UPDATED, "note://fixed"), (UPDATED, "note://1")]
        assert (await peer.request("resources/unsubscribe", {"uri": "note://1"}))["result"] == {}
        assert (await peer.request("resources/unsubscribe", {"uri": "note://never"}))["result"] == {}
        for uri in ("note://1", "note://fixed"):
            server.notify_resource(uri)
        await settled(peer, server)
        assert untagged(peer)[8:] == [(UPDATED, "note://fixed")]
        for message in peer.messages:
            if message.get("method") in EACH:
                assert message.keys() == {"jsonrpc", "method"}


@pytest.mark.parametrize("revision", HANDSHAKE)
async def test_nothing_is_told_before_the_client_is_initialized(revision: str) -> None:
    server = make()
    async with connected(server, revision, initialize=False) as peer:
        peer.send(INITIALIZED)  # out of turn: nothing was agreed on
        change_each(server)
        await settled(peer, server)
        await peer.request("initialize", hello(revision))
        await peer.request("resources/subscribe", {"uri": "note://1"})
        change_each(server)
        server.notify_resource("note://1")
        await settled(peer, server)
        assert untagged(peer) == []
        peer.send(INITIALIZED)
        peer.send(INITIALIZED)  # twice is once
        change_each(server)
        server.notify_resource("note://1")
        await settled(peer, server)
        assert lists(peer) == [*EACH, UPDATED]


async def test_a_new_handshake_forgets_what_was_followed() -> None:
    server = make()
    async with connected(server, "2025-11-25") as peer:
        await peer.request("resources/subscribe", {"uri": "note://1"})
        await peer.request("initialize", hello("2025-06-18"))
        change_each(server)
        await settled(peer, server)
        assert untagged(peer) == []
        peer.send(INITIALIZED)
        server.notify_resource("note://1")
        server.tool("other", run=lambda: None)
        await settled(peer, server)
        assert lists(peer) == [TOOLS]
        assert len(peer.connection.runtime.hub) == 1


@pytest.mark.parametrize("uri", ["note://a/b", "nowhere://x", "", "no uri"])
async def test_what_is_not_there_can_not_be_followed(uri: str) -> None:
    async with connected(make(), "2025-11-25") as peer:
        error = (await peer.request("resources/subscribe", {"uri": uri}))["error"]
        assert (error["code"], error["data"]) == (-32002, {"uri": uri})
        assert (await peer.request("resources/subscribe", {"uri": 5}))["error"]["code"] == -32602
        assert (await peer.request("resources/subscribe", {}))["error"]["code"] == -32602


async def test_a_session_follows_a_bounded_number_of_resources() -> None:
    server = make()
    async with connected(server, "2025-11-25") as peer:
        for number in range(handshake.MAX_FOLLOWED):
            assert "result" in await peer.request("resources/subscribe", {"uri": f"note://{number}"})
        error = (await peer.request("resources/subscribe", {"uri": "note://more"}))["error"]
        assert error["code"] == -32602
        assert "unsubscribe from others first" in error["message"]
        assert "result" in await peer.request("resources/subscribe", {"uri": "note://0"})
        await peer.request("resources/unsubscribe", {"uri": "note://0"})
        assert "result" in await peer.request("resources/subscribe", {"uri": "note://more"})


async def test_a_session_is_told_only_of_what_its_handshake_promised() -> None:
    server = pico({"name": "test"}).tool("tool", run=lambda: None)
    async with connected(server, "2025-11-25") as peer:
        server.resource("note://1", read=lambda: "")
        server.prompt("prompt", run=lambda: "")
        server.tool("other", run=lambda: None)
        await settled(peer, server)
        assert lists(peer) == [TOOLS]
        await peer.request("initialize", hello("2025-11-25"))
        peer.send(INITIALIZED)
        change_each(server)
        await settled(peer, server)
        assert lists(peer) == [TOOLS, *EACH]


async def test_both_eras_on_one_pipe() -> None:
    server = make()
    async with connected(server, "2025-11-25") as peer:
        await listen(peer, 1, toolsListChanged=True)
        await peer.request("resources/subscribe", {"uri": "note://1"})
        server.tool("other", run=lambda: None)
        server.notify_resource("note://1")
        server.remove_resource("note://fixed")
        await settled(peer, server)
        assert methods(peer, 1) == [TOOLS]
        assert lists(peer) == [TOOLS, UPDATED, RESOURCES]


async def test_listens_take_no_place_from_sessions() -> None:
    server = make()
    async with connected(server, "2025-11-25", initialize=False) as peer:
        for number in range(changes.MAX_LISTENS - 1):
            start_listen(peer, f"listen {number}")
        await peer.request("initialize", hello("2025-11-25"))
        peer.send(INITIALIZED)
        server.tool("other", run=lambda: None)
        await settled(peer, server)
        assert lists(peer) == [TOOLS]


async def test_a_session_that_is_gone_is_told_nothing() -> None:
    server = make()
    async with connected(server, "2025-11-25") as peer:
        assert len(peer.connection.runtime.hub) == 1
        await peer.connection.finish(5)
        assert len(peer.connection.runtime.hub) == 0
        change_each(server)
        await settled(peer, server)
        assert untagged(peer) == []
