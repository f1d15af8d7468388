"""The asyncio half of `backend`, imported only inside an asyncio loop."""

from __future__ import annotations

import asyncio
import sys
import threading
import types
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator
from contextlib import asynccontextmanager
from typing import Any

from ..log import log
from .backend import Cancellable, Guest, Run, Runnable, Waiter

GRACE = 1.0
"""Seconds that cancelled handlers have to clean up, before they no longer hold the exit."""


@asynccontextmanager
async def open_tasks() -> AsyncIterator[AsyncioTasks]:
    tasks = AsyncioTasks()
    try:
        yield tasks
    finally:
        await tasks.close()


class _AsyncioWaiter:
    __slots__ = ("_future",)

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._future: asyncio.Future[None] = loop.create_future()

    def set(self) -> None:
        if not self._future.done():
            self._future.set_result(None)

    def wait(self) -> Awaitable[None]:
        return self._future


_DONE = object()


@types.coroutine
def _go_on(steps: Generator[Any, Any, None], waits_for: list[Any]) -> Generator[Any, Any, None]:
    """Go on with a coroutine that has taken its first step, and waits for the one item of the list. It takes each step
    outside of any `except` block, and nothing here keeps what it waits for: an exception would be in a cycle with that.
    """
    thrown: BaseException | None = None
    while True:
        try:
            yield waits_for.pop()
        except BaseException as error:
            thrown = error
        try:
            waits_for.append(steps.send(None) if thrown is None else steps.throw(thrown))
        except StopIteration:
            return
        finally:
            thrown = None


async def _stay(steps: Generator[Any, Any, None], waits_for: list[Any], what: Guest, cancelled_before: int) -> None:
    """Go on in the current task. Cancelling `what` cancels that, and what is interrupted so ends here."""
    task = asyncio.current_task()
    assert task is not None
    what.handle = task
    what.guest = True
    try:
        await _go_on(steps, waits_for)
    except asyncio.CancelledError:
        if what.handle is not None:  # not by `cancel`: whoever owns the task has cancelled it, or nobody has
            raise
    finally:
        ours, what.handle = what.handle is None, None
        if ours and task.cancelling() > cancelled_before and task.uncancel() > cancelled_before:
            raise asyncio.CancelledError


class AsyncioTasks:
    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self._loop = asyncio.get_running_loop()
        self.now = self._loop.time
        # The strong references: a loop only keeps weak ones, and a suspended task could be collected.
        self._running: set[asyncio.Task[None]] = set()
        self._closing = False

    if sys.version_info >= (3, 12):

        def start(self, run: Run, what: Runnable) -> None:
            task = asyncio.Task(run(what), loop=self._loop, eager_start=True)
            if not task.done():
                self._keep(task, what)

    else:

        def start(self, run: Run, what: Runnable) -> None:
            task = self._loop.create_task(run(what))
            lost = getattr(what, "lost", None)
            if lost is not None:  # a task that is cancelled before it begins runs no `finally`
                task.add_done_callback(lambda task: lost() if task.cancelled() else None)
            self._keep(task, what)

    def _keep(self, task: asyncio.Task[None], what: Runnable) -> None:
        what.handle = task
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def host(self, work: Coroutine[Any, Any, None], what: Guest) -> Awaitable[None] | None:
        task = asyncio.current_task()
        assert task is not None
        cancelled_before = task.cancelling()
        steps = work.__await__()
        waits_for = next(steps, _DONE)
        if waits_for is _DONE:  # it never waited: nobody could have cancelled it
            return None
        return _stay(steps, [waits_for], what, cancelled_before)

    def cancel(self, what: Runnable) -> None:
        task, what.handle = what.handle, None
        if task is not None:
            task.cancel()

    def interrupts(self, error: BaseException, what: Cancellable) -> bool:
        if not isinstance(error, asyncio.CancelledError):
            return False
        if what.cancelled or self._closing:
            return True
        if not what.guest:
            return False
        task = asyncio.current_task()
        return task is not None and task.cancelling() > 0

    def later(self, seconds: float, fn: Callable[[], object]) -> Callable[[], object]:
        return self._loop.call_later(seconds, fn).cancel

    def soon(self, fn: Callable[..., object], *args: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(fn, *args)
        except RuntimeError:
            if not self._loop.is_closed():
                raise

    def waiter(self) -> Waiter:
        return _AsyncioWaiter(self._loop)

    async def close(self) -> None:
        self._closing = True
        running = list(self._running)
        for task in running:
            task.cancel()
        if not running:
            return
        _, left = await asyncio.wait(running, timeout=GRACE)
        for task in left:
            log().error("a handler went on after it was cancelled, and is left behind: %r", task)
            asyncio._unregister_task(task)  # or asyncio.run would wait for it
