"""The way to the client, as the protocol's side sees it: `send`, `full`, `room`.

Rules
- `send` never blocks and raises nothing. What the client has not made room for is kept, in order.
- `full` says that much is waiting. Who is told so decides what to do: not to start new calls, rather than not to read,
  as a paused reader would miss its cancel and its end.
- A client that is gone is told to `lost`, once, from the loop and never inside of `send`.

Non-goals: how bytes are written, see wire_loop and wire_thread.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping

import anyio

from ...log import log

HIGH_WATER = 1024 * 1024  # bytes: some twenty large replies; a pipe holds 64 KiB more
MAX_UNSENT = 256 * 1024 * 1024  # bytes: a client so far behind will not come back, and must not fill the memory
LOW_WATER = HIGH_WATER // 4  # well below, so that work goes on in batches and not reply by reply
JOIN = 1024 * 1024  # bytes joined for one write: what is copied stays small beside the largest replies
_GONE = {errno.EPIPE, errno.ECONNRESET, errno.ESHUTDOWN, errno.ENOTCONN, errno.EIO, errno.ENXIO}


class Wire:
    """The way to the client.

    `full` is True while more than HIGH_WATER bytes wait unsent, until fewer than LOW_WATER do.
    """

    full: bool
    request_headers: Mapping[bytes, bytes] = {}

    def __init__(self, lost: Callable[[str], None], below: Callable[[], None]) -> None:
        self.full = False
        self._closed = False
        self._lost = lost
        self._below = below
        self._room: anyio.Event | None = None
        self._empty: anyio.Event | None = None

    def send(self, data: bytes) -> None:
        """Sends one message, without its newline; from the loop's thread. Never blocks, raises nothing.

        Does nothing once the wire is closed or the client is gone.
        """
        raise NotImplementedError

    def answer(self, data: bytes) -> None:
        """Sends a reply."""
        self.send(data)

    def skip(self) -> None:
        """A request will not be answered."""

    @property
    def unsent(self) -> int:
        """Bytes that were accepted and have not been written."""
        raise NotImplementedError

    async def room(self) -> None:
        """Returns when the wire is not full, or closed."""
        while self.full:
            if self._room is None:
                self._room = anyio.Event()
            await self._room.wait()

    async def flushed(self) -> None:
        """Returns when everything is written, or the wire is closed."""
        while not self._closed:
            # Made first, then looked: a writing thread looks at the event after it has counted what it wrote.
            empty = self._empty = anyio.Event()
            if not self.unsent:
                break
            await empty.wait()
        self._empty = None

    def close(self) -> None:
        """Drops what is unsent. May be called twice."""
        if not self._closed:
            self._closed = True
            self._set_room()
            self._set_empty()

    def _set_room(self) -> None:
        self.full = False
        if self._room is not None:
            self._room.set()
            self._room = None

    def _set_empty(self) -> None:
        if self._empty is not None:
            self._empty.set()

    def _on_low(self) -> None:
        if self.full and self.unsent < LOW_WATER and not self._closed:
            self._set_room()
            self._below()

    def _fail(self, error: Exception) -> None:
        if self._closed:
            return
        self.close()
        if isinstance(error, OSError) and error.errno in _GONE:
            self._lost("the client no longer reads")
        else:
            log().error("stdout can't be written (%s); the session ends", error)
            self._lost(f"stdout can't be written: {error}")
