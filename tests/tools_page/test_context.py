"""Cancellation and metadata, as the page has them."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest

from picomcp_py import Context, SyncContext, pico
from tests.peer import EVERY, MODERN, connected, text_of
from tests.tools_page.manifest import covers

pytestmark = pytest.mark.anyio


def answers(peer: Any, id: Any) -> list[Any]:
    return [message for message in peer.messages if message.get("id") == id]


@covers("A1", "F34")
async def test_the_second_argument_has_a_signal_which_has_not_fired() -> None:
    def run(input: Any, ctx: SyncContext) -> str:
        return f"{ctx.signal.aborted} {ctx.signal.reason!r}"

    assert text_of(await pico({"name": "s"}).tool("t", {"run": run}).call("t")) == "False ''"


@covers("A2", "A5", "F31", "F32")
@pytest.mark.parametrize("revision", EVERY)
async def test_cancelled_fires_the_signal_of_an_async_handler_and_nothing_is_answered(revision: str) -> None:
    started, ended = anyio.Event(), anyio.Event()
    seen: list[Any] = []

    async def run(input: Any, ctx: Context) -> str:
        ctx.signal.on_abort(lambda: seen.append("fired"))
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            seen.append(ctx.signal.aborted)
            ended.set()
        return "never"

    async with connected(pico({"name": "s"}).tool("slow", {"run": run}), revision) as peer:
        peer.start("tools/call", {"name": "slow"}, id="x")
        await started.wait()
        peer.cancel("x")
        await ended.wait()
        await anyio.wait_all_tasks_blocked()
        assert "result" in await peer.request("tools/list")
        assert seen == ["fired", True]
        assert answers(peer, "x") == []


@covers("A2", "A5", "F31", "F32")
@pytest.mark.parametrize("revision", EVERY)
async def test_cancelled_fires_the_signal_of_a_def_handler_and_nothing_is_answered(revision: str) -> None:
    started, ended = threading.Event(), threading.Event()
    seen: list[Any] = []

    def run(input: Any, ctx: SyncContext) -> str:
        started.set()
        ctx.signal.wait()
        seen.append(ctx.signal.aborted)
        ended.set()
        return "too late"

    async with connected(pico({"name": "s"}).tool("slow", {"run": run}), revision) as peer:
        peer.start("tools/call", {"name": "slow"}, id=7)
        assert await anyio.to_thread.run_sync(started.wait, 20)
        peer.cancel(7)
        assert await anyio.to_thread.run_sync(ended.wait, 20)
        assert "result" in await peer.request("tools/list")
        assert seen == [True]
        assert answers(peer, 7) == []


@covers("A3")
@pytest.mark.parametrize("revision", EVERY)
async def test_the_handler_can_read_why(revision: str) -> None:
    started, ended = anyio.Event(), anyio.Event()
    reasons: list[str] = []

    async def run(input: Any, ctx: Context) -> None:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            reasons.append(ctx.signal.reason)
            ended.set()

    async with connected(pico({"name": "s"}).tool("slow", {"run": run}), revision) as peer:
        peer.start("tools/call", {"name": "slow"}, id=1)
        await started.wait()
        peer.cancel(1, "the user pressed stop")
        await ended.wait()
    assert reasons == ["the user pressed stop"]


class Download:
    """Something that can be aborted from outside, as a response of an HTTP client can be closed."""

    def __init__(self) -> None:
        self.closed = threading.Event()

    def read(self) -> str:
        if self.closed.wait(20):
            raise OSError("closed while reading")
        return "all of it"


@covers("A4")
@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_the_signal_aborts_what_a_def_handler_waits_for(revision: str) -> None:
    started, download, errors = threading.Event(), Download(), []

    def run(input: Any, ctx: SyncContext) -> str:
        ctx.signal.on_abort(download.closed.set)
        started.set()
        try:
            return download.read()
        except OSError as error:
            errors.append(str(error))
            raise
        finally:
            ended.set()

    ended = threading.Event()
    async with connected(pico({"name": "s"}).tool("fetch", {"run": run}), revision) as peer:
        peer.start("tools/call", {"name": "fetch"}, id=1)
        assert await anyio.to_thread.run_sync(started.wait, 20)
        peer.cancel(1)
        assert await anyio.to_thread.run_sync(ended.wait, 20)
        assert "result" in await peer.request("tools/list")
        assert errors == ["closed while reading"]
        assert answers(peer, 1) == []


@covers("A5", "F32")
async def test_cancelling_one_call_leaves_the_others_answered() -> None:
    started, go = anyio.Event(), anyio.Event()

    async def run(input: Any) -> str:
        started.set()
        await go.wait()
        return "done"

    async with connected(pico({"name": "s"}).tool("slow", {"run": run}), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "slow"}, id=1)
        peer.start("tools/call", {"name": "slow"}, id=2)
        await started.wait()
        peer.cancel(1)
        go.set()
        assert text_of((await peer.reply(2))["result"]) == "done"
        assert answers(peer, 1) == []


@covers("M1", "F33")
@pytest.mark.parametrize("revision", EVERY)
async def test_meta_is_what_the_client_sent(revision: str) -> None:
    metas: list[Any] = []
    server = pico({"name": "s"}).tool("t", {"run": lambda input, ctx: metas.append(ctx.meta)})
    sent = {"com.example/a": {"b": [1, None, "ö"]}}
    async with connected(server, revision) as peer:
        await peer.call("t", {}, _meta=sent)
        await peer.call("t", {})
    assert {key: value for key, value in metas[0].items() if key in sent} == sent
    if revision != MODERN:  # there each request has a _meta
        assert metas == [sent, {}]


@covers("M1", "F33")
async def test_meta_of_a_call_in_process() -> None:
    server = pico({"name": "s"}).tool("t", {"run": lambda input, ctx: ctx.meta})
    assert (await server.call("t", {}, meta={"a": 1}))["structuredContent"] == {"a": 1}


@covers("M2")
@pytest.mark.parametrize("revision", EVERY)
async def test_a_trace_and_a_progress_token_arrive_and_the_token_is_used(revision: str) -> None:
    metas: list[Any] = []

    async def run(input: Any, ctx: Context) -> str:
        metas.append(ctx.meta)
        await ctx.progress(1, 2)
        return "done"

    trace = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
    async with connected(pico({"name": "s"}).tool("t", {"run": run}), revision) as peer:
        assert text_of(await peer.call("t", {}, _meta={"traceparent": trace, "progressToken": "p1"})) == "done"
        assert (metas[0]["traceparent"], metas[0]["progressToken"]) == (trace, "p1")
        (progress,) = peer.notifications("notifications/progress")
        assert progress == {"progressToken": "p1", "progress": 1, "total": 2}
