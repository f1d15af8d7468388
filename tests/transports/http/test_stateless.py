"""2026-07-28: a JSON reply, or a stream from the first notification on; and clients that leave."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from picomcp_py import Context, pico
from picomcp_py.transports.http import exchange as exchange_module
from tests.transports.http.driver import BOTH, JSON, ask, asking, call, exchange, modern
from tests.transports.http.servers import Gate, make

pytestmark = pytest.mark.anyio

TOKEN = {"progressToken": "t"}
LOUD = {"io.modelcontextprotocol/logLevel": "info"}


async def test_a_call_that_says_nothing_on_the_way_is_answered_as_json() -> None:
    answered = await ask(make().asgi(), **call("steps"))  # no token: no progress
    assert answered.json["result"]["content"] == [{"type": "text", "text": "done"}]
    assert len(answered.sent) == 1


async def test_notifications_make_it_a_stream_that_the_reply_ends() -> None:
    answered = await ask(make().asgi(), **call("steps", meta=TOKEN))
    assert answered.status == 200
    assert answered.headers["cache-control"] == "no-cache, no-transform"
    assert answered.headers["x-accel-buffering"] == "no"
    first, second, last = answered.events
    assert [first.message["params"]["progress"], second.message["params"]["progress"]] == [1, 2]
    assert last.message["id"] == 1
    assert not any(event.id for event in answered.events)
    assert answered.sent[-1] == b""


async def test_log_messages_are_for_those_who_asked() -> None:
    assert (await ask(make().asgi(), **call("log"))).json["result"]
    messages = [event.message for event in (await ask(make().asgi(), **call("log", meta=LOUD))).events]
    assert messages[0]["method"] == "notifications/message"
    assert messages[1]["result"]


ACCEPT = {
    "both": (BOTH, "text/event-stream"),
    "json alone": (JSON, JSON),
    "a stream alone": ("text/event-stream", "text/event-stream"),
    "a stream, but not JSON": ("application/json;q=0, text/event-stream", "text/event-stream"),
    "anything": ("*/*", "text/event-stream"),
    "anything of both kinds": ("application/*, text/*", "text/event-stream"),
    "nothing said": (None, "text/event-stream"),
}


@pytest.mark.parametrize("row", ACCEPT)
async def test_the_answer_has_a_form_that_the_client_takes(row: str) -> None:
    accept, kind = ACCEPT[row]
    answered = await ask(make().asgi(), **call("steps", meta=TOKEN, headers={"Accept": accept}))
    assert answered.headers["content-type"] == kind
    assert answered.reply["result"]
    listed = await ask(make().asgi(), **modern("tools/list", headers={"Accept": accept}))
    assert listed.headers["content-type"] == (kind if "stream alone" in row or "not JSON" in row else JSON)
    assert listed.reply["result"]["tools"]


async def test_a_long_call_becomes_a_stream_with_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate()
    monkeypatch.setattr("picomcp_py.transports.http.post.COMMIT_AFTER", 0.05)
    app = make().tool("gate", {"run": gate.run}).asgi(keep_alive_seconds=0.01)
    async with asking(app, **call("gate")) as one:
        events = await one.until_events(2)
        assert [event.comment for event in events[:2]] == ["keep-alive"] * 2
        gate.go.set()
        await one.until(lambda it: it.events[-1].data)
        assert one.events[-1].message["result"]


async def test_a_slow_reader_makes_the_handler_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange_module, "MAX_QUEUED", 10)
    answered = await ask(make().asgi(), **call("steps", {"count": 100}, meta=TOKEN))
    assert [event.message["params"]["progress"] for event in answered.events[:-1]] == list(range(1, 101))


@pytest.mark.parametrize("meta", [{}, TOKEN])
async def test_a_client_that_leaves_cancels_its_call(meta: dict[str, Any]) -> None:
    gate = Gate()
    server = make().tool("gate", {"run": gate.run_aloud})
    app = server.asgi()
    async with asking(app, **call("gate", meta=meta)) as one:
        with anyio.fail_after(20):
            await gate.started.wait()
            if meta:
                await one.until_events(1)
            before = one.body
            one.disconnect()
            await gate.cancelled.wait()
    assert gate.reason == "the client has disconnected"
    assert one.body == before
    assert one.status == (200 if meta else 499)
    assert (await ask(app, **call("echo"))).json["result"]  # and the next is served


async def test_a_client_that_leaves_before_its_body_has_come_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    for chunks in ([], [b"{", b"\n"]):
        one = exchange(make().asgi(), chunks=list(chunks))
        one._more = True
        one.disconnect()
        await one.run()
        assert (one.status, one.body) == (499, b"")
    assert caplog.text == ""


async def test_a_thread_is_told_that_the_client_has_left() -> None:
    import threading

    started, left = threading.Event(), threading.Event()
    server = pico({"name": "test"})

    @server.tool("thread")
    def run(_: Any, ctx: Any) -> None:
        started.set()
        ctx.signal.wait()
        left.set()

    async with asking(server.asgi(), **call("thread")) as one:
        assert await anyio.to_thread.run_sync(started.wait, 20)
        one.disconnect()
        assert await anyio.to_thread.run_sync(left.wait, 20)


async def test_what_cancels_the_request_from_outside_cancels_the_call() -> None:
    gate = Gate()
    app = make().tool("gate", {"run": gate.run}).asgi()
    async with anyio.create_task_group() as tasks:

        async def one() -> None:
            await ask(app, **call("gate"))
            raise AssertionError("it was not cancelled")

        tasks.start_soon(one)
        with anyio.fail_after(20):
            await gate.started.wait()
        tasks.cancel_scope.cancel()
    assert gate.cancelled.is_set()
    assert (await ask(app, **call("echo"))).json["result"]


async def test_a_handler_sees_the_headers_of_its_request() -> None:
    answered = await ask(make().asgi(), **call("headers", headers={"X-Tenant": "a"}))
    assert answered.json["result"]["structuredContent"]["x-tenant"] == "a"


async def test_what_is_sent_for_a_crash_says_nothing_of_it_but_its_message() -> None:
    answered = await ask(make().asgi(), **call("crash"))
    assert answered.json["result"]["content"][0]["text"] == "secret"
    hidden = await ask(make(maskErrors=True).asgi(), **call("crash"))
    assert b"secret" not in hidden.body


async def test_close_stream_does_nothing_here() -> None:
    server = pico({"name": "test"})

    @server.tool("close")
    async def close(_: Any, ctx: Context) -> str:
        await ctx.close_stream(100)
        return "still here"

    assert (await ask(server.asgi(), **call("close"))).json["result"]["content"][0]["text"] == "still here"
    result = await server.call("close")
    assert result["content"][0]["text"] == "still here"
