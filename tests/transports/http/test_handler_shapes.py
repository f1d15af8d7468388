"""Handlers run in the task of their request; whatever they do in their first step holds when they go on."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
from collections.abc import Awaitable, Callable, Generator
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from picomcp_py import Context, pico
from tests.transports.http.driver import ask, asking, call, tool_call
from tests.transports.http.servers import Gate

pytestmark = pytest.mark.anyio
on_asyncio = pytest.mark.parametrize("anyio_backend", ["asyncio"])

variable: ContextVar[str] = ContextVar("variable", default="unset")

OLD: dict[str, str | None] = {"MCP-Protocol-Version": "2025-11-25"}


def app_of(run: Callable[..., Any], **config: Any) -> Any:
    server = pico({"name": "shapes", "version": "1"})
    server.tool("t", {"run": run, **config})
    return server.asgi({"sessions": False})


async def text_of(run: Callable[..., Any]) -> str:
    """What both eras are told, without a warning of a coroutine that was never awaited."""
    app = app_of(run)
    new = (await ask(app, **call("t"))).json["result"]["content"][0]["text"]
    old = (await ask(app, tool_call("t"), headers=OLD)).json["result"]["content"][0]["text"]
    assert new == old
    gc.collect()
    return str(new)


async def at_once(_: Any) -> str:
    return "done"


async def several_waits(_: Any) -> str:
    for _step in range(5):
        await anyio.lowlevel.checkpoint()
    return "done"


async def scope_in_the_first_step(_: Any) -> str:
    with anyio.move_on_after(0.01) as scope:
        await anyio.sleep_forever()
    await anyio.lowlevel.checkpoint()
    return "done" if scope.cancelled_caught else "not cancelled"


async def scope_that_is_left(_: Any) -> str:
    with anyio.fail_after(10):
        await anyio.lowlevel.checkpoint()
    return "done"


async def task_group_in_the_first_step(_: Any) -> str:
    found: list[str] = []

    async def add(text: str) -> None:
        await anyio.lowlevel.checkpoint()
        found.append(text)

    async with anyio.create_task_group() as tasks:
        for text in ("do", "ne"):
            tasks.start_soon(add, text)
    return "".join(sorted(found, key="done".index))


async def variable_set_in_the_first_step(_: Any) -> str:
    token = variable.set("done")
    await anyio.lowlevel.checkpoint()
    found = variable.get()
    variable.reset(token)
    return found


async def error_caught_after_a_wait(_: Any) -> str:
    async def fail() -> None:
        await anyio.lowlevel.checkpoint()
        raise KeyError("x")

    try:
        await fail()
    except KeyError:
        await anyio.lowlevel.checkpoint()
        return "done"
    return "no error"


class Odd:
    """An awaitable that isn't a coroutine."""

    def __await__(self) -> Generator[Any, Any, str]:
        yield from anyio.lowlevel.checkpoint().__await__()
        return "done"


def odd_awaitable(_: Any) -> Awaitable[str]:
    return Odd()


async def thread(_: Any) -> str:
    return await anyio.to_thread.run_sync(lambda: "done")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "run",
    [
        at_once,
        several_waits,
        scope_in_the_first_step,
        scope_that_is_left,
        task_group_in_the_first_step,
        variable_set_in_the_first_step,
        error_caught_after_a_wait,
        odd_awaitable,
        thread,
    ],
    ids=lambda run: run.__name__,
)
async def test_what_a_handler_returns_is_sent(run: Any) -> None:
    assert await text_of(run) == "done"


async def timeout_in_the_first_step(_: Any) -> str:
    try:
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()
    except TimeoutError:
        return "done"
    return "no timeout"


async def future(_: Any) -> str:
    loop = asyncio.get_running_loop()
    waits_for: asyncio.Future[str] = loop.create_future()
    loop.call_soon(waits_for.set_result, "done")
    return await waits_for


async def failing_future(_: Any) -> str:
    loop = asyncio.get_running_loop()
    waits_for: asyncio.Future[str] = loop.create_future()
    loop.call_soon(waits_for.set_exception, KeyError("x"))
    try:
        return await waits_for
    except KeyError:
        return "done"


async def gathered(_: Any) -> str:
    return "".join(await asyncio.gather(asyncio.sleep(0, "do"), asyncio.sleep(0, "ne")))


async def same_task(_: Any) -> str:
    first = asyncio.current_task()
    await asyncio.sleep(0)
    return "done" if asyncio.current_task() is first else "another task"


