"""The trio half of `backend`, imported only inside a trio run."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import trio

from ..log import log
from .backend import Cancellable, Guest, Run, Runnable, Waiter


@asynccontextmanager
async def open_tasks() -> AsyncIterator[TrioTasks]:
    failure: Exception | SystemExit | None = None
    async with trio.open_nursery() as nursery:
        try:
            yield TrioTasks(nursery)
        except (Exception, SystemExit) as error:  # a nursery would wrap it into a group, and asyncio does not
            failure = error
        finally:
            nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


class _TrioWaiter:
    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = trio.Event()

    def set(self) -> None:
        self._event.set()

    def wait(self) -> Awaitable[None]:
        return self._event.wait()


class TrioTasks:
    def __init__(self, nursery: trio.Nursery) -> None:
        self.thread = threading.get_ident()
        self.now = trio.current_time
        self._nursery = nursery
        self._token = trio.lowlevel.current_trio_token()

    def start(self, run: Run, what: Runnable) -> None:
        what.handle = trio.CancelScope()
        self._nursery.start_soon(self._scoped, run, what)

    async def _scoped(self, run: Run, what: Runnable) -> None:
        with what.handle:
            await run(what)

    async def host(self, work: Coroutine[Any, Any, None], what: Guest) -> None:
        what.handle = trio.CancelScope()
        with what.handle:
            await work

    def cancel(self, what: Runnable) -> None:
        if what.handle is not None:
            what.handle.cancel()

    def interrupts(self, error: BaseException, what: Cancellable) -> bool:
        return isinstance(error, trio.Cancelled)

    def later(self, seconds: float, fn: Callable[[], object]) -> Callable[[], object]:
        scope = trio.CancelScope()

        async def wait() -> None:
            with scope:
                await trio.sleep(seconds)
                fn()

        self._nursery.start_soon(wait)
        return scope.cancel

    def soon(self, fn: Callable[..., object], *args: Any) -> None:
        try:
            self._token.run_sync_soon(_guarded, fn, args)
        except trio.RunFinishedError:
            return

    def waiter(self) -> Waiter:
        return _TrioWaiter()


def _guarded(fn: Callable[..., object], args: tuple[Any, ...]) -> None:
    """asyncio logs what a callback raises; trio would end the run."""
    try:
        fn(*args)
    except Exception:
        log().exception("a callback in the event loop failed")
