"""The handshake era: sessions, their streams, their end."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from tests.peer import HANDSHAKE
from tests.transports.http.driver import ask, connect, initialize, request, tool_call
from tests.transports.http.servers import Gate, make

pytestmark = pytest.mark.anyio

REVISIONS = HANDSHAKE[1:]


def sessions_of(app: Any) -> int:
    return sum(len(place.sessions) for place in app._places.values())


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_session_is_opened_used_and_ended(revision: str) -> None:
    app = make().asgi()
    client = await connect(app, revision)
    assert client.id
    assert len(client.id) >= 32
    assert all(0x21 <= ord(c) <= 0x7E for c in client.id)
    called = await client.call("echo", {"a": 1})
    assert called.json["result"]["content"] == [{"type": "text", "text": '{"a":1}'}]
    assert called.headers["mcp-session-id"] == client.id
    assert (await client.ask(request("ping"))).json["result"] == {}
    ended = await client.ask(method="DELETE")
    assert (ended.status, ended.body) == (204, b"")
    assert (await client.ask(request("ping"))).status == 404
    assert (await client.ask(method="DELETE")).status == 404
    assert (await client.ask(method="GET")).status == 404
    assert sessions_of(app) == 0


async def test_only_an_initialize_that_succeeds_opens_a_session() -> None:
    app = make().asgi()
    for body in (request("ping"), request("tools/list"), request("initialize", {}), {"jsonrpc": "2.0", "method": "x"}):
        answered = await ask(app, body)
        assert "mcp-session-id" not in answered.headers
    assert (await ask(app, method="GET")).status == 405
    assert (await ask(app, method="DELETE")).status == 400
    assert sessions_of(app) == 0


async def test_two_sessions_are_apart() -> None:
    app = make().asgi()
    one, other = await connect(app), await connect(app)
    assert one.id != other.id
    await one.ask(request("logging/setLevel", {"level": "error"}))
    assert len((await other.call("log")).events) == 3  # the first primes the stream
    assert (await one.call("log")).json["result"]
    await one.ask(method="DELETE")
    assert (await other.ask(request("ping"))).status == 200


async def test_notifications_come_on_the_stream_of_their_call() -> None:
    client = await connect(make().asgi(), "2025-06-18")
    answered = await client.ask(tool_call("steps", token=7))
    assert [event.message["params"]["progress"] for event in answered.events[:2]] == [1, 2]
    assert answered.events[2].message["id"] == 1
    assert len(answered.events) == 3
    assert len({event.id for event in answered.events}) == 3


async def test_a_client_that_takes_json_alone_gets_the_answer_alone() -> None:
    client = await connect(make().asgi())
    answered = await client.ask(tool_call("steps", token=7), headers={"Accept": "application/json"})
    assert answered.json["id"] == 1


async def test_a_client_that_takes_a_stream_alone_gets_one() -> None:
    client = await connect(make().asgi())
    answered = await client.ask(request("ping"), headers={"Accept": "text/event-stream"})
    priming, reply = answered.events
    assert priming.data == ""
    assert reply.message["result"] == {}


async def test_a_long_call_becomes_a_stream_with_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("picomcp_py.transports.http.stream.COMMIT_AFTER", 0.05)
    gate = Gate()
    client = await connect(make().tool("gate", {"run": gate.run}).asgi(keep_alive_seconds=0.01))
    async with client.asking(tool_call("gate")) as one:
        assert [event.comment for event in await one.until_events(3)][:3] == [None, "keep-alive", "keep-alive"]
        gate.go.set()
        await one.until(lambda it: b'"result"' in it.body)
    async with client.asking(tool_call("gate"), headers={"Accept": "application/json"}) as patient:
        await patient.until(lambda it: it.status)
    assert patient.json["result"]


async def test_a_disconnect_cancels_nothing() -> None:
    gate = Gate()
    client = await connect(make().tool("gate", {"run": gate.run}).asgi())
    async with anyio.create_task_group() as tasks:

        async def one() -> None:
            await client.call("gate")

        tasks.start_soon(one)
        with anyio.fail_after(20):
            await gate.started.wait()
        tasks.cancel_scope.cancel()
    gate.go.set()
    with anyio.fail_after(20):
        await gate.finished.wait()
    assert not gate.cancelled.is_set()


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream", "*/*"])
@pytest.mark.parametrize("how", ["notification", "delete"])
async def test_a_call_is_cancelled_by_its_client_or_with_its_session(how: str, accept: str) -> None:
    gate = Gate()
    app = make().tool("gate", {"run": gate.run}).asgi()
    client = await connect(app)
    async with client.asking(tool_call("gate", id="g"), headers={"Accept": accept}) as one:
        with anyio.fail_after(20):
            await gate.started.wait()
            if how == "delete":
                assert (await client.ask(method="DELETE")).status == 204
            else:
                told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "g"}}
                assert (await client.ask(told)).status == 202
            await gate.cancelled.wait()
            await one.until(lambda it: it.status) if not one.status else None
    assert (one.status, len(one.body)) in ((202, 0), (200, len(one.body)))
    assert b'"result"' not in one.body
    assert sessions_of(app) == (0 if how == "delete" else 1)


async def test_an_id_in_flight_is_refused_a_second_time() -> None:
    gate = Gate()
    client = await connect(make().tool("gate", {"run": gate.run}).asgi())
    async with client.asking(tool_call("gate", id=5)) as one:
        with anyio.fail_after(20):
            await gate.started.wait()
        assert (await client.call("echo", id=5)).status == 409
        assert (await client.call("echo", id="5")).status == 200
        gate.go.set()
        await one.until(lambda it: it.status)
    assert one.reply["result"]


BATCH = [request("ping", id=1), {"jsonrpc": "2.0", "method": "notifications/x"}, tool_call("echo", {"a": 1}, "two")]


@pytest.mark.parametrize("revision", REVISIONS)
async def test_batches_are_served_on_one_revision_alone(revision: str) -> None:
    client = await connect(make().asgi(), revision)
    answered = await client.ask(BATCH)
    if revision == "2025-03-26":
        replies = {reply["id"]: reply for reply in answered.json}
        assert set(replies) == {1, "two"}
        assert (await client.ask(BATCH[1:2])).status == 202
        assert (await client.ask([])).json["error"]["code"] == -32600
        assert (await client.ask([initialize()])).json[0]["error"]["code"] == -32600
        mixed = [request("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}})]
        assert (await client.ask(mixed)).status == 400
    else:
        assert (answered.status, answered.json["error"]["code"]) == (400, -32600)


async def test_the_get_stream_stays_open_and_is_one() -> None:
    client = await connect(make().asgi(keep_alive_seconds=0.01))
    async with client.asking(method="GET") as one:
        await one.until_events(1)
        assert one.events[0].comment == "keep-alive"
        assert one.headers["mcp-session-id"] == client.id
        assert (await client.ask(method="GET")).status == 409
        assert (await client.ask(method="GET", headers={"Accept": "application/json"})).status == 406
    async with client.asking(method="GET") as again:
        await again.until(lambda it: it.status == 200)
        await client.ask(method="DELETE")
        with anyio.fail_after(20):
            while not again.done:
                await again._news.wait()


async def test_sessions_can_be_off() -> None:
    app = make().asgi({"sessions": False})
    opened = await ask(app, initialize("2025-06-18"))
    assert opened.json["result"]["protocolVersion"] == "2025-06-18"
    assert "mcp-session-id" not in opened.headers
    version = {"MCP-Protocol-Version": "2025-06-18"}
    assert (await ask(app, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=version)).status == 202
    assert (await ask(app, tool_call("echo", {"a": 1}), headers=version)).json["result"]["structuredContent"]
    old = (await ask(app, tool_call("echo", {"a": 1}))).json["result"]  # served as 2025-03-26
    assert "structuredContent" not in old
    assert len((await ask(app, tool_call("steps", token=1), headers=version)).events) == 3
    for method in ("GET", "DELETE"):
        refused = await ask(app, method=method)
        assert (refused.status, refused.headers["allow"]) == (405, "POST")
    assert sessions_of(app) == 0


async def test_the_session_unused_for_longest_makes_room() -> None:
    gate = Gate()
    app = make().tool("gate", {"run": gate.run}).asgi(max_sessions=2)
    first, second = await connect(app), await connect(app)
    await first.ask(request("ping"))
    third = await connect(app)
    assert [(await one.ask(request("ping"))).status for one in (first, second, third)] == [200, 404, 200]
    async with first.asking(method="GET") as one, third.asking(method="GET") as other:  # both are in use
        await one.until(lambda it: it.status)
        await other.until(lambda it: it.status)
        refused = await ask(app, initialize())
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
        assert "mcp-session-id" not in refused.headers


async def test_a_session_that_nobody_uses_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    app = make().asgi(session_idle_seconds=60)
    await (await connect(app)).ask(method="DELETE")
    (place,) = app._places.values()
    monkeypatch.setattr(place.sessions, "_now", lambda: now)
    idle, used, open_ = await connect(app), await connect(app), await connect(app)
    async with open_.asking(method="GET") as one:
        await one.until(lambda it: it.status)
        now += 50
        assert (await used.ask(request("ping"))).status == 200
        now += 50
        assert (await idle.ask(request("ping"))).status == 404
        assert (await used.ask(request("ping"))).status == 200
        assert (await open_.ask(request("ping"))).status == 200
        assert sessions_of(app) == 2
