"""Running handlers: order, errors, cancellation, timeouts, threads, context variables, on asyncio and trio."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from picomcp_py import Aborted, Context, McpError, Signal, SyncContext, ToolError, pico
from tests.peer import EVERY, MODERN, connected, text_of

pytestmark = pytest.mark.anyio


def server(**options: Any) -> Any:
    return pico({"name": "test", **options})


# ------------------------------------------------------------ awaitables


class Awaitable:
    def __await__(self) -> Any:
        yield from anyio.lowlevel.checkpoint().__await__()
        return "awaited"


class AsyncCallable:
    async def __call__(self) -> str:
        return "awaited"


class Holder:
    async def method(self) -> str:
        return "awaited"

    @staticmethod
    async def static() -> str:
        return "awaited"


async def plain() -> str:
    return "awaited"


@pytest.mark.parametrize(
    "run",
    [
        plain,
        AsyncCallable(),
        functools.partial(plain),
        functools.partial(functools.partial(plain)),
        lambda: plain(),
        lambda: Awaitable(),
        Holder().method,
        Holder.static,
    ],
)
@pytest.mark.parametrize("thread", [True, False])
async def test_whatever_gives_an_awaitable_is_awaited(run: Any, thread: bool) -> None:
    result = await server().tool("t", {"run": run, "thread": thread}).call("t")
    assert text_of(result) == "awaited"


# ------------------------------------------------------------ order


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_replies_come_in_the_order_of_completion(revision: str) -> None:
    go = anyio.Event()

    async def slow() -> str:
        await go.wait()
        return "slow"

    async def fast() -> str:
        return "fast"

    s = server().tool("slow", {"run": slow}).tool("fast", {"run": fast})
    async with connected(s, revision) as peer:
        first = peer.start("tools/call", {"name": "slow"})
        assert text_of(await peer.call("fast")) == "fast"
        go.set()
        assert text_of((await peer.reply(first))["result"]) == "slow"


async def test_blocking_handlers_run_side_by_side_and_freeze_nothing() -> None:
    together = threading.Barrier(3, timeout=20)  # passes only if two handlers and the test are at it at once

    def wait() -> str:
        together.wait()
        return "done"

    async with connected(server().tool("wait", {"run": wait}), "2025-11-25") as peer:
        first = peer.start("tools/call", {"name": "wait"})
        second = peer.start("tools/call", {"name": "wait"})
        assert (await peer.request("ping"))["result"] == {}
        await anyio.to_thread.run_sync(together.wait)
        assert text_of((await peer.reply(first))["result"]) == "done"
        assert text_of((await peer.reply(second))["result"]) == "done"


async def test_a_second_request_with_an_id_in_flight_is_refused_and_the_first_is_answered() -> None:
    go = anyio.Event()

    async def slow(input: Any) -> str:
        await go.wait()
        return "A"

    async with connected(server().tool("slow", {"run": slow}), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "slow"}, id=5)
        peer.start("tools/call", {"name": "slow"}, id=5)
        refusal = await peer.reply(5)
        assert refusal["error"]["code"] == -32600
        peer.messages.remove(refusal)
        peer.start("tools/call", {"name": "slow"}, id="5")  # another id: ids keep their type
        go.set()
        assert text_of((await peer.reply(5))["result"]) == "A"
        assert text_of((await peer.reply("5"))["result"]) == "A"
        peer.messages.clear()
        assert text_of((await peer.request("tools/call", {"name": "slow"}, id=5))["result"]) == "A"


async def test_the_number_of_calls_in_flight_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("picomcp_py.connection.MAX_IN_FLIGHT", 2)
    go = anyio.Event()
    async with connected(server().tool("slow", {"run": go.wait}), "2025-11-25") as peer:
        ids = [peer.start("tools/call", {"name": "slow"}) for _ in range(3)]
        assert "wait for their answers" in (await peer.reply(ids[2]))["error"]["message"]
        go.set()
        assert "result" in await peer.reply(ids[0])
        assert "result" in await peer.request("tools/call", {"name": "slow"})


# ------------------------------------------------------------ errors


class Silent(Exception):
    pass


class Broken(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("No user with id 5. Call list_users."), "No user with id 5. Call list_users."),
        (ToolError("Try again."), "Try again."),
        (TimeoutError(), "TimeoutError"),
        (KeyError("id"), "KeyError: 'id'"),
        (AssertionError(), "AssertionError"),
        (Silent("  "), "Silent"),
        (Broken(), "Broken"),
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit(), "GeneratorExit"),
        (asyncio.CancelledError(), "CancelledError"),
        (StopAsyncIteration(), "StopAsyncIteration"),
        (ExceptionGroup("g", [ValueError("inner")]), "inner"),
        (ExceptionGroup("g", [ValueError("one"), OSError("two")]), "one\ntwo"),
    ],
)
@pytest.mark.parametrize("kind", ["async", "thread", "inline"])
async def test_whatever_a_handler_raises_is_its_answer(error: BaseException, text: str, kind: str) -> None:
    def fail() -> None:
        raise error

    async def fail_later() -> None:
        raise error

    s = server().tool("t", {"run": fail_later if kind == "async" else fail, "thread": kind != "inline"})
    async with connected(s) as peer:
        result = await peer.call("t")
        assert result["isError"] is True
        assert text_of(result) == text
        assert (await peer.request("tools/list"))["result"], "still alive"


@pytest.mark.parametrize("thread", [True, False])
async def test_stop_iteration_too(thread: bool) -> None:
    def fail() -> None:
        raise StopIteration

    assert "StopIteration" in text_of(await server().tool("t", {"run": fail, "thread": thread}).call("t"))


async def test_the_traceback_goes_to_the_log_and_not_to_the_client(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("visible")

    result = await server().tool("t", {"run": fail}).call("t")
    assert "Traceback" not in str(result)
    (record,) = [r for r in caplog.records if r.name == "picomcp_py"]
    assert record.exc_info
    assert record.exc_info[0] is ValueError


async def test_mask_errors_hides_all_but_tool_errors_and_protocol_errors() -> None:
    def secret() -> None:
        raise ValueError("password=1234")

    def told() -> None:
        raise ToolError("Say please.")

    def protocol() -> None:
        raise McpError(1, "no access")

    s = server(maskErrors=True).tool("a", {"run": secret}).tool("b", {"run": told}).tool("c", {"run": protocol})
    assert text_of(await s.call("a")) == 'Tool "a" failed. The reason is in the server\'s log.'
    assert text_of(await s.call("b")) == "Say please."
    with pytest.raises(McpError, match="no access"):
        await s.call("c")


@pytest.mark.parametrize("revision", EVERY)
async def test_mcp_error_is_the_json_rpc_error(revision: str) -> None:
    async def fail() -> None:
        raise McpError(-32001, "Not authorised for this workspace", {"workspace": "w"})

    async with connected(server().tool("t", {"run": fail}), revision) as peer:
        reply = await peer.request("tools/call", {"name": "t"}, id=1)
        assert reply == {
            "jsonrpc": "2.0",
            "id": 1,
            "error": {"code": -32001, "message": "Not authorised for this workspace", "data": {"workspace": "w"}},
        }


async def test_mcp_error_passes_through_a_task_group_and_survives_data_that_is_no_json() -> None:
    async def fail() -> None:
        async with anyio.create_task_group():
            raise McpError(5, "bad", object())

    async with connected(server().tool("t", {"run": fail})) as peer:
        reply = await peer.request("tools/call", {"name": "t"})
        assert reply["error"]["code"] == 5
        assert reply["error"]["message"].startswith("bad (its data could not be encoded")


async def test_asking_for_the_loop_in_a_thread_gets_a_hint() -> None:
    def run() -> None:
        asyncio.get_running_loop()

    assert "Make it async def, or set" in text_of(await server().tool("t", {"run": run}).call("t"))


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


# ------------------------------------------------------------ what works inside a handler


async def test_cancel_scopes_and_task_groups_work_inside_a_handler() -> None:
    async def run() -> list[str]:
        got = []
        try:
            with anyio.fail_after(0.01):
                await anyio.sleep_forever()
        except TimeoutError:
            got.append("fail_after")
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep, 0)
        got.append("task group")
        with anyio.CancelScope() as scope:
            scope.cancel()
            await anyio.sleep_forever()
        got.append("scope")
        return got

    async with connected(server().tool("t", {"run": run})) as peer:
        assert text_of(await peer.call("t")) == '["fail_after","task group","scope"]'


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_asyncio_timeouts_and_task_groups_work_inside_a_handler() -> None:
    async def run() -> list[str]:
        got = []
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(3600)
        except TimeoutError:
            got.append("timeout")
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0))
        got.append("TaskGroup")
        task = asyncio.current_task()
        assert task is not None
        got.append(str(task.cancelling()))
        return got

    async with connected(server().tool("t", {"run": run})) as peer:
        assert text_of(await peer.call("t")) == '["timeout","TaskGroup","0"]'


VAR: contextvars.ContextVar[str] = contextvars.ContextVar("VAR", default="unset")


@pytest.mark.parametrize("kind", ["async", "thread", "inline"])
async def test_a_context_variable_set_in_one_call_is_unseen_in_the_next_and_by_the_caller(kind: str) -> None:
    def swap() -> str:
        before = VAR.get()
        VAR.set("leaked")
        return before

    async def swap_later() -> str:
        before = swap()
        await anyio.lowlevel.checkpoint()
        assert VAR.get() == "leaked"
        return before

    s = server().tool("t", {"run": swap_later if kind == "async" else swap, "thread": kind != "inline"})
    async with connected(s) as peer:
        assert [text_of(await peer.call("t")) for _ in range(3)] == ["unset"] * 3
    assert VAR.get() == "unset"
    assert text_of(await s.call("t")) == "unset"
    assert VAR.get() == "unset"


async def test_variables_of_the_caller_are_seen_and_those_set_in_the_thread_go_on_into_the_awaitable() -> None:
    def start() -> Any:
        VAR.set(VAR.get() + " and thread")

        async def rest() -> str:
            return VAR.get()

        return rest()

    token = VAR.set("caller")
    try:
        assert text_of(await server().tool("t", {"run": start}).call("t")) == "caller and thread"
    finally:
        VAR.reset(token)


async def test_with_thread_false_a_def_handler_runs_in_the_loops_thread() -> None:
    s = server().tool("in", {"run": lambda: threading.get_ident(), "thread": False})
    s.tool("out", {"run": lambda: threading.get_ident()})
    assert text_of(await s.call("in")) == str(threading.get_ident())
    assert text_of(await s.call("out")) != str(threading.get_ident())


# ------------------------------------------------------------ in process and lifespan


async def test_server_call_gives_the_plain_result_and_raises_protocol_errors() -> None:
    s = server().tool("t", {"run": lambda input, ctx: {"meta": ctx.meta, "revision": ctx.request.protocol_version}})
    result = await s.call("t", {}, meta={"trace": "x"})
    assert result == {
        "content": [{"type": "text", "text": '{"meta":{"trace":"x"},"revision":""}'}],
        "structuredContent": {"meta": {"trace": "x"}, "revision": ""},
    }
    with pytest.raises(McpError, match="Unknown tool: nope") as caught:
        await s.call("nope")
    assert caught.value.code == -32602


async def test_cancelling_server_call_cancels_the_handler() -> None:
    ended: list[str] = []

    async def slow(input: Any, ctx: Context) -> None:
        ctx.signal.on_abort(lambda: ended.append("signal"))
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("cancelled")

    with anyio.move_on_after(0.05):
        await server().tool("slow", {"run": slow}).call("slow")
    assert sorted(ended) == ["cancelled", "signal"]


async def test_the_lifespan_value_is_the_state_and_lives_as_long_as_serving() -> None:
    log: list[str] = []

    @asynccontextmanager
    async def lifespan(s: Any) -> AsyncIterator[dict[str, str]]:
        log.append(f"open {s.name}")
        yield {"db": "connected"}
        log.append("close")

    s = server(lifespan=lifespan).tool("t", {"run": lambda input, ctx: ctx.state["db"]})
    async with connected(s) as peer:
        assert text_of(await peer.call("t")) == "connected"
        assert text_of(await s.call("t")) == "connected"
        assert log == ["open test"], "a call in process shares the open lifespan"
    assert log == ["open test", "close"]


async def test_a_call_in_process_alone_opens_the_lifespan_for_itself() -> None:
    log: list[str] = []

    @asynccontextmanager
    async def lifespan(s: Any) -> AsyncIterator[None]:
        log.append("open")
        yield
        log.append("close")

    s = server(lifespan=lifespan).tool("t", {"run": lambda: "x"})
    await s.call("t")
    assert log == ["open", "close"]


def test_one_server_works_in_successive_and_parallel_loops() -> None:
    s = server().tool("t", {"run": lambda input, ctx: str(ctx.request.id)})

    async def main() -> None:
        for _ in range(20):
            await s.call("t")
        async with connected(s, "2025-11-25") as peer:
            assert text_of(await peer.call("t"))

    for backend in ("asyncio", "trio", "asyncio"):
        anyio.run(main, backend=backend)
    failures: list[BaseException] = []

    def loop(backend: str) -> None:
        try:
            anyio.run(main, backend=backend)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=loop, args=(b,)) for b in ("asyncio", "trio") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert s._app.runtimes == {}


async def test_the_root_logger_is_left_alone() -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    await server().tool("t", {"run": lambda: "x"}).call("t")
    assert (list(root.handlers), root.level) == before


async def test_a_call_that_waits_for_the_client_to_read_can_be_cancelled() -> None:
    ran: list[str] = []
    s = server().tool("t", {"run": lambda input: ran.append("ran"), "thread": False})
    async with connected(s, "2025-11-25") as peer:
        wire = peer.connection.wire
        wire.full = True  # type: ignore[misc]  # a client that doesn't read
        peer.start("tools/call", {"name": "t"}, id=1)
        peer.start("tools/call", {"name": "t"}, id=2)
        peer.cancel(1)
        assert (await peer.request("ping"))["result"] == {}
        assert ran == []
        wire.full = False  # type: ignore[misc]  # it reads again
        peer.connection.room()
        assert (await peer.reply(2))["result"]["content"] == []
        assert ran == ["ran"]
