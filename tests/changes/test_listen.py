"""subscriptions/listen on a pipe (MCP 2026-07-28, basic/utilities/subscriptions), message by message."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest

from picomcp_py import pico
from picomcp_py.bus import Change
from picomcp_py.running import changes
from tests.changes.listening import (
    EACH,
    EVERYTHING,
    KEY,
    TOOLS,
    UPDATED,
    change_each,
    listen,
    make,
    methods,
    settled,
    start_listen,
    told,
)
from tests.peer import MODERN, connected

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("id", [1, 0, "1", "", "✓", 9007199254740993])
async def test_the_acknowledgement_comes_first_and_all_carries_the_id(id: Any) -> None:
    server = make()
    async with connected(server) as peer:
        honoured = await listen(peer, id, "note://1", **EVERYTHING)
        assert honoured == {**EVERYTHING, "resourceSubscriptions": ["note://1"]}
        assert len(peer.messages) == 1
        change_each(server)
        server.notify_resource("note://1")
        await settled(peer, server)
        assert methods(peer, id) == [*EACH, UPDATED]
        assert told(peer, id)[-1] == (UPDATED, "note://1")
        assert id not in [m.get("id") for m in peer.messages if type(m.get("id")) is type(id)]


@pytest.mark.parametrize(
    ("wanted", "heard"),
    [
        ({}, set()),
        ({"toolsListChanged": True}, {EACH[0]}),
        ({"promptsListChanged": True, "toolsListChanged": False}, {EACH[2]}),
        ({"resourcesListChanged": True, "promptsListChanged": None}, {EACH[4]}),
        ({"toolsListChanged": True, "resourcesListChanged": True}, {EACH[0], EACH[4]}),
        ({"resourceSubscriptions": []}, set()),
        ({"resourceSubscriptions": ["note://1", "note://1"]}, {UPDATED}),
        ({"taskIds": ["x"], "somethingNew": True}, set()),
    ],
)
async def test_only_what_was_asked_for_is_honoured_and_told(wanted: dict[str, Any], heard: set[str]) -> None:
    server = make()
    async with connected(server) as peer:
        honoured = await listen(peer, 1, **wanted)
        uris = {"resourceSubscriptions": ["note://1"][: len(wanted.get("resourceSubscriptions", []))]}
        lists = {key: True for key in EVERYTHING if wanted.get(key)}
        assert honoured == {**lists, **(uris if "resourceSubscriptions" in wanted else {})}
        change_each(server)
        server.notify_resource("note://1")
        server.notify_resource("note://2")
        await settled(peer, server)
        assert set(methods(peer, 1)) == heard
        assert len(methods(peer, 1)) == sum(1 if method == UPDATED else 2 for method in heard)


async def test_what_the_server_does_not_offer_is_left_out_of_the_acknowledgement() -> None:
    server = pico({"name": "test"}).tool("tool", run=lambda: None)
    async with connected(server) as peer:
        assert await listen(peer, 1, "note://1", **EVERYTHING) == {"toolsListChanged": True}
        server.prompt("prompt", run=lambda: None)
        server.resource("note://1", read=lambda: "")
        server.notify_resource("note://1")
        server.tool("other", run=lambda: None)
        assert await listen(peer, 2, "note://1", **EVERYTHING) == {**EVERYTHING, "resourceSubscriptions": ["note://1"]}
        await settled(peer, server)
        assert methods(peer, 1) == [TOOLS]


async def test_several_listens_at_once_are_told_apart() -> None:
    server = make()
    async with connected(server) as peer:
        await listen(peer, 1, "note://1")
        await listen(peer, "1", "note://2", toolsListChanged=True)
        await listen(peer, 2, "note://1", "note://2")
        server.notify_resource("note://2")
        server.tool("other", run=lambda: None)
        server.notify_resource("note://1")
        await settled(peer, server)
        assert told(peer, 1) == [(UPDATED, "note://1")]
        assert told(peer, "1") == [(UPDATED, "note://2"), (TOOLS, None)]
        assert told(peer, 2) == [(UPDATED, "note://2"), (UPDATED, "note://1")]


async def test_a_cancelled_listen_is_told_nothing_more_and_never_answered() -> None:
    server = make()
    async with connected(server) as peer:
        await listen(peer, 1, **EVERYTHING)
        await listen(peer, 2, **EVERYTHING)
        server.tool("a", run=lambda: None)
        await settled(peer, server)
        server.tool("b", run=lambda: None)  # on its way while it is cancelled
        peer.cancel(1)
        peer.cancel("2")  # another id
        change_each(server)
        await settled(peer, server)
        assert methods(peer, 1) == [TOOLS]
        assert methods(peer, 2) == [TOOLS, TOOLS, *EACH]
        assert 1 not in [message.get("id") for message in peer.messages]
        assert len(peer.connection.runtime.hub) == 1
        await listen(peer, 1, **EVERYTHING)  # the id is free again


async def test_an_id_in_use_is_refused() -> None:
    server = make()

    @server.tool("hold")
    async def hold() -> None:
        await anyio.sleep_forever()

    async with connected(server) as peer:
        await listen(peer, 1, toolsListChanged=True)
        held = peer.start("tools/call", {"name": "hold"}, "held")
        start_listen(peer, 1, promptsListChanged=True)
        start_listen(peer, held)
        peer.start("tools/call", {"name": "tool"}, 1)
        peer.start("tools/list", {}, held)  # what is answered at once, too: two answers to one id help nobody
        refused = [(m["id"], m["error"]["code"]) for m in peer.messages if "error" in m]
        assert refused == [(1, -32600), ("held", -32600), (1, -32600), ("held", -32600)]
        await listen(peer, "1", toolsListChanged=True)
        change_each(server)
        await settled(peer, server)
        assert methods(peer, 1) == methods(peer, "1") == [TOOLS, TOOLS]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"notifications": None},
        {"notifications": []},
        {"notifications": {"toolsListChanged": "yes"}},
        {"notifications": {"resourceSubscriptions": "note://1"}},
        {"notifications": {"resourceSubscriptions": [1]}},
    ],
)
async def test_params_that_do_not_fit_are_refused(params: dict[str, Any]) -> None:
    async with connected(make()) as peer:
        error = (await peer.request("subscriptions/listen", params))["error"]
        assert error["code"] == -32602
        assert error["message"].startswith("Invalid params for subscriptions/listen: ")
        assert len(peer.connection.runtime.hub) == 0
        assert len(peer.messages) == 1


async def test_too_many_uris_are_refused() -> None:
    uris = [f"note://{number}" for number in range(1025)]
    async with connected(make()) as peer:
        params = {"notifications": {"resourceSubscriptions": uris}}
        error = (await peer.request("subscriptions/listen", params))["error"]
        assert error["code"] == -32602
        assert "resourceSubscriptions has more than 1024 items" in error["message"]
        assert await listen(peer, 1, *uris[:1024]) == {"resourceSubscriptions": uris[:1024]}


async def test_too_many_listens_are_refused_until_one_ends() -> None:
    async with connected(make()) as peer:
        for number in range(changes.MAX_LISTENS):
            start_listen(peer, number, toolsListChanged=True)
        assert len(peer.messages) == len(peer.connection.runtime.hub) == changes.MAX_LISTENS
        start_listen(peer, "more", toolsListChanged=True)
        error = (await peer.reply("more"))["error"]
        assert error["code"] == -32603
        assert "clients are listening: try again later" in error["message"]
        peer.cancel(7)
        await listen(peer, "more", toolsListChanged=True)


async def test_the_end_of_the_input_ends_listens_with_their_result_and_then_a_cancellation() -> None:
    server = make()
    async with connected(server) as peer:
        await listen(peer, 1, **EVERYTHING)
        await listen(peer, "b", **EVERYTHING)
        server.tool("late", run=lambda: None)  # told, or not: but never after the end
        await peer.connection.finish(5)
        ends = [m for m in peer.messages if "id" in m or m["method"] == "notifications/cancelled"]
        for id, (result, cancelled) in zip([1, "b"], [ends[:2], ends[2:]], strict=True):
            assert result == {"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "_meta": {KEY: id}}}
            assert cancelled == {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
        assert len(peer.connection.runtime.hub) == 0
        count = len(peer.messages)
        change_each(server)
        await settled(peer, server)
        assert methods(peer, 1) == methods(peer, "b") == []
        assert len(peer.messages) == count + 2


async def test_the_end_of_the_server_ends_listens_with_their_result() -> None:
    server = make()
    async with connected(server) as peer:
        await listen(peer, 1, **EVERYTHING)
        peer.connection.runtime.hub.close()
        start_listen(peer, 2, **EVERYTHING)  # too late
    assert peer.messages[1]["result"] == {"resultType": "complete", "_meta": {KEY: 1}}
    assert peer.messages[2]["method"] == "notifications/cancelled"
    assert peer.messages[3]["error"] == {"code": -32603, "message": "The server is stopping"}


async def test_a_client_that_is_gone_is_told_nothing() -> None:
    server = make()
    async with connected(server) as peer:
        await listen(peer, 1, **EVERYTHING)
        await listen(peer, 2, **EVERYTHING)
        peer.connection.close("gone")
        assert len(peer.connection.runtime.hub) == 0
        change_each(server)
        await settled(peer, server)
        assert methods(peer, 1) == methods(peer, 2) == []


async def test_changes_of_other_threads_are_told_in_their_order() -> None:
    server = make()
    async with connected(server) as peer:
        uris = [f"note://{number}" for number in range(4)]
        await listen(peer, 1, *uris, toolsListChanged=True)

        def work(number: int) -> None:
            for count in range(50):
                server.notify_resource(uris[number])
                server.tool(f"tool_{number}_{count}", run=lambda: None)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        await settled(peer, server)
        heard = told(peer, 1)
        assert heard.count((TOOLS, None)) == 200
        assert [heard.count((UPDATED, uri)) for uri in uris] == [50] * 4
        assert len((await peer.request("tools/list"))["result"]["tools"]) == 201


async def test_what_a_handler_changes_is_told() -> None:
    server = make()
    server.tool("grow", run=lambda: server.tool("grown", run=lambda: None).name)
    async with connected(server) as peer:
        await listen(peer, 1, toolsListChanged=True)
        await peer.call("grow")
        await settled(peer, server)
        assert methods(peer, 1) == [TOOLS]


async def test_any_resource_may_have_changed() -> None:
    """What a bus between processes says when it may have lost something: each resource that is followed is told."""
    server = make()
    async with connected(server) as peer:
        await listen(peer, 1, "note://1", "note://2")
        await listen(peer, 2, resourcesListChanged=True)
        server._app.publish(Change("resource"))
        await settled(peer, server)
        assert sorted(told(peer, 1)) == [(UPDATED, "note://1"), (UPDATED, "note://2")]
        assert told(peer, 2) == []


async def test_a_listen_is_no_part_of_a_batch() -> None:
    async with connected(make(), "2025-03-26") as peer:
        params = {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
            },
            "notifications": {"toolsListChanged": True},
        }
        first = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        peer.send([first, {"jsonrpc": "2.0", "id": 2, "method": "subscriptions/listen", "params": params}])
        reply = await peer.until(lambda m: isinstance(m, list))
        assert [(one["id"], one.get("error", {}).get("code")) for one in reply] == [(1, None), (2, -32600)]
        assert len(peer.connection.runtime.hub) == 1  # the session


async def test_a_runtime_hears_of_its_own_server_alone() -> None:
    one, other = make(), make()
    async with connected(one) as peer:
        await listen(peer, 1, **EVERYTHING)
        change_each(other)
        await settled(peer, one)
        assert told(peer, 1) == []
