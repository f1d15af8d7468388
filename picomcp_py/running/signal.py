"""`ctx.signal`: tells a handler that nobody waits for its answer any more. The counterpart of JavaScript's AbortSignal.

An async handler is also cancelled at its next await; a plain `def` handler runs in a thread that nothing can stop, so
it looks at the signal itself. All of it works from the loop's thread and from worker threads.
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident  # of threading, see context
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import Aborted
from ..log import log

if TYPE_CHECKING:
    from .backend import Tasks


class Signal:
    """`aborted` (bool) and `reason` (str; "" until then) can be read at any time."""

    __slots__ = ("_callbacks", "_lock", "_tasks", "aborted", "reason")

    def __init__(self, tasks: Tasks) -> None:
        self.aborted = False
        self.reason = ""
        self._tasks = tasks
        self._lock = allocate_lock()
        self._callbacks: list[Callable[[], Any]] = []

    def raise_if_aborted(self) -> None:
        """Raise Aborted once the request is cancelled. Put it into the loop of a long `def` handler."""
        if self.aborted:
            raise Aborted(self.reason)

    def on_abort(self, fn: Callable[[], Any]) -> Callable[[], None]:
        """Call `fn()` when the request is cancelled, in the loop's thread; at once if it is already.

        Gives a function that takes it back. For what has a `close()`: `ctx.signal.on_abort(response.close)`.
        """
        with self._lock:
            if not self.aborted:
                self._callbacks.append(fn)
                return lambda: self._forget(fn)
        _run(fn)
        return lambda: None

    def wait(self) -> Any:
        """Until the request is cancelled. In the loop: `await ctx.signal.wait()`. In a worker thread it blocks."""
        if get_ident() == self._tasks.thread:
            return self._wait()
        import threading

        event = threading.Event()
        self.on_abort(event.set)
        event.wait()
        return None

    async def _wait(self) -> None:
        waiter = self._tasks.waiter()
        forget = self.on_abort(waiter.set)
        try:
            await waiter.wait()
        finally:
            forget()

    def _forget(self, fn: Callable[[], Any]) -> None:
        with self._lock:
            if fn in self._callbacks:
                self._callbacks.remove(fn)

    def _abort(self, reason: str) -> None:
        with self._lock:
            if self.aborted:
                return
            self.reason = reason
            self.aborted = True
            callbacks, self._callbacks = self._callbacks, []
        for fn in callbacks:
            _run(fn)


def _run(fn: Callable[[], Any]) -> None:
    try:
        fn()
    except BaseException:  # SystemExit too: it would end the loop, and with it every other call
        log().exception("a callback given to ctx.signal.on_abort failed")
