"""What nothing a handler does may do: cost a reply, end the process, hold the exit, or pile up."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from msgspec import Raw

from picomcp_py import ConfigError, Context, McpError, ToolError, pico
from picomcp_py.log import log
from picomcp_py.running.runtime import open_runtime
from picomcp_py.running.threads import Job, Workers
from tests.peer import MODERN, connected, text_of

pytestmark = pytest.mark.anyio


def server(**options: Any) -> Any:
    return pico({"name": "test", **options})


class Mute(ToolError):
    def __str__(self) -> str:
        raise AttributeError("left")


def deep_group(levels: int) -> BaseException:
    error: Exception = ValueError("inner")
    for _ in range(levels):
        error = ExceptionGroup("g", [error, ValueError("beside")])
    return error


@pytest.mark.parametrize(("error", "text"), [(Mute(), "Mute"), (deep_group(2000), "inner\nbeside")])
async def test_an_exception_that_can_hardly_be_told_is_still_an_answer(error: Exception, text: str) -> None:
    async def fail() -> None:
        raise error

    async with connected(server().tool("t", {"run": fail})) as peer:
        result = await peer.call("t")
        assert result["isError"] is True
        assert text_of(result).startswith(text)


async def test_a_log_handler_that_raises_costs_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def emit(*args: Any, **kwargs: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(log(), "error", emit)
    assert text_of(await server().tool("t", {"run": lambda: 1 / 0}).call("t")) == "division by zero"


@pytest.mark.parametrize(
    ("report", "fault"),
    [
        (lambda ctx: ctx.progress(Fraction(1, 2)), "progress must be a finite int or float"),
        (lambda ctx: ctx.progress(Decimal("0.5")), "progress must be a finite int or float"),
        (lambda ctx: ctx.progress(True), "progress must be a finite int or float"),
        (lambda ctx: ctx.progress(None), "progress must be a finite int or float"),
        (lambda ctx: ctx.progress(1, "2"), "total must be a finite int or float"),
        (lambda ctx: ctx.progress(1, message=object()), "message must be a string, not object"),
        (lambda ctx: ctx.log("info", "x", logger=5), "logger must be a string, not int"),
        (lambda ctx: ctx.log("info", object()), "has no JSON form"),
        (lambda ctx: ctx.log("loud", "x"), "unknown level 'loud'"),
    ],
)
@pytest.mark.parametrize("thread", [True, False])
async def test_a_wrong_argument_of_the_context_raises_in_the_handler(report: Any, fault: str, thread: bool) -> None:
    def run(input: Any, ctx: Any) -> str:
        report(ctx)
        return "went through"

    async with connected(server().tool("t", {"run": run, "thread": thread}), "2025-11-25") as peer:
        assert fault in text_of(await peer.call("t", _meta={"progressToken": 1}))
        assert (await peer.request("ping"))["result"] == {}


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_handler_that_cancels_itself_is_answered() -> None:
    async def run() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    async with connected(server().tool("t", {"run": run})) as peer:
        assert text_of(await peer.call("t")) == "CancelledError"


async def test_an_abort_callback_that_exits_ends_only_itself() -> None:
    started = anyio.Event()

    async def run(input: Any, ctx: Context) -> None:
        def leave() -> None:
            raise SystemExit(3)

        ctx.signal.on_abort(leave)
        started.set()
        await anyio.sleep_forever()

    async with connected(server().tool("t", {"run": run}), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "t"}, id=1)
        await started.wait()
        peer.cancel(1)
        await anyio.wait_all_tasks_blocked()
        assert (await peer.request("ping"))["result"] == {}


async def test_a_line_break_in_a_raw_reaches_no_wire() -> None:
    async def fail() -> None:
        raise McpError(1, "m", Raw(b'{"a":\n1}'))

    async def block() -> Any:
        return {"content": [{"type": "text", "text": "x", "_meta": {"k": Raw(b"[1,\n2]")}}]}

    async with connected(server().tool("fail", {"run": fail}).tool("block", {"run": block})) as peer:
        assert (await peer.request("tools/call", {"name": "fail"}))["error"]["data"] == {"a": 1}
        assert (await peer.call("block"))["content"][0]["_meta"] == {"k": [1, 2]}


async def test_parallel_calls_in_process_do_not_end_each_other() -> None:
    go = anyio.Event()

    async def slow() -> str:
        await go.wait()
        return "slow"

    s = server().tool("slow", {"run": slow}).tool("fast", {"run": lambda: "fast"})
    results: list[str] = []

    async def call(name: str) -> None:
        results.append(text_of(await s.call(name)))

    async with anyio.create_task_group() as group:
        group.start_soon(call, "fast")
        group.start_soon(call, "slow")
        while results != ["fast"]:
            await anyio.lowlevel.checkpoint()
        go.set()
    assert results == ["fast", "slow"]


async def test_a_handler_calls_another_tool_within_the_same_lifespan() -> None:
    opened: list[str] = []

    @asynccontextmanager
    async def lifespan(s: Any) -> AsyncIterator[str]:
        opened.append("open")
        yield "state"

    s = server(lifespan=lifespan).tool("inner", {"run": lambda input, ctx: ctx.state})

    async def outer() -> str:
        return "outer " + text_of(await s.call("inner"))

    s.tool("outer", {"run": outer})
    assert text_of(await s.call("outer")) == "outer state"
    assert opened == ["open"]


async def test_a_def_handler_may_run_a_loop_of_its_own() -> None:
    s = server().tool("inner", {"run": lambda: "inner"})
    s.tool("outer", {"run": lambda: text_of(anyio.run(s.call, "inner"))})
    async with connected(s) as peer:
        assert text_of(await peer.call("outer")) == "inner"


async def test_calling_in_the_servers_own_lifespan_is_an_error() -> None:
    @asynccontextmanager
    async def lifespan(s: Any) -> AsyncIterator[None]:
        await s.call("t")
        yield

    with pytest.raises(ConfigError, match="in the server's own lifespan"):
        await server(lifespan=lifespan).tool("t", {"run": lambda: "x"}).call("t")


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_timeout_is_answered_at_once_and_cancels_once() -> None:
    cancels, ended = 0, anyio.Event()

    async def stubborn() -> str:
        nonlocal cancels
        for _ in range(3):
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                cancels += 1
        ended.set()
        return "late"

    async with connected(server().tool("t", {"run": stubborn, "timeout": 0.01})) as peer:
        assert "timed out" in text_of(await peer.call("t"))
        assert not ended.is_set()
        await ended.wait()
        await anyio.wait_all_tasks_blocked()
        assert cancels == 1
        assert len([m for m in peer.messages if "id" in m]) == 1


async def test_at_a_timeout_the_signal_has_fired_when_the_handler_cleans_up() -> None:
    seen: list[Any] = []

    async def run(input: Any, ctx: Context) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            seen.append((ctx.signal.aborted, ctx.signal.reason))

    await server().tool("t", {"run": run, "timeout": 0.01}).call("t")
    assert seen == [(True, "timeout")]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_handler_that_swallows_every_cancel_holds_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("picomcp_py.running.backend_asyncio.GRACE", 0.05)
    started, release = anyio.Event(), asyncio.Event()

    async def stubborn() -> None:
        started.set()
        while not release.is_set():
            with suppress(asyncio.CancelledError):
                await release.wait()

    s = server().tool("t", {"run": stubborn})
    with anyio.fail_after(20):
        async with connected(s) as peer:
            peer.start("tools/call", {"name": "t"})
            await started.wait()
    release.set()
    await asyncio.sleep(0)


def test_a_thread_that_cannot_be_started_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    workers, ran = Workers(), []
    done = threading.Event()

    def refuse(self: Any) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            workers.submit(Job(lambda: ran.append("first"), (), done.set))
    workers.submit(Job(lambda: ran.append("second"), (), done.set))
    assert done.wait(20)
    assert ran == ["second"]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_call_whose_runtime_closes_before_its_first_step_ends() -> None:
    s = server().tool("t", {"run": anyio.sleep_forever})
    outcome: list[str] = []

    async def call() -> None:
        try:
            await s.call("t")
        except McpError as error:
            outcome.append(error.message)

    with anyio.fail_after(20):
        async with open_runtime(s._app, s):
            task = asyncio.create_task(call())
            await asyncio.sleep(0)
        await task
    assert outcome == ['Tool "t" was cancelled: the server is stopping']


async def test_calls_cancelled_while_they_wait_for_the_client_are_gone() -> None:
    async with connected(server().tool("t", {"run": lambda: "x"}), "2025-11-25") as peer:
        peer.connection.wire.full = True  # type: ignore[misc]  # a client that doesn't read
        for id in range(100):
            peer.start("tools/call", {"name": "t"}, id=id)
            peer.cancel(id)
        assert (len(peer.connection.calls), len(peer.connection.waiting)) == (0, 0)


async def test_an_idle_worker_keeps_nothing_of_the_call_alive() -> None:
    class Value:
        pass

    kept: list[Any] = []

    def run() -> str:
        value = Value()
        kept.append(weakref.ref(value))
        threading.current_thread().value = value  # type: ignore[attr-defined]  # then taken away again
        del threading.current_thread().value  # type: ignore[attr-defined]
        return "x"

    async with connected(server().tool("t", {"run": run})) as peer:
        await peer.call("t")
    gc.collect()
    assert kept[0]() is None


async def test_meta_is_read_without_the_arguments_and_once() -> None:
    async def run(input: Any, ctx: Context) -> str:
        assert ctx.meta is ctx.meta
        return ctx.meta["k"]

    async with connected(server().tool("t", {"run": run}), "2025-11-25") as peer:
        params = b'{"name":"t","arguments":{"a":1e999},"_meta":{"k":"v"}}'
        peer.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % params)
        assert text_of((await peer.reply(1))["result"]) == "v"


async def test_waiting_for_the_signal_can_be_a_task_and_leaves_nothing() -> None:
    async def run(input: Any, ctx: Context) -> int:
        for _ in range(10):
            with anyio.move_on_after(0):
                await ctx.signal.wait()
        async with anyio.create_task_group() as group:
            group.start_soon(ctx.signal.wait)
            await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        return len(ctx.signal._callbacks)

    assert text_of(await server().tool("t", {"run": run}).call("t")) == "0"


async def test_large_arguments_are_validated_in_a_thread() -> None:
    threads: list[int] = []

    class Standard:
        vendor = "test"

        @property
        def __standard_schema__(self) -> Any:
            return self

        def validate(self, value: Any) -> Any:
            from picomcp_py import Valid

            threads.append(threading.get_ident())
            return Valid(value)

        def json_schema(self, io: str) -> dict[str, Any]:
            return {"type": "object"}

    s = server().tool("t", {"input": Standard(), "run": lambda: "ok"})
    s.tool("here", {"input": Standard(), "run": lambda: "ok", "thread": False})
    await s.call("t", {"a": "x"})
    await s.call("t", {"a": "x" * 300_000})
    await s.call("here", {"a": "x" * 300_000})
    assert [thread == threading.get_ident() for thread in threads] == [True, False, True]


async def test_a_second_initialize_leaves_calls_in_progress_at_their_revision() -> None:
    go = anyio.Event()

    async def run(input: Any, ctx: Context) -> str:
        await go.wait()
        return ctx.request.protocol_version

    async with connected(server().tool("t", {"run": run}), "2025-06-18") as peer:
        call = peer.start("tools/call", {"name": "t"})
        info = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        await peer.request("initialize", info)
        go.set()
        assert text_of((await peer.reply(call))["result"]) == "2025-06-18"


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_whole_floats_are_integers_in_tokens_and_cancellations(revision: str) -> None:
    started = anyio.Event()

    async def run(input: Any, ctx: Context) -> None:
        await ctx.progress(1)
        started.set()
        await anyio.sleep_forever()

    async with connected(server().tool("t", {"run": run}), revision) as peer:
        peer.start("tools/call", {"name": "t", "_meta": {"progressToken": 7.0}}, id=5)
        await started.wait()
        assert peer.notifications("notifications/progress")[0]["progressToken"] == 7
        peer.cancel(5.0)
        assert peer.connection.calls == {}


async def test_a_response_to_what_could_not_be_read_is_ignored() -> None:
    async with connected(server(), "2025-11-25") as peer:
        peer.send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "?"}})
        await peer.request("ping", id="end")
        assert [m["id"] for m in peer.messages] == [1001, "end"]
