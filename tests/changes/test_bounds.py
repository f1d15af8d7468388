"""Many listeners, and listeners that don't read: nothing is lost, told twice or piled up."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Literal

import anyio
import anyio.lowlevel
import pytest

from picomcp_py import Server
from picomcp_py.bus import Change
from picomcp_py.running.connection import Connection
from picomcp_py.transports.http.exchange import MAX_QUEUED
from picomcp_py.transports.stdio.loop import open_loop
from picomcp_py.transports.stdio.wire import HIGH_WATER, Wire
from picomcp_py.transports.stdio.writer import open_wire
from tests.changes import listening_http as over_http
from tests.changes.listening import ACKNOWLEDGED, EVERYTHING, KEY, TOOLS, UPDATED, make, settled
from tests.peer import connected, envelope
from tests.transports.http.driver import Exchange, ask, connect, exchange, initialize, request

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

EVENTS = 100_000
URIS = ["note://1", "note://2"]
CHANGES = [Change("tools"), Change("prompts"), Change("resources"), *(Change("resource", uri) for uri in URIS)]
MORE = 10
"""Messages beside events: the acknowledgement, replies."""


async def publish_many(server: Server) -> None:
    for number in range(EVENTS):
        server._app.publish(CHANGES[number % len(CHANGES)])
        if number % 1000 == 0:
            await anyio.lowlevel.checkpoint()


def what(message: dict[str, Any]) -> str:
    """The change that a notification tells of: its list, or the URI."""
    uri: str = message["params"]["uri"] if message["method"] == UPDATED else message["method"].split("/")[1]
    return uri


ALL = {"tools", "prompts", "resources", *URIS}


async def test_a_thousand_streams_get_each_event_once_and_in_order() -> None:
    server = make()
    app = server.asgi()
    clients = [
        exchange(app, **over_http.listen_request(number, f"note://{number}", "note://all", toolsListChanged=True))
        for number in range(1000)
    ]
    async with anyio.create_task_group() as tasks:
        for one in clients:
            tasks.start_soon(one.run)
        for one in clients:
            await over_http.acknowledged(one)
        assert len(over_http.hub_of(app)) == 1000
        for number in range(1000):
            server.notify_resource(f"note://{number}")
        for number in range(5):
            server.tool(f"tool_{number}", run=lambda: None)
            server.notify_resource("note://all")
        await over_http.settled(app, server)
        for number, one in enumerate(clients):
            await over_http.until_messages(one, 12)
            found = over_http.messages(one)
            assert [message["method"] for message in found] == [ACKNOWLEDGED, UPDATED, *[TOOLS, UPDATED] * 5]
            assert {message["params"]["_meta"][KEY] for message in found} == {number}
            assert [what(message) for message in found[1:4]] == [f"note://{number}", "tools", "note://all"]
            one.disconnect()
        for one in clients:
            await over_http.ended(one)
    assert len(over_http.hub_of(app)) == 0


# ------------------------------------------------------------ a pipe


class Pipe:
    """A client on a real pipe that reads when it is told to."""

    def __init__(self, connection: Connection, wire: Wire, fd: int) -> None:
        self.connection = connection
        self.wire = wire
        self._fd = fd
        self._rest = b""

    def send(self, message: dict[str, Any]) -> None:
        self.connection.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    async def read(self) -> list[dict[str, Any]]:
        """The messages in the next piece; waits for one."""
        with anyio.fail_after(30):
            await anyio.wait_readable(self._fd)
        *lines, self._rest = (self._rest + os.read(self._fd, 1 << 20)).split(b"\n")
        return [json.loads(line) for line in lines]

    async def read_until(self, id: Any) -> list[dict[str, Any]]:
        """All messages up to the reply with that id."""
        found: list[dict[str, Any]] = []
        while not found or all(message.get("id") != id for message in found[-1000:]):
            found += await self.read()
        return found


@asynccontextmanager
async def piped(runtime: Any, way: Literal["auto", "thread"]) -> AsyncIterator[Pipe]:
    end, start = os.pipe()
    async with open_loop() as loop:
        wire = open_wire(loop, start, lost=pytest.fail, below=lambda: None, way=way)
        pipe = Pipe(Connection(runtime, wire), wire, end)
        try:
            yield pipe
        finally:
            pipe.connection.close("the test is over")
            os.close(end)
            wire.close()
            os.close(start)


def subscribe(pipe: Pipe, *, stateless: bool) -> None:
    if stateless:
        wanted = {**EVERYTHING, "resourceSubscriptions": URIS}
        params = {"_meta": envelope(), "notifications": wanted}
        pipe.send({"id": 1, "method": "subscriptions/listen", "params": params})
    else:
        pipe.send({k: v for k, v in initialize().items() if k != "jsonrpc"})
        pipe.send({"method": "notifications/initialized"})
        for number, uri in enumerate(URIS):
            pipe.send({"id": number, "method": "resources/subscribe", "params": {"uri": uri}})


@pytest.mark.parametrize("way", ["auto", "thread"])
@pytest.mark.parametrize("stateless", [True, False])
async def test_a_client_on_a_pipe_that_does_not_read_costs_bounded_memory(
    way: Literal["auto", "thread"], stateless: bool
) -> None:
    server = make()
    async with connected(server) as peer, piped(peer.connection.runtime, way) as pipe:
        subscribe(pipe, stateless=stateless)
        await publish_many(server)
        await settled(peer, server)
        (subscriber, *_) = pipe.connection.runtime.hub._subscribers
        assert pipe.wire.full
        assert pipe.wire.unsent < HIGH_WATER + 1024
        assert {change.uri or change.kind for change in subscriber._pending} == ALL
        pipe.send({"id": "read", "method": "tools/list", "params": {"_meta": envelope()}})
        found = await pipe.read_until("read")
        while subscriber._pending:  # what waited follows, once
            found += await pipe.read()
        pipe.send({"id": "last", "method": "tools/list", "params": {"_meta": envelope()}})
        found += await pipe.read_until("last")
        assert len(found) < EVENTS / 5
        assert sorted(what(message) for message in found[-6:-1]) == sorted(ALL)
        server.notify_resource(URIS[0])
        while what((found := await pipe.read())[-1]) != URIS[0]:
            pass
        assert not pipe.wire.full
    assert len(peer.connection.runtime.hub) == 0


async def test_a_listen_that_ends_while_the_client_does_not_read_leaves_no_task() -> None:
    server = make()
    async with connected(server) as peer, piped(peer.connection.runtime, "auto") as pipe:
        subscribe(pipe, stateless=True)
        await publish_many(server)
        await settled(peer, server)
        (subscriber, *_) = peer.connection.runtime.hub._subscribers
        assert subscriber._pending
        pipe.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
        assert not subscriber._pending
        assert len(peer.connection.runtime.hub) == 0
        pipe.send({"id": "read", "method": "tools/list", "params": {"_meta": envelope()}})
        found = await pipe.read_until("read")
        assert "method" not in found[-1]
        server.tool("other", run=lambda: None)
        await settled(peer, server)
        assert pipe.wire.unsent == 0


# ------------------------------------------------------------ HTTP


async def test_a_listener_over_http_that_does_not_read_costs_bounded_memory() -> None:
    server = make()
    app = server.asgi()
    wanted = over_http.listen_request(1, *URIS, **EVERYTHING)
    async with over_http.stuck(app, **wanted) as one:
        await publish_many(server)
        await over_http.settled(app, server)
        (place,) = app._places.values()
        stream: Any = next(iter(place.runtime.hub._subscribers))._wire
        (subscriber,) = place.runtime.hub._subscribers
        assert len(stream.events._queue) <= MAX_QUEUED + MORE
        assert len(subscriber._pending) == len(ALL)
        one.reads.set()
        await one.until(lambda one: not subscriber._pending and not stream.events._queue)
        found = over_http.messages(one)
        assert len(found) <= MAX_QUEUED + MORE + len(ALL)
        assert {what(message) for message in found[-5:]} == ALL
        server.notify_resource(URIS[1])
        await over_http.settled(app, server)
        assert what((await over_http.until_messages(one, len(found) + 1))[-1]) == URIS[1]
    assert len(over_http.hub_of(app)) == 0


async def test_a_session_without_a_get_stream_costs_bounded_memory() -> None:
    server = make()
    app = server.asgi()
    client = await connect(app)
    for uri in URIS:
        await client.ask(request("resources/subscribe", {"uri": uri}))
    await publish_many(server)
    await over_http.settled(app, server)
    (place,) = app._places.values()
    session: Any = place.sessions.get(client.id or "")
    assert len(session.standalone._queue) == 0
    assert len(session.connection.subscriber._pending) == len(ALL)
    async with client.asking(method="GET") as stream:
        await over_http.until_messages(stream, len(ALL))
        await over_http.settled(app, server)
        assert sorted(what(message) for message in over_http.messages(stream)) == sorted(ALL)
    await client.ask(method="DELETE")
    assert len(over_http.hub_of(app)) == 0


async def test_a_get_stream_that_is_not_read_costs_bounded_memory() -> None:
    server = make()
    app = server.asgi()
    client = await connect(app)
    for uri in URIS:
        await client.ask(request("resources/subscribe", {"uri": uri}))
    async with over_http.stuck(app, method="GET", headers=client.headers()) as one:
        await publish_many(server)
        await over_http.settled(app, server)
        (place,) = app._places.values()
        session: Any = place.sessions.get(client.id or "")
        subscriber = session.connection.subscriber
        assert len(session.standalone._queue) <= MAX_QUEUED + MORE
        assert len(session.store._events) <= MAX_QUEUED + MORE
        assert len(subscriber._pending) == len(ALL)
        one.reads.set()
        await one.until(lambda one: not subscriber._pending and not session.standalone._queue)
        assert {what(message) for message in over_http.messages(one)[-5:]} == ALL


async def test_a_client_that_starts_over_again_and_again_leaves_no_tasks() -> None:
    """Each handshake makes a new subscriber; the one before waits for a GET stream that nobody will open."""
    server = make()
    app = server.asgi()
    client = await connect(app)
    (place,) = app._places.values()
    tasks: Any = place.runtime.tasks

    def running() -> int:
        return len(tasks._running) if hasattr(tasks, "_running") else len(tasks._nursery.child_tasks)

    counts = []
    for _ in range(20):
        await client.ask(initialize())
        await client.ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
        server.notify_resource("note://1")
        server._app.publish(Change("tools"))
        await over_http.settled(app, server)
        counts.append(running())
    assert counts[-1] <= counts[1]
    assert len(over_http.hub_of(app)) == 1


async def test_after_all_have_left_nobody_is_told() -> None:
    server = make()
    app = server.asgi()
    async with AsyncExitStack() as stack:
        for number in range(20):
            one: Exchange = await stack.enter_async_context(over_http.listening(app, number, *URIS, **EVERYTHING))
            await over_http.acknowledged(one)
        assert len(over_http.hub_of(app)) == over_http.hub_of(app).listens == 20
    hub = over_http.hub_of(app)
    assert (len(hub), hub.listens) == (0, 0)
    assert (await ask(app, request("ping"))).status == 400
