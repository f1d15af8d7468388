"""What the stdio transport needs of an event loop, for asyncio (uvloop too) and trio: watching a descriptor, and calls
from other threads.

Rules
- Callbacks run in the loop's thread, one at a time, in the contextvars of whoever opened the loop.
- Watching never leaves O_NONBLOCK set: uvloop sets it, on the open file that other processes share.
- A descriptor that can't be watched is told to `refused`; nothing is raised, as trio finds out only later.

Non-goals: timers, tasks and cancelling, for which anyio is right.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    import trio

Direction = Literal["read", "write"]
Callback = Callable[[], None]
Refused = Callable[[Exception], None]


class Loop(Protocol):
    """The running event loop, as the transport uses it."""

    def post(self, callback: Callable[..., None], *args: Any) -> None:
        """Calls `callback` in the loop soon, from any thread or signal handler. RuntimeError if the loop has ended."""

    def watch(self, fd: int, direction: Direction, ready: Callback, refused: Refused) -> Callback:
        """Calls `ready` whenever `fd` can be read or written, until the returned function is called."""
        ...


@asynccontextmanager
async def open_loop() -> AsyncIterator[Loop]:
    """The loop that runs the caller."""
    if not _in_trio():
        yield _AsyncioLoop()
        return
    import trio

    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        try:
            yield _TrioLoop(nursery)
        except Exception as error:  # carried past the nursery, which would wrap it in a group
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


def _in_trio() -> bool:
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_task())


class _AsyncioLoop:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        # A foreign thread's own context would hide the contextvars that the program set before it served.
        self._context = contextvars.copy_context()

    def post(self, callback: Callable[..., None], *args: Any) -> None:
        self._loop.call_soon_threadsafe(partial(callback, *args), context=self._context)

    def watch(self, fd: int, direction: Direction, ready: Callback, refused: Refused) -> Callback:
        if direction == "read":
            add, remove = self._loop.add_reader, self._loop.remove_reader
        else:
            add, remove = self._loop.add_writer, self._loop.remove_writer
        try:
            with _blocking_kept(fd):
                add(fd, ready)
        except (OSError, ValueError, NotImplementedError) as error:
            refused(error)
            return _nothing

        def stop() -> None:
            remove(fd)

        return stop


class _TrioLoop:
    def __init__(self, nursery: trio.Nursery) -> None:
        import trio

        self._trio = trio
        self._nursery = nursery
        self._token = trio.lowlevel.current_trio_token()
        self._posted: deque[Callback] = deque()
        self._arrived = trio.Event()
        nursery.start_soon(self._run_posted)

    def post(self, callback: Callable[..., None], *args: Any) -> None:
        self._token.run_sync_soon(self._arrive, partial(callback, *args))

    def _arrive(self, callback: Callback) -> None:
        self._posted.append(callback)
        self._arrived.set()

    async def _run_posted(self) -> None:
        # In a task of ours: trio's own queue runs outside of the caller's contextvars and dies of any exception.
        while True:
            await self._arrived.wait()
            self._arrived = self._trio.Event()
            while self._posted:
                self._posted.popleft()()

    def watch(self, fd: int, direction: Direction, ready: Callback, refused: Refused) -> Callback:
        lowlevel = self._trio.lowlevel
        wait = lowlevel.wait_readable if direction == "read" else lowlevel.wait_writable
        scope = self._trio.CancelScope()

        async def run() -> None:
            with scope:
                # Asked before each wait: a second watch may be on the descriptor before this one has ended.
                while not scope.cancel_called:
                    try:
                        await wait(fd)
                    except self._trio.ClosedResourceError:
                        return
                    except OSError as error:
                        refused(error)
                        return
                    if not scope.cancel_called:
                        ready()

        with suppress(RuntimeError):  # the nursery has closed: the session is over
            self._nursery.start_soon(run)

        def stop() -> None:
            scope.cancel()
            lowlevel.notify_closing(fd)  # the caller may close it now, a turn before the task has left its wait

        return stop


@contextmanager
def _blocking_kept(fd: int) -> Iterator[None]:
    if sys.platform == "win32":
        yield
        return
    blocking = os.get_blocking(fd)
    try:
        yield
    finally:
        if os.get_blocking(fd) != blocking:
            os.set_blocking(fd, blocking)


def _nothing() -> None:
    """Stops a watch that never began."""