async def bare_yields(_: Any) -> str:
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return "done"


async def cancelled_by_itself(_: Any) -> str:
    waits_for = asyncio.ensure_future(asyncio.sleep(60))
    asyncio.get_running_loop().call_soon(waits_for.cancel)
    try:
        await waits_for
    except asyncio.CancelledError:
        return "done"
    return "not cancelled"


def boom() -> None:
    raise KeyError("x")


async def no_exception_left_over(_: Any) -> str:
    with contextlib.suppress(KeyError):
        await asyncio.get_running_loop().run_in_executor(None, boom)
    return "done" if sys.exc_info()[0] is None else f"{sys.exc_info()[0]} is left"


@on_asyncio
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "run",
    [
        no_exception_left_over,
        timeout_in_the_first_step,
        future,
        failing_future,
        gathered,
        same_task,
        bare_yields,
        cancelled_by_itself,
    ],
    ids=lambda run: run.__name__,
)
async def test_what_a_handler_does_with_asyncio_holds(run: Any, anyio_backend: str) -> None:
    assert await text_of(run) == "done"


@on_asyncio
async def test_an_exception_that_was_waited_for_leaves_no_cycle(anyio_backend: str) -> None:
    async def failing(_: Any) -> str:
        try:
            await failing_soon()
        except KeyError:
            return "done"
        return "no error"

    def failing_soon() -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        loop.call_soon(future.set_exception, KeyError("x"))
        return future

    async def unreachable(app: Any) -> int:
        await ask(app, **call("t"))
        gc.collect()
        gc.disable()
        try:
            for _ in range(20):
                await ask(app, **call("t"))
            return gc.collect()
        finally:
            gc.enable()

    assert await unreachable(app_of(failing)) <= await unreachable(app_of(bare_yields))


if sys.version_info >= (3, 12):  # eager tasks, which can fail before their group has waited

    @on_asyncio
    async def test_a_task_group_that_fails_in_the_first_step_does_not_cost_the_reply(anyio_backend: str) -> None:
        entered = asyncio.Event()
        go = asyncio.Event()

        async def run(_: Any) -> None:
            async def fail() -> None:
                raise KeyError("x")

            async def clean_up() -> None:
                try:
                    await asyncio.Event().wait()
                finally:
                    entered.set()
                    await go.wait()

            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(clean_up())
                tasks.create_task(fail())

        loop = asyncio.get_running_loop()
        before = loop.get_task_factory()
        loop.set_task_factory(asyncio.eager_task_factory)
        try:
            async with asking(app_of(run), **call("t")) as one:
                await entered.wait()
                one.disconnect()
                await one.until(lambda one: one.told)
                go.set()
            assert one.status == 499
        finally:
            loop.set_task_factory(before)


@on_asyncio
async def test_a_cancellation_that_a_handler_raises_itself_is_a_tool_error(anyio_backend: str) -> None:
    async def run(_: Any) -> None:
        raise asyncio.CancelledError

    answered = await ask(app_of(run), **call("t"))
    assert answered.json["result"]["isError"] is True


@pytest.mark.parametrize("waits", ["in a scope", "in a task group", "bare"])
async def test_a_client_that_leaves_interrupts_a_handler_wherever_it_waits(waits: str) -> None:
    gate = Gate()

    async def run(input: Any, ctx: Context) -> None:
        if waits == "in a scope":
            with anyio.fail_after(60):
                await gate.run(input, ctx)
        elif waits == "in a task group":
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(gate.run, input, ctx)
        else:
            await gate.run(input, ctx)

    async with asking(app_of(run), **call("t")) as one:
        await gate.started.wait()
    assert gate.cancelled.is_set()
    assert one.status == 499


async def test_a_handler_may_call_the_application_itself() -> None:
    server = pico({"name": "nested", "version": "1"})
    app = server.asgi({"sessions": False})

    async def inner(_: Any) -> str:
        await anyio.lowlevel.checkpoint()
        return "inner"

    async def outer(_: Any) -> str:
        at_first = (await ask(app, **call("inner"))).json["result"]["content"][0]["text"]
        await anyio.lowlevel.checkpoint()
        later = (await ask(app, **call("inner"))).json["result"]["content"][0]["text"]
        return f"{at_first} {later}"

    server.tool("inner", {"run": inner})
    server.tool("outer", {"run": outer})
    answered = await ask(app, **call("outer"))
    assert answered.json["result"]["content"][0]["text"] == "inner inner"
