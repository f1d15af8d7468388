"""Noticing clients that went away, and requests that take long, for what costs a dict entry a request.

Watching for a disconnect from the start takes a task a request, several times what a quick call costs. So one sweeper a
loop looks at the requests in progress each TURN seconds, and starts a watcher for those that it has seen before.
Nothing is lost by coming late: an ASGI server tells of an earlier disconnect at the next `receive()`.
"""

from __future__ import annotations

from typing import Any

import anyio
from msgspec import Struct

from ...log import log
from ...running.backend import Tasks
from .asgi import Receive

TURN = 0.05
"""Seconds between two looks."""


class _Swept(Struct, eq=False, kw_only=True):
    """What the sweeper keeps on a request."""

    turns: int = 0
    watch: Any = None


class Watched(_Swept, eq=False):
    """A request in progress."""

    receive: Receive

    def disconnected(self) -> None:
        """The client is gone."""
        raise NotImplementedError

    def waited(self, seconds: float) -> bool:
        """It has been in progress for so long, roughly. Whether it wants to be told of more: it may wait for ever."""
        return False


class _Watch:
    """A task that waits for a client to leave."""

    __slots__ = ("handle", "watched")

    def __init__(self, watched: Watched) -> None:
        self.watched = watched
        self.handle: Any = None


class Sweeper:
    """The requests in progress of one loop."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._watched: dict[Watched, None] = {}
        self._sweeping = False
        self.handle: Any = None  # what Tasks keeps of a task

    def add(self, watched: Watched) -> None:
        self._watched[watched] = None
        if not self._sweeping:
            self._sweeping = True
            self._tasks.start(_sweep, self)

    def remove(self, watched: Watched) -> None:
        """Before the reply is sent: `receive` tells of a disconnect after it, too."""
        self._watched.pop(watched, None)
        if watched.watch is not None:
            self._tasks.cancel(watched.watch)
            watched.watch = None

    async def sweep(self) -> None:
        try:
            while self._watched:
                await anyio.sleep(TURN)
                for watched in list(self._watched):
                    watched.turns += 1
                    if watched.turns == 2:
                        watched.watch = _Watch(watched)
                        self._tasks.start(_watch, watched.watch)
                    if not watched.waited(watched.turns * TURN) and watched.turns >= 2:
                        self._watched.pop(watched, None)  # its watcher is all that it needs
        finally:
            self._sweeping = False


async def _sweep(sweeper: Sweeper) -> None:
    await sweeper.sweep()


async def _watch(watch: _Watch) -> None:
    try:
        while (await watch.watched.receive())["type"] != "http.disconnect":
            pass  # granian sends an empty body first
    except OSError as error:
        log().debug("a connection broke: %r", error)
    except Exception:  # it must end nothing but itself
        log().exception("a request can't be watched: its client may leave unnoticed")
        return
    watch.watched.disconnected()
