"""What a handler lives in: task, context variables, thread, lifespan, loops, on asyncio and trio."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from picomcp_py import Context, McpError, pico
from tests.peer import connected, text_of

pytestmark = pytest.mark.anyio


def server(**options: Any) -> Any:
    return pico({"name": "test", **options})


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
    with pytest.raises(McpError, match="arguments must be an object"):
        await s.call("t", [1])


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
