"""The answer to one POST, while it comes into being: a JSON body, or an event stream from the first notification on.

Rules:
1. Nothing is sent before it must be: an early error keeps its status, and a quick call costs one body.
2. The first notification, or COMMIT_AFTER seconds without an answer, makes it a stream, with comments in its silences,
   so that no proxy takes one for death. A client that takes no stream gets no notifications.
3. Only what belongs to the request goes into it, and its answer ends it.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import anyio

from ...log import log
from ...running.runtime import Runtime
from . import reply as sse
from .reply import Send
from .rules import Headers

COMMIT_AFTER = 10.0
"""Seconds. Proxies commonly give up on a silent server after 60, some after 30."""

MAX_QUEUED = 1024
"""Notifications a slow client may be behind; beyond, `full` asks the handler to wait where it awaits them."""


class Exchange:
    """The sending half of one POST: what a Call sees as its wire."""

    # On the class until something happens: most exchanges end before.
    handle: Any = None
    """What Tasks keeps of the pump."""
    _bell: Any = None
    _done: Any = None
    _room: Any = None
    _closed = False

    def __init__(
        self, runtime: Runtime, request_headers: Headers, send: Send, streamed: bool, keep_alive: float | None
    ) -> None:
        self.runtime = runtime
        self.request_headers = request_headers
        self._send = send
        self._streamed = streamed
        self._keep_alive = keep_alive
        self._queue: deque[bytes] = deque()

    @property
    def begun(self) -> bool:
        """Whether it is a stream already."""
        return self._done is not None

    @property
    def full(self) -> bool:
        return len(self._queue) > MAX_QUEUED

    async def room(self) -> None:
        while self.full and not self._closed:
            if self._room is None:
                self._room = anyio.Event()
            await self._room.wait()

    def send(self, data: bytes) -> None:
        """A notification."""
        if self._streamed and not self._closed:
            self._queue.append(sse.event(data))
            self.commit()
            self._bell.set()

    def commit(self) -> None:
        """Make it a stream, if the client takes one."""
        if self._streamed and self._done is None and not self._closed:
            self.begin()
            self.runtime.tasks.start(_pump, self)

    def begin(self) -> None:
        """Make it a stream that the caller pumps."""
        self._bell = anyio.Event()
        self._done = anyio.Event()

    def answer(self, data: bytes) -> None:
        """The request's own task sends the answer: see `finish`."""

    def skip(self) -> None:
        """Nothing is sent."""

    async def finish(self, reply: bytes, status: int = 200) -> None:
        """The end: the reply, as a body or as the last event."""
        if self._closed:
            return
        if self._done is not None:
            self.last(reply)
            await self._done.wait()
        else:
            self._closed = True
            await sse.send_json(self._send, status, reply)

    def last(self, reply: bytes) -> None:
        """The reply ends a stream: nothing comes after it."""
        if not self._closed:
            self._closed = True
            self._queue.append(sse.event(reply))
            self._bell.set()

    def abandon(self) -> None:
        """The client is gone: nothing more is sent."""
        self._closed = True
        self._queue.clear()
        if self._bell is not None:
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
            self._closed = True
            self._done.set()
            self._make_room()

    async def _pump(self) -> None:
        await sse.start_stream(self._send)
        while True:
            while self._queue:
                await sse.send_chunk(self._send, self._queue.popleft())
                if not self.full:
                    self._make_room()
            if self._closed:
                break
            self._bell = anyio.Event()
            with anyio.move_on_after(self._keep_alive) as silence:
                await self._bell.wait()
            if silence.cancelled_caught:
                await sse.send_chunk(self._send, sse.KEEP_ALIVE)
        await sse.end_stream(self._send)

    def _make_room(self) -> None:
        if self._room is not None:
            self._room.set()
            self._room = None


async def _pump(exchange: Exchange) -> None:
    await exchange.pump()
