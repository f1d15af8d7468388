"""A request and its answer, while it comes into being: a JSON body, or an event stream from the first notification on.

Rules:
1. Nothing is sent before it must be: an early error keeps its status, and a quick call costs one body.
2. The first notification, or COMMIT_AFTER seconds without an answer, makes it a stream, with comments in its silences,
   so that no proxy takes one for death. A client that takes no stream gets no notifications.
3. Only what belongs to the request goes into it, and its answer ends it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import anyio

from ...log import log
from . import reply as sse
from .asgi import Headers, Scope, Send
from .rules import Terms
from .sweep import Watched

if TYPE_CHECKING:
    from .place import Place

COMMIT_AFTER = 10.0
"""Seconds. Proxies commonly give up on a silent server after 60, some after 30."""

MAX_QUEUED = 1024
"""Notifications a slow client may be behind; beyond, `full` asks the handler to wait where it awaits them."""


class Exchange(Watched, eq=False):
    """One request, and the sending half of its answer. It is what a Call of a Post sees as its wire, and what the
    sweeper watches there; answers to other requests are watched by what carries them.
    """

    place: Place
    scope: Scope
    respond: Send
    """ASGI's `send`."""
    terms: Terms
    events: Events | None = None
    """There once the answer is a stream."""
    closed: bool = False
    """Its client is gone, or whoever owns its task has given up: nothing is sent any more."""

    @property
    def request_headers(self) -> Headers:
        return self.terms.headers

    @property
    def full(self) -> bool:
        return self.events is not None and self.events.full

    async def room(self) -> None:
        if self.events is not None:
            await self.events.room()

    def send(self, data: bytes) -> None:
        """A notification."""
        if self.events is not None:
            self.events.put(data)
        elif self.terms.takes[1] and not self.closed:
            events = self.begin()
            events.put(data)
            self.place.runtime.tasks.start(_pump, events)

    def commit(self) -> None:
        """Make it a stream, if the client takes one."""
        if self.terms.takes[1] and self.events is None and not self.closed:
            self.place.runtime.tasks.start(_pump, self.begin())

    def begin(self) -> Events:
        """Make it a stream that the caller pumps."""
        events = self.events = Events(self.respond, self.place.options.keep_alive_seconds)
        return events

    def answer(self, data: bytes) -> None:
        """The request's own task sends the answer."""

    def skip(self) -> None:
        """Nothing is sent."""

    def abandon(self) -> None:
        """The client is gone: nothing more is sent."""
        self.closed = True
        if self.events is not None:
            self.events.abandon()


class Events:
    """An answer that is a stream. `handle` is what Tasks keeps of the pump."""

    def __init__(self, respond: Send, keep_alive: float | None) -> None:
        self.handle: Any = None
        self._respond = respond
        self._keep_alive = keep_alive
        self._queue: deque[bytes] = deque()
        self._bell = anyio.Event()
        self._done = anyio.Event()
        self._room: anyio.Event | None = None
        self._closed = False

    @property
    def full(self) -> bool:
        return len(self._queue) > MAX_QUEUED

    async def room(self) -> None:
        while self.full and not self._closed:
            if self._room is None:
                self._room = anyio.Event()
            await self._room.wait()

    def lost(self) -> None:
        """The pump's task was cancelled before it began."""
        self._end()

    def put(self, message: bytes) -> None:
        if not self._closed:
            self._queue.append(sse.event(message))
            self._bell.set()

    def last(self, message: bytes) -> None:
        """One more, and nothing comes after it."""
        self.put(message)
        self._closed = True

    async def finish(self, message: bytes) -> None:
        """The last one; until it is sent, if it can be."""
        if not self._closed:
            self.last(message)
            await self._done.wait()

    def abandon(self) -> None:
        """Nothing more is sent."""
        self._closed = True
        self._queue.clear()
        self._bell.set()
        self._make_room()

    async def pump(self) -> None:
        """Send what comes until the end. An error ends nothing but this stream."""
        try:
            await self._pump()
        except OSError as error:  # what ASGI servers raise once the client is gone
            log().debug("a stream broke: %r", error)
        except Exception:
            log().exception("a stream could not be sent")
        finally:
            self._end()

    def _end(self) -> None:
        self._closed = True
        self._done.set()
        self._make_room()

    async def _pump(self) -> None:
        respond = self._respond
        await sse.start_stream(respond)
        while True:
            while self._queue:
                await sse.send_chunk(respond, self._queue.popleft())
                if not self.full:
                    self._make_room()
            if self._closed:
                break
            self._bell = anyio.Event()
            with anyio.move_on_after(self._keep_alive) as silence:
                await self._bell.wait()
            if silence.cancelled_caught:
                await sse.send_chunk(respond, sse.KEEP_ALIVE)
        await sse.end_stream(respond)

    def _make_room(self) -> None:
        if self._room is not None:
            self._room.set()
            self._room = None


async def _pump(events: Events) -> None:
    await events.pump()
