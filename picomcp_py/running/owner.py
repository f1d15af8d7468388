"""One owner task a loop: it enters a server's lifespan, keeps the Runtime, and leaves both in the task that entered.

On stdio the serving task is the owner. Over HTTP there may be none: an ASGI server delivers a lifespan, or it doesn't,
and a request's own task may be cancelled at any time. So the owner is a task of its own, started by whoever comes
first, and told to end by the ASGI lifespan, or by the end of the loop.
"""

from __future__ import annotations

from typing import Any

import anyio

from ..offered.app import App
from .backend import loop_key, running_loop
from .runtime import Runtime, open_runtime


class Owner:
    """A Runtime that outlives the task that asked for it."""

    def __init__(self, app: App, server: Any) -> None:
        self._app = app
        self._server = server
        self._failure: BaseException | None = None
        self.runtime: Runtime | None = None
        self._task: Any = None  # the loop itself keeps only a weak reference
        self._ready = anyio.Event()
        self._stop = anyio.Event()
        self._ended = anyio.Event()

    def start(self) -> None:
        if running_loop() == "trio":
            import trio

            trio.lowlevel.spawn_system_task(self._own)
        else:
            import asyncio

            self._task = asyncio.get_running_loop().create_task(self._own(), name="picomcp_py owner")

    async def _own(self) -> None:
        try:
            async with open_runtime(self._app, self._server) as runtime:
                self.runtime = runtime
                self._ready.set()
                await self._stop.wait()
        except Exception as error:
            self._failure = error
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
        """End the tasks, then the lifespan."""
        self._stop.set()
        await self._ended.wait()
        if self._failure is not None:
            raise self._failure


class Owners:
    """The owner of each loop that serves a server."""

    def __init__(self, app: App, server: Any) -> None:
        self._app = app
        self._server = server
        self._owners: dict[object, Owner] = {}

    async def runtime(self) -> Runtime:
        """The Runtime of the running loop; the first to ask starts it."""
        key = loop_key()
        owner = self._owners.get(key)
        if owner is None or owner.ended:
            self._owners = {k: o for k, o in self._owners.items() if not o.ended}
            owner = self._owners[key] = Owner(self._app, self._server)
            owner.start()
        return owner.runtime or await owner.wait()

    async def stop(self) -> None:
        """End the running loop's, if it has one."""
        owner = self._owners.pop(loop_key(), None)
        if owner is not None:
            await owner.stop()
