"""Streams that go on after their connection has ended, on purpose or not (MCP 2025-11-25, resumability)."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest

from picomcp_py import Context, SyncContext
from picomcp_py.transports.http import MemoryEventStore
from picomcp_py.transports.http import event_store as event_store_module
from tests.transports.http.driver import Client, Exchange, connect, tool_call
from tests.transports.http.servers import Gate, make

pytestmark = pytest.mark.anyio


async def resume(client: Client, last: str | None) -> Exchange:
    return await client.ask(method="GET", headers={"Last-Event-ID": last})


def polled() -> tuple[Any, Gate]:
    """A server whose tool closes its stream, waits for the gate, reports progress and answers."""
    gate = Gate()
    server = make()

    @server.tool("polled")
    async def run(_: Any, ctx: Context) -> str:
        await ctx.close_stream(250)
        return await gate.run(_, ctx)

    return server, gate


async def test_a_handler_closes_the_connection_and_the_answer_waits_for_the_client() -> None:
    server, gate = polled()
    client = await connect(server.asgi())
    closed = await client.ask(tool_call("polled", id="p", token="t"))
    first, second = closed.events
    assert (first.data, first.id is not None, first.comment) == ("", True, None)
    assert second.retry == 250
    gate.go.set()
    with anyio.fail_after(20):
        await gate.finished.wait()
    late = await resume(client, first.id)
    assert [event.message.get("method") for event in late.events] == ["notifications/progress", None]
    assert late.events[1].message["id"] == "p"
    again = await resume(client, late.events[0].id)
    assert [event.message["id"] for event in again.events] == ["p"]
    assert (await resume(client, late.events[1].id)).events == []


async def test_a_client_that_is_back_before_the_answer_gets_it_live() -> None:
    server, gate = polled()
    client = await connect(server.asgi())
    first = (await client.ask(tool_call("polled", id="p"))).events[0]
    async with client.asking(method="GET", headers={"Last-Event-ID": first.id}) as one:
        await one.until(lambda it: it.status == 200)
        gate.go.set()
        await one.until_events(1)
    assert one.events[0].message["id"] == "p"


async def test_the_newest_connection_carries_the_stream() -> None:
    server, gate = polled()
    client = await connect(server.asgi())
    first = (await client.ask(tool_call("polled", id="p"))).events[0]
    header = {"Last-Event-ID": first.id}
    async with client.asking(method="GET", headers=header) as old:
        await old.until(lambda it: it.status)
        async with client.asking(method="GET", headers=header) as new:
            await new.until(lambda it: it.status)
            with anyio.fail_after(20):
                while not old.done:
                    await old._news.wait()
            old.disconnect()  # late news must not end what goes on
            gate.go.set()
            await new.until_events(1)
    assert (old.body, new.events[0].message["id"]) == (b"", "p")


async def test_a_broken_connection_loses_nothing() -> None:
    gate = Gate()
    server = make().tool("talk", {"run": gate.run_aloud})
    client = await connect(server.asgi(), "2025-03-26")
    first: list[str] = []
    async with anyio.create_task_group() as tasks:
        async with client.asking(tool_call("talk", id="b", token=1)) as one:
            first.append((await one.until_events(1))[0].id or "")
            tasks.cancel_scope.cancel()
    gate.go.set()
    with anyio.fail_after(20):
        await gate.finished.wait()
    late = await resume(client, first[0])
    assert [event.message.get("id") for event in late.events] == [None, "b"]
    assert first[0] not in {event.id for event in late.events}


async def test_only_the_messages_of_that_stream_come_again() -> None:
    client = await connect(make().asgi())
    one = await client.ask(tool_call("steps", id=1, token="one"))
    other = await client.ask(tool_call("steps", id=2, token="other"))
    assert {e.id for e in one.events}.isdisjoint({e.id for e in other.events})
    again = await resume(client, one.events[0].id)
    assert [event.data for event in again.events] == [event.data for event in one.events[1:]]


@pytest.mark.parametrize("last", ["nonsense", "s1_99", "s9_1", "get_1", "s1_x", "s1_" + "9" * 30, ""])
async def test_an_event_that_is_not_kept_is_refused(last: str) -> None:
    client = await connect(make().asgi())
    await client.ask(tool_call("steps", token=1))
    assert (await resume(client, last)).status == 400


async def test_another_session_has_other_events() -> None:
    app = make().asgi()
    one, other = await connect(app), await connect(app)
    event = (await one.ask(tool_call("steps", token="one"))).events[0]
    answered = await resume(other, event.id)
    assert answered.status == 400
    assert b"one" not in answered.body


PRIMED = [("2025-03-26", False), ("2025-06-18", False), ("2025-11-25", True)]


@pytest.mark.parametrize(("revision", "primed"), PRIMED)
async def test_streams_are_primed_for_those_who_know_it(revision: str, primed: bool) -> None:
    client = await connect(make().asgi(), revision)
    events = (await client.ask(tool_call("steps", token=1))).events
    assert [event.data == "" for event in events] == [True] * primed + [False] * 3
    assert all(event.id for event in events)


@pytest.mark.parametrize(("revision", "options"), [("2025-06-18", {}), ("2025-11-25", {"eventStore": None})])
async def test_close_stream_does_nothing_where_the_client_could_not_come_back(revision: str, options: Any) -> None:
    server, gate = polled()
    client = await connect(server.asgi(options), revision)
    gate.go.set()
    answered = await client.ask(tool_call("polled", id="p", token=1))
    assert answered.events[-1].message["id"] == "p"
    assert any(event.retry for event in answered.events) is False
    assert any(event.id for event in answered.events) is (options == {})


async def test_close_stream_leaves_a_client_alone_that_takes_no_streams() -> None:
    server, gate = polled()
    client = await connect(server.asgi())
    gate.go.set()
    answered = await client.ask(tool_call("polled", id="p"), headers={"Accept": "application/json"})
    assert answered.json["id"] == "p"


async def test_close_stream_works_from_a_thread_too() -> None:
    go = threading.Event()
    server = make()

    @server.tool("thread")
    def thread(_: Any, ctx: SyncContext) -> str:
        ctx.close_stream()
        go.wait(20)
        return "late"

    client = await connect(server.asgi())
    closed = await client.ask(tool_call("thread", id="t"))
    assert [event.retry for event in closed.events] == [None]
    async with client.asking(method="GET", headers={"Last-Event-ID": closed.events[0].id}) as one:
        await one.until(lambda it: it.status)
        go.set()
        assert (await one.until_events(1))[0].message["id"] == "t"


@pytest.mark.parametrize("wrong", [-1, "1", 1.5])
async def test_close_stream_refuses_what_is_no_time(wrong: Any) -> None:
    server = make()

    @server.tool("wrong")
    async def run(_: Any, ctx: Context) -> None:
        await ctx.close_stream(wrong)

    result = await server.call("wrong")
    assert "retry_ms must be" in result["content"][0]["text"]


class Store(MemoryEventStore):
    """A store of somebody's own, which looks up in its own time."""

    made: list[Store] = []

    def __init__(self) -> None:
        super().__init__()
        self.closed = False
        self.made.append(self)

    def after(self, id: str) -> Any:
        async def look_up() -> Any:
            await anyio.lowlevel.checkpoint()
            return super(Store, self).after(id)

        return look_up()

    def close(self) -> None:
        self.closed = True


