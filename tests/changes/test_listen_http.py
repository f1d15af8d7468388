"""subscriptions/listen over HTTP: one stream of events, in process."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from picomcp_py.protocol.methods import Wanted
from picomcp_py.running import changes
from picomcp_py.running.runtime import NOWHERE
from tests.changes.listening import ACKNOWLEDGED, EACH, EVERYTHING, KEY, TOOLS, UPDATED, change_each, make
from tests.changes.listening_http import (
    acknowledged,
    ended,
    hub_of,
    listen_request,
    listening,
    messages,
    methods,
    settled,
    stuck,
    until_messages,
)
from tests.transports.http.driver import Exchange, ask, call, exchange

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("id", [1, "1", "", 0])
async def test_the_acknowledgement_comes_first_and_all_carries_the_id(id: Any) -> None:
    server = make()
    app = server.asgi()
    async with listening(app, id, "note://1", **EVERYTHING) as one:
        assert await acknowledged(one) == {**EVERYTHING, "resourceSubscriptions": ["note://1"]}
        assert one.headers["cache-control"] == "no-cache, no-transform"
        assert one.headers["x-accel-buffering"] == "no"
        change_each(server)
        server.notify_resource("note://2")
        server.notify_resource("note://1")
        await settled(app, server)
        assert methods(one) == [ACKNOWLEDGED, *EACH, UPDATED]
        for message in messages(one):
            tag = message["params"]["_meta"][KEY]
            assert (type(tag), tag) == (type(id), id)
        assert all(event.id is None and event.retry is None for event in one.events)
        assert "mcp-session-id" not in one.headers
    assert len(hub_of(app)) == 0


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream;q=0"])
async def test_a_client_that_takes_no_stream_is_refused(accept: str) -> None:
    app = make().asgi()
    answered = await ask(app, **listen_request(1, headers={"Accept": accept}, **EVERYTHING))
    assert answered.status == 406
    assert answered.json["id"] == 1
    assert answered.json["error"]["code"] == -32600
    assert len(hub_of(app)) == 0


@pytest.mark.parametrize("accept", ["text/event-stream", "*/*", "text/*"])
async def test_a_client_needs_to_take_a_stream_alone(accept: str) -> None:
    async with listening(make().asgi(), 1, headers={"Accept": accept}, toolsListChanged=True) as one:
        assert await acknowledged(one) == {"toolsListChanged": True}


async def test_a_disconnect_ends_it_and_nothing_more_is_sent() -> None:
    server = make()
    app = server.asgi()
    async with listening(app, 1, **EVERYTHING) as one:
        await acknowledged(one)
        one.disconnect()
        await ended(one)
        assert len(hub_of(app)) == 0
        change_each(server)
        await settled(app, server)
        assert methods(one) == [ACKNOWLEDGED]


async def test_a_request_that_is_cancelled_leaves_nothing_behind() -> None:
    """As middleware with a timeout does: nobody tells of a disconnect."""
    server = make()
    app = server.asgi({"keepAliveSeconds": None})
    one = exchange(app, **listen_request(1, **EVERYTHING))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one.run)
        await acknowledged(one)
        tasks.cancel_scope.cancel()
    assert len(hub_of(app)) == 0
    (place,) = app._places.values()
    assert not place.sweeper._watched
    change_each(server)
    await settled(app, server)
    assert methods(one) == [ACKNOWLEDGED]


async def test_a_client_that_leaves_without_ever_reading_is_let_go() -> None:
    server = make()
    app = server.asgi()
    async with stuck(app, **listen_request(1, **EVERYTHING)) as one:
        change_each(server)
    assert len(hub_of(app)) == 0
    assert one.sent == []
    await settled(app, server)


class Broken(Exchange):
    """A client whose connection breaks after the head of the answer."""

    async def _send(self, event: dict[str, Any]) -> None:
        if self.status:
            raise OSError("the connection is lost")
        await super()._send(event)


async def test_a_stream_that_breaks_ends_its_listen() -> None:
    """An ASGI server may say so where it sends, with an OSError."""
    app = make().asgi()
    one = exchange(app, **listen_request(1, **EVERYTHING))
    broken = Broken(app, one._scope, one._chunks)
    with anyio.fail_after(20):
        await broken.run()
    assert broken.status == 200
    assert len(hub_of(app)) == 0


async def test_silence_is_filled_with_comments() -> None:
    server = make()
    app = server.asgi({"keepAliveSeconds": 0.05})
    async with listening(app, 1, toolsListChanged=True) as one:
        await one.until(lambda one: one.status and sum(event.comment is not None for event in one.events) >= 3)
        server.tool("other", run=lambda: None)
        await until_messages(one, 2)
        assert methods(one) == [ACKNOWLEDGED, TOOLS]


async def test_the_end_of_the_server_is_the_result_and_closes_the_stream() -> None:
    server = make()
    app = server.asgi()
    async with listening(app, "a", **EVERYTHING) as one, listening(app, 1, **EVERYTHING) as other:
        await acknowledged(one)
        await acknowledged(other)
        server.tool("last", run=lambda: None)
        await settled(app, server)
        hub_of(app).close()
        await ended(one)
        await ended(other)
        for stream, id in ((one, "a"), (other, 1)):
            assert methods(stream) == [ACKNOWLEDGED, TOOLS, "result"]
            result = {"resultType": "complete", "_meta": {KEY: id}}
            assert messages(stream)[-1] == {"jsonrpc": "2.0", "id": id, "result": result}
            assert stream.sent[-1] == b""
        refused = await ask(app, **listen_request(2, **EVERYTHING))
        assert refused.json["error"] == {"code": -32603, "message": "The server is stopping"}


async def test_the_end_of_the_loops_part_ends_listens_with_their_result() -> None:
    """The request's own task sends the last of it: the server's tasks have ended by then."""
    server = make()
    app = server.asgi()
    async with listening(app, 1, **EVERYTHING) as one:
        await acknowledged(one)
        await server._app.owners.stop()
        await ended(one)
        assert methods(one) == [ACKNOWLEDGED, "result"]


async def test_too_many_uris_and_too_many_listeners_are_refused() -> None:
    app = make().asgi()
    many = [f"note://{number}" for number in range(1025)]
    refused = await ask(app, **listen_request(1, *many))
    assert (refused.status, refused.json["error"]["code"]) == (200, -32602)
    hub = hub_of(app)
    for number in range(changes.MAX_LISTENS):
        changes.listen(hub, (), number, Wanted(), NOWHERE, lambda result: None)
    refused = await ask(app, **listen_request(1, **EVERYTHING))
    assert (refused.status, refused.json["error"]["code"]) == (200, -32603)
    assert (await ask(app, **call("tool"))).json["result"]["content"][0]["text"] == "done"


async def test_two_listens_with_the_same_id_are_two_clients() -> None:
    server = make()
    app = server.asgi()
    async with listening(app, 1, toolsListChanged=True) as one, listening(app, 1, "note://1") as other:
        await acknowledged(one)
        await acknowledged(other)
        server.notify_resource("note://1")
        server.tool("other", run=lambda: None)
        await settled(app, server)
        assert (methods(one), methods(other)) == ([ACKNOWLEDGED, TOOLS], [ACKNOWLEDGED, UPDATED])
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        told = await ask(app, cancel, headers={"MCP-Protocol-Version": "2026-07-28"})
        assert told.status == 202  # and ignored: anybody could have posted it
        assert len(hub_of(app)) == 2


async def test_an_open_stream_costs_nothing_while_nothing_happens() -> None:
    """Its disconnect is watched by a task that waits; it is not looked at again and again."""
    server = make()
    app = server.asgi(keep_alive_seconds=None)
    async with listening(app, 1, toolsListChanged=True) as one:
        await acknowledged(one)
        (place,) = app._places.values()
        with anyio.fail_after(20):
            while place.sweeper._sweeping:  # noqa: ASYNC110  # it ends by itself, and tells nobody
                await anyio.sleep(0.01)
        one.disconnect()
        await ended(one)
    assert len(hub_of(app)) == 0
