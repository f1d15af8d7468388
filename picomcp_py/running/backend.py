"""What the library asks of an event loop: to start a call's task, cancel it, and be woken from a thread.

`backend_asyncio` and `backend_trio` do it; each is imported only inside its loop.

`Tasks` is the home of the calls of one serving loop: `async with open_tasks() as tasks`. Leaving it cancels what still
runs and waits for it.

Why not anyio's task group and cancel scope a call: they cost several times more than the rest of a call together. On
asyncio a call is one task, eager where Python has that (3.12), and is cancelled natively, once; on trio it is a nursery
task with a scope made before it starts, so that a cancel that comes in the same read finds it.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol


class Runnable(Protocol):
    """What a task is started for; the handle for cancelling is kept on it."""

    handle: Any


class Guest(Runnable, Protocol):
    """What runs in somebody else's task."""

    guest: bool
    """Set by `Tasks.host`, where a backend can't tell otherwise."""


class Cancellable(Protocol):
    guest: bool

    @property
    def cancelled(self) -> bool: ...


Run = Callable[[Any], Coroutine[Any, Any, None]]


class Waiter(Protocol):
    """A thing that happens once. `set` belongs to the loop's thread; setting twice is fine."""

    def set(self) -> None: ...
    def wait(self) -> Awaitable[None]: ...


class Tasks(Protocol):
    thread: int
    """Identity of the loop's thread."""

    def start(self, run: Run, what: Runnable) -> None:
        """Run `run(what)` in a task of its own, with a copy of the current context variables."""

    def host(self, work: Coroutine[Any, Any, None], what: Guest) -> Awaitable[None] | None:
        """Run `work` in the current task, which is somebody else's; `cancel(what)` ends the work, and not the task.
        Where that can be told without waiting, None says that it is done; else it is what this returns that does it.
        """
        ...

    def cancel(self, what: Runnable) -> None:
        """Cancel that task once. Its coroutine may never start, so nothing may hang on its `finally`."""

    def interrupts(self, error: BaseException, what: Cancellable) -> bool:
        """Whether an exception in the current task comes from a cancellation from outside, and must pass through."""

    def later(self, seconds: float, fn: Callable[[], object]) -> Callable[[], object]:
        """Call `fn()` in the loop after so long, unless the function given is called before."""
        ...

    def soon(self, fn: Callable[..., object], *args: Any) -> None:
        """Call `fn(*args)` in the loop's thread, from any thread. A loop that is gone is no error."""

    def waiter(self) -> Waiter: ...

    def now(self) -> float:
        """Seconds on the loop's clock."""
        ...


def open_tasks() -> AbstractAsyncContextManager[Tasks]:
    """Tasks on whichever loop is running."""
    if running_loop() == "trio":
        from .backend_trio import open_tasks as open_trio_tasks

        return open_trio_tasks()
    from .backend_asyncio import open_tasks as open_asyncio_tasks

    return open_asyncio_tasks()


def running_loop() -> str:
    """Which loop the current code runs in: "trio", "asyncio", or "" for none."""
    if _in_trio():
        return "trio"
    asyncio = sys.modules.get("asyncio")
    return "asyncio" if asyncio is not None and asyncio._get_running_loop() is not None else ""


def loop_key() -> object:
    """Stands for the running loop: equal within it, and for no other loop that lives."""
    if "trio" in sys.modules and _in_trio():
        return sys.modules["trio"].lowlevel.current_trio_token()
    return sys.modules["asyncio"].get_running_loop()


def _in_trio() -> bool:
    # Another thread may be importing it at this moment.
    lowlevel = getattr(sys.modules.get("trio"), "lowlevel", None)
    return lowlevel is not None and lowlevel.in_trio_run()
