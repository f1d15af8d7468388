"""Noticing clients that went away, and requests that take long, for what costs a dict entry a request.

Watching for a disconnect from the start takes a task a request, several times what a quick call costs. So one sweeper a
loop looks at the requests in progress each TURN seconds, and starts a watcher for those that it has seen before.
Nothing is lost by coming late: an ASGI server tells of an earlier disconnect at the next `receive()`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import anyio

from ...log import log
from ...running.backend import Tasks

TURN = 0.05
"""Seconds between two looks."""

Receive = Callable[[], Awaitable[dict[str, Any]]]


class Watched(Protocol):
    """A request in progress."""

    receive: Receive

    def disconnected(self) -> None:
        """The client is gone."""

    def waited(self, seconds: float) -> None:
        """It has been in progress for so long, roughly."""


class _Entry:
    __slots__ = ("handle", "turns", "watched")

    def __init__(self, watched: Watched) -> None:
        self.watched = watched
        self.turns = 0
        self.handle: Any = None


class Sweeper:
    """The requests in progress of one loop."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._entries: dict[int, _Entry] = {}
        self._sweeping = False
        self.handle: Any = None  # what Tasks keeps of a task

    def add(self, watched: Watched) -> None:
        self._entries[id(watched)] = _Entry(watched)
        if not self._sweeping:
            self._sweeping = True
            self._tasks.start(_sweep, self)

    def remove(self, watched: Watched) -> None:
        """Before the reply is sent: `receive` tells of a disconnect after it, too."""
        entry = self._entries.pop(id(watched), None)
        if entry is not None and entry.turns > 1:
            self._tasks.cancel(entry)

    async def sweep(self) -> None:
        try:
            while self._entries:
                await anyio.sleep(TURN)
                for entry in list(self._entries.values()):
                    entry.turns += 1
                    if entry.turns == 2:
                        self._tasks.start(_watch, entry)
                    entry.watched.waited(entry.turns * TURN)
        finally:
            self._sweeping = False


async def _sweep(sweeper: Sweeper) -> None:
    await sweeper.sweep()


async def _watch(entry: _Entry) -> None:
    try:
        while (await entry.watched.receive())["type"] != "http.disconnect":
            pass  # granian sends an empty body first
    except OSError as error:
        log().debug("a connection broke: %r", error)
    except Exception:  # it must end nothing but itself
        log().exception("a request can't be watched: its client may leave unnoticed")
        return
    entry.watched.disconnected()
