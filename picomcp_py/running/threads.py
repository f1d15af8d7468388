"""Worker threads for plain `def` handlers, so that none of them freezes the loop.

Rules:
1. Threads are daemons: a handler that never returns holds no exit.
2. A handler whose call was cancelled is abandoned: its thread runs on, but no longer counts against the limit. How many
   may run on is bounded too; beyond that, calls wait for a thread.
3. What a worker itself waits for, a resource that its handler reads, gets a thread at once, beyond the limit if need
   be: else all the workers could wait for reads that wait for a worker.
4. One queue and one wake-up of the loop a call: about 25 us, half of what anyio's and asyncio's pools take.
"""

from __future__ import annotations

import contextvars
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from ..log import log
from .backend import Tasks

MAX_THREADS = 64
"""Handlers at work at once. They mostly wait for disks and servers; more threads than this wait for each other."""

MAX_ABANDONED = 256
"""Threads that may run on after their calls were cancelled. Each holds some 100 KB; a server with more has a leak."""

MANY_ABANDONED = 8
"""From here on it is a warning: one that ends a moment after its signal fired is nothing to report."""


class Job:
    """One function call in a worker: afterwards `value`, or `error`."""

    __slots__ = ("abandoned", "args", "context", "done", "error", "fn", "replaced", "running", "value")

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], done: Callable[[], None]) -> None:
        self.fn = fn
        self.args = args
        self.done = done
        self.context = contextvars.copy_context()
        sniffio = sys.modules.get("sniffio")
        if sniffio is not None:  # it would say that a loop runs in this thread, and a handler could start none
            self.context.run(sniffio.current_async_library_cvar.set, None)
        self.value: Any = None
        self.error: BaseException | None = None
        self.running = False
        self.abandoned = False
        self.replaced = False
        """Abandoned while running: another thread took this one's place."""

    def forget(self) -> None:
        """Let go of what it holds: it will not run."""
        self.fn = _nothing
        self.args = ()
        self.context = contextvars.Context()

    def result(self) -> Any:
        """What the function gave. Raises what it raised."""
        if isinstance(self.error, StopIteration):  # it can't pass through a coroutine
            raise RuntimeError("StopIteration") from self.error
        if self.error is not None:
            raise self.error
        return self.value

    def run(self) -> None:
        try:
            self.value = self.context.run(self.fn, *self.args)
        except BaseException as error:
            self.error = error


def _nothing() -> None:
    """The function of a job that is not wanted any more."""


class Workers:
    """A pool that grows to `limit` and keeps its threads."""

    def __init__(self, limit: int = MAX_THREADS, abandoned: int = MAX_ABANDONED) -> None:
        self.limit = limit
        self.max_abandoned = abandoned
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._threads = 0  # that count against the limit
        self._idle = 0  # of these: neither at work nor meant for a job in the queue
        self._backlog = 0  # jobs in the queue that no thread is meant for
        self._abandoned = 0

    def submit(self, job: Job, *, awaited: bool = False) -> None:
        """Raises RuntimeError when a thread is needed and the system gives none. `awaited`: a worker waits for it."""
        with self._lock:
            if self._idle:
                self._idle -= 1
            elif awaited:
                self._start_thread(job)  # past the queue
                return
            elif self._threads < self.limit:
                self._start_thread()
            else:
                self._backlog += 1
            self._jobs.put(job)

    def abandon(self, job: Job) -> None:
        """Nobody waits for this job any more."""
        with self._lock:
            job.abandoned = True
            if not job.running:
                job.forget()  # it stays in the queue until a thread comes to it
                return
            if self._abandoned >= self.max_abandoned:
                return
            job.replaced = True
            self._threads -= 1
            self._abandoned += 1
            count = self._abandoned
            if self._backlog and self._threads < self.limit:
                with suppress(RuntimeError):  # no thread to be had: the others will come to it
                    self._start_thread()
                    self._backlog -= 1
        say = log().warning if count >= MANY_ABANDONED else log().info
        say("a cancelled handler still runs in its thread, %d in all: let it look at ctx.signal", count)

    def _start_thread(self, first: Job | None = None) -> None:
        """For that job, or the one that is put next. Under the lock."""
        threading.Thread(target=self._work, args=(first,), name="picomcp_py worker", daemon=True).start()
        self._threads += 1

    def _work(self, first: Job | None) -> None:
        while True:
            job = first or self._jobs.get()
            first = None
            with self._lock:
                job.running = not job.abandoned
            if job.running:
                job.run()
            with self._lock:
                job.running = False
                ends = job.replaced
                if job.replaced:
                    self._abandoned -= 1
                elif self._threads > self.limit:
                    self._threads -= 1
                    ends = True
                elif self._backlog:
                    self._backlog -= 1
                else:
                    self._idle += 1
            if not job.abandoned:
                job.done()
            elif job.error is not None:
                log().info("a handler failed after its call was cancelled", exc_info=job.error)
            if ends:
                return
            del job  # with the handler's input and value, which an idle thread would keep alive


WORKERS = Workers()
if hasattr(os, "register_at_fork"):  # a child process has the pool's numbers but none of its threads
    os.register_at_fork(after_in_child=WORKERS._reset)


async def run_in_thread(tasks: Tasks, fn: Callable[..., Any], *args: Any, awaited: bool = False) -> Job:
    """Run `fn(*args)` in a worker thread, with a copy of the context variables. Its exception is the job's `error`.

    Cancelling this abandons the thread. `awaited`: another worker waits for it.
    """
    waiter = tasks.waiter()
    job = Job(fn, args, lambda: tasks.soon(waiter.set))
    WORKERS.submit(job, awaited=awaited)
    try:
        await waiter.wait()
    except BaseException:
        WORKERS.abandon(job)
        raise
    return job
