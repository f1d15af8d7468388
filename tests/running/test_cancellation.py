"""Cancellation, the end of a connection, and timeouts, on asyncio and trio."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from picomcp_py import Aborted, Context, Signal, SyncContext, pico
from tests.peer import MODERN, connected, text_of

pytestmark = pytest.mark.anyio


def server(**options: Any) -> Any:
    return pico({"name": "test", **options})


# ------------------------------------------------------------ cancellation


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_a_cancelled_async_handler_is_cancelled_at_its_await_and_never_answered(revision: str) -> None:
    started, log = anyio.Event(), []

    async def slow(input: Any, ctx: Context) -> str:
        ctx.signal.on_abort(lambda: log.append("signal"))
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            log.append("cleaned up")
        return "never"

    async with connected(server().tool("slow", {"run": slow}), revision) as peer:
        peer.start("tools/call", {"name": "slow"}, id=9)
        await started.wait()
        peer.cancel(9, "user pressed stop")
        assert "result" in await peer.request("tools/list")
        await anyio.wait_all_tasks_blocked()
        assert log == ["signal", "cleaned up"]
        assert not [m for m in peer.messages if m.get("id") == 9]


async def test_a_handler_that_swallows_its_cancellation_is_not_answered() -> None:
    started, ended = anyio.Event(), anyio.Event()

    async def stubborn() -> str:
        started.set()
        try:
            await anyio.sleep_forever()
        except BaseException:
            ended.set()
            return "I go on"
        return "never"

    async with connected(server().tool("t", {"run": stubborn}), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "t"}, id=9)
        await started.wait()
        peer.cancel(9)
        await ended.wait()
        await peer.request("ping")
        assert not [m for m in peer.messages if m.get("id") == 9]


async def test_a_def_handler_in_a_thread_sees_the_signal() -> None:
    started, seen = threading.Event(), threading.Event()
    reasons: list[str] = []

    def slow(input: Any, ctx: SyncContext) -> None:
        started.set()
        ctx.signal.wait()
        reasons.append(ctx.signal.reason)
        try:
            ctx.signal.raise_if_aborted()
        except Aborted as error:
            reasons.append(str(error))
            seen.set()
            raise

    async with connected(server().tool("slow", {"run": slow}), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "slow"}, id=9)
        await anyio.to_thread.run_sync(started.wait, 20)
        peer.cancel(9, "enough")
        await anyio.to_thread.run_sync(seen.wait, 20)
        assert reasons == ["enough", "enough"]
        await peer.request("ping")
        assert not [m for m in peer.messages if m.get("id") == 9]


async def test_a_call_cancelled_before_its_task_started_never_runs_and_frees_its_id() -> None:
    ran: list[str] = []

    async def run(input: Any) -> str:
        await anyio.lowlevel.checkpoint()
        ran.append(input["who"])
        return input["who"]

    async with connected(server().tool("t", {"run": run, "input": {"type": "object"}}), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "t", "arguments": {"who": "first"}}, id=9)
        peer.cancel(9)
        peer.start("tools/call", {"name": "t", "arguments": {"who": "second"}}, id=9)
        assert text_of((await peer.reply(9))["result"]) == "second"
        assert ran == ["second"]


async def test_a_signal_asked_for_after_the_cancellation_has_fired() -> None:
    started, result = anyio.Event(), []

    async def slow(input: Any, ctx: Context) -> None:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            ctx.signal.on_abort(lambda: result.append("at once"))
            result.append((ctx.signal.aborted, ctx.signal.reason))

    async with connected(server().tool("slow", {"run": slow}), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "slow"}, id=9)
        await started.wait()
        peer.cancel(9, "why")
        await anyio.wait_all_tasks_blocked()
        assert result == ["at once", (True, "why")]


async def test_awaiting_the_signal_and_taking_a_callback_back() -> None:
    calls: list[str] = []
    signals: list[Signal] = []

    async def slow(input: Any, ctx: Context) -> None:
        forget = ctx.signal.on_abort(lambda: calls.append("forgotten"))
        forget()
        ctx.signal.on_abort(lambda: 1 / 0)  # a failing callback stops nothing
        ctx.signal.on_abort(lambda: calls.append("kept"))
        signals.append(ctx.signal)
        await anyio.sleep_forever()

    async def wait() -> None:
        await signals[0].wait()
        calls.append("woken")

    async with (
        connected(server().tool("slow", {"run": slow}), "2025-11-25") as peer,
        anyio.create_task_group() as group,
    ):
        peer.start("tools/call", {"name": "slow"}, id=9)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        peer.cancel(9)
        await anyio.wait_all_tasks_blocked()
        assert calls == ["kept", "woken"]


async def test_closing_the_connection_cancels_what_runs() -> None:
    started, ended = anyio.Event(), anyio.Event()

    async def slow() -> None:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    async with connected(server().tool("slow", {"run": slow})) as peer:
        peer.start("tools/call", {"name": "slow"})
        await started.wait()
        peer.connection.close("gone")
        await ended.wait()


async def test_finish_answers_what_was_accepted_and_cancels_the_rest() -> None:
    go, ended = anyio.Event(), anyio.Event()

    async def short() -> str:
        await go.wait()
        return "answered"

    async def endless() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    async with connected(server().tool("short", {"run": short}).tool("endless", {"run": endless})) as peer:
        first = peer.start("tools/call", {"name": "short"})
        go.set()
        await peer.connection.finish(20)
        assert text_of((await peer.reply(first))["result"]) == "answered"
        last = peer.start("tools/call", {"name": "endless"})
        await anyio.wait_all_tasks_blocked()
        await peer.connection.finish(0.01)
        await ended.wait()
        assert not [m for m in peer.messages if m["id"] == last]


async def test_cancelling_one_call_of_a_batch_leaves_the_others_answered() -> None:
    started = anyio.Event()

    async def slow() -> None:
        started.set()
        await anyio.sleep_forever()

    async with connected(server().tool("slow", {"run": slow}), "2025-03-26") as peer:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}}
        peer.send([call, {"jsonrpc": "2.0", "id": 2, "method": "ping"}])
        await started.wait()
        peer.cancel(1)
        assert await peer.until(lambda m: isinstance(m, list)) == [{"jsonrpc": "2.0", "id": 2, "result": {}}]


# ------------------------------------------------------------ timeouts


@pytest.mark.parametrize("kind", ["async", "thread"])
async def test_a_timeout_is_a_tool_error_and_fires_the_signal(kind: str) -> None:
    fired = threading.Event()

    async def slow(input: Any, ctx: Context) -> None:
        ctx.signal.on_abort(fired.set)
        await anyio.sleep_forever()

    def block(input: Any, ctx: SyncContext) -> None:
        ctx.signal.wait()
        fired.set()

    s = server().tool("t", {"run": slow if kind == "async" else block, "timeout": 0.05})
    result = await s.call("t")
    assert result["isError"] is True
    assert text_of(result) == 'Tool "t" timed out after 0.05 seconds.'
    assert await anyio.to_thread.run_sync(fired.wait, 20)