async def test_another_store_serves_as_well() -> None:
    Store.made.clear()
    client = await connect(make().asgi({"eventStore": Store}))
    event = (await client.ask(tool_call("steps", token=1))).events[0]
    assert len((await resume(client, event.id)).events) == 3
    await client.ask(method="DELETE")
    (store,) = Store.made
    assert store.closed


async def test_a_store_that_fails_costs_no_message(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(MemoryEventStore):
        def add(self, stream: str, data: bytes) -> str:
            raise OSError("the disk is full")

    client = await connect(make().asgi({"eventStore": Broken}))
    events = (await client.ask(tool_call("steps", token=1))).events
    assert [event.message.get("id") for event in events] == [None, None, 1]
    assert "the event store failed" in caplog.text


async def test_plain_answers_are_not_kept() -> None:
    Store.made.clear()
    client = await connect(make().asgi({"eventStore": Store}))
    for _ in range(10):
        assert (await client.call("echo", {"a": "x" * 1000})).json["result"]
    assert not Store.made[0]._events


def test_the_store_in_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    few = MemoryEventStore(max_events=3)
    ids = [few.add("s1", b"x") for _ in range(5)]
    assert [few.after(id) is not None for id in ids] == [False, False, True, True, True]
    small = MemoryEventStore(max_bytes=100)
    ids = [small.add("s1", b"x" * 40) for _ in range(4)]
    assert [small.after(id) is not None for id in ids] == [False, False, True, True]
    before = event_store_module._Budget.used
    monkeypatch.setattr(event_store_module, "MAX_TOTAL_BYTES", before + 100)
    one, other = MemoryEventStore(), MemoryEventStore()
    ids = [one.add("s1", b"x" * 40), other.add("s1", b"x" * 40), other.add("s1", b"x" * 40)]
    assert [one.after(ids[0]) is not None, other.after(ids[1]) is not None, other.after(ids[2]) is not None] == [
        True,
        False,
        True,
    ]
    for store in (few, small, one, other):
        store.close()
    assert event_store_module._Budget.used == before - 3 - 80
