"""One owner task a loop: it enters a server's lifespan, keeps the Runtime, and leaves both in the task that entered.

On stdio the serving task is the owner. Over HTTP there may be none: an ASGI server delivers a lifespan, or it doesn't,
and a request's own task may be cancelled at any time. So the owner is a task of its own, started by whoever comes
first, and told to end by the last ASGI lifespan that holds it, or by the end of the loop.
"""

from __future__ import annotations

from contextvars import Context, copy_context
from typing import Any

import anyio

from ..log import log
from ..offered.app import App
from .backend import loop_key, running_loop
from .runtime import Runtime, open_runtime

_running: set[Any] = set()
"""The owners' tasks on asyncio: a loop keeps weak references, and an application may be dropped while it serves."""


class Owner:
    """A Runtime that outlives the task that asked for it."""

    def __init__(self, app: App, server: Any) -> None:
        self.runtime: Runtime | None = None
        self.holders = 0
        self._app = app
        self._server = server
        self._failure: Exception | SystemExit | None = None
        self._ready = anyio.Event()
        self._stop = anyio.Event()
        self._ended = anyio.Event()

    def start(self, context: Context) -> None:
        """Begin, in a context of its own: what the first request has set must not be seen by the lifespan."""
        if running_loop() == "trio":
            import trio

            trio.lowlevel.spawn_system_task(self._own, context=context)
        else:
            import asyncio

            loop = asyncio.get_running_loop()
            task = loop.create_task(self._own(), name="picomcp_py owner", context=context)
            _running.add(task)
            task.add_done_callback(_running.discard)

    async def _own(self) -> None:
        started = False
        try:
            async with open_runtime(self._app, self._server) as runtime:
                self.runtime = runtime
                started = True
                self._ready.set()
                await self._stop.wait()
        except (Exception, SystemExit) as error:  # out of a system task of trio's it would end the program
            self._failure = error
            if started and not self._stop.is_set():
                log().exception("the server has stopped")
        finally:
            self.runtime = None
            self._ready.set()
            self._ended.set()

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    async def wait(self) -> Runtime:
        """The Runtime, once the lifespan has started. Raises what the lifespan raised."""
        await self._ready.wait()
        if self.runtime is None:
            raise self._failure or RuntimeError("the server has stopped")
        return self.runtime

    async def stop(self) -> None:
        """End the tasks, then the lifespan. Raises what the lifespan raised."""
        self._stop.set()
        await self._ended.wait()
        if self._failure is not None:
            raise self._failure


class Owners:
    """The owner of each loop that serves a server."""

    def __init__(self, app: App, server: Any) -> None:
        self._app = app
        self._server = server
        self._context = app.context
        self._owners: dict[object, Owner] = {}

    async def runtime(self) -> Runtime:
        """The Runtime of the running loop; the first to ask starts it. Raises what the lifespan raised."""
        owner = self._owners.get(loop_key())
        if owner is None or owner.ended:
            owner = self._start(self._context.copy())
        return owner.runtime or await owner.wait()

    async def hold(self) -> None:
        """`runtime`, to be kept until `release`. Raises what the lifespan raised, and is then no hold."""
        owner = self._owners.get(loop_key())
        if owner is None or owner.ended:
            owner = self._start(copy_context())
        owner.holders += 1
        await owner.wait()

    async def release(self) -> None:
        """End the running loop's, when this was the last hold. Raises what the lifespan raised."""
        owner = self._owners.get(loop_key())
        if owner is None:
            return
        owner.holders -= 1
        if owner.holders <= 0:
            await self.stop()

    async def stop(self) -> None:
        """End the running loop's, if there is one, whoever holds it."""
        owner = self._owners.get(loop_key())
        if owner is not None:
            self._owners = {k: o for k, o in self._owners.items() if o is not owner}
            await owner.stop()

    def _start(self, context: Context) -> Owner:
        self._owners = {k: o for k, o in self._owners.items() if not o.ended}
        owner = self._owners[loop_key()] = Owner(self._app, self._server)
        owner.start(context)
        return owner


def owners_of(app: App, server: Any) -> Owners:
    """The owners of a server: all its ASGI applications in one loop share a lifespan."""
    if app.owners is None:
        app.owners = Owners(app, server)
    owners: Owners = app.owners
    return owners
