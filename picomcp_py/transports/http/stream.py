"""A stream of the handshake era: the messages of one POST, or of the session's GET, apart from the connection that
carries them.

The connection may break, or be closed on purpose, while the stream goes on; what is sent meanwhile is kept in the
session's event store, and a GET with `Last-Event-ID` carries on from there (2025-03-26 and later).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import anyio

from . import reply as sse
from .event_store import EventStore
from .exchange import COMMIT_AFTER, KEEP_ALIVE, MAX_QUEUED
from .reply import Pairs, Send

DROP_BEYOND = 8 * MAX_QUEUED
"""Messages queued for a client that doesn't read, before the oldest are dropped."""


class Stream:
    """A wire for calls. `expected` answers end it; 0 means that it never ends by itself."""

    def __init__(self, name: str, store: EventStore | None, headers: Mapping[bytes, bytes], expected: int) -> None:
        self.name = name
        self.request_headers = headers
        self.ended = False
        self.on_end: Callable[[], object] = lambda: None
        self._priming: str | None = None
        self._store = store
        self._expected = expected
        self._queue: deque[tuple[str | None, bytes, bool]] = deque()
        self._bell = anyio.Event()
        self._carrier: object = None
        self._carried_once = False
        self._closing: int | None = None
        self._room: Any = None

    def prime(self) -> None:
        """Begin with an empty event, so that a client can resume from before the first message."""
        if self._store is not None:
            self._priming = self._store.add(self.name, b"")

    @property
    def carried(self) -> bool:
        return self._carrier is not None

    @property
    def full(self) -> bool:
        return len(self._queue) > MAX_QUEUED and self._carrier is not None

    async def room(self) -> None:
        while self.full:
            self._room = anyio.Event()
            await self._room.wait()

    def send(self, data: bytes) -> None:
        """A message that is no answer."""
        self._put(data, False)

    def answer(self, data: bytes) -> None:
        """One of the answers that are expected."""
        self._put(data, True)
        self.skip()

    def skip(self) -> None:
        """An answer that will not come: its call was cancelled."""
        self._expected -= 1
        if self._expected == 0:
            self.end()

    def end(self) -> None:
        """Nothing more comes."""
        if not self.ended:
            self.ended = True
            self.on_end()
            self._bell.set()

    def _put(self, data: bytes, is_answer: bool) -> None:
        if self.ended:
            return
        id = self._store.add(self.name, data) if self._store is not None else None
        if self._carrier is not None or self._store is None or not self._carried_once:
            self._queue.append((id, data, is_answer))
            if len(self._queue) > DROP_BEYOND:  # nobody reads: the store, if there is one, has them
                self._queue.popleft()
            self._bell.set()

    def close_connection(self, retry_ms: int | None) -> None:
        """End the connection that carries the stream now, not the stream."""
        if self._store is not None:
            self._closing = -1 if retry_ms is None else retry_ms
            self._bell.set()

    def let_go(self) -> None:
        """The connection that carries the stream is gone."""
        self._carrier = None
        self._bell.set()

    # ------------------------------------------------------------ carrying

    async def carry_post(self, send: Send, headers: Pairs, takes_json: bool, takes_stream: bool) -> None:
        """Answer a POST: as JSON if the answer is the first thing that comes, else as an event stream."""
        carrier = self._carrier = object()
        self._carried_once = True
        try:
            if takes_json:
                with anyio.move_on_after(COMMIT_AFTER if takes_stream else None):
                    while not self._queue and not self.ended and self._closing is None:
                        await self._wait()
                if not takes_stream:
                    while not self.ended:
                        await self._wait()
                    self._queue = deque(item for item in self._queue if item[2])
                if self.ended and len(self._queue) <= 1 and self._closing is None:
                    await self._answer_json(send, headers)
                    return
            await self._carry(send, headers, self._priming)
        finally:
            if self._carrier is carrier:
                self._carrier = None

    async def carry_get(self, send: Send, headers: Pairs, replay: list[tuple[str, bytes]]) -> None:
        """Carry the stream on a GET, beginning with what was missed."""
        carrier = self._carrier = object()
        self._carried_once = True
        self._bell.set()  # who carried it until now lets go
        self._queue = deque((id, data, False) for id, data in replay)
        self._closing = None
        try:
            await self._carry(send, headers, None)
        finally:
            if self._carrier is carrier:
                self._carrier = None

    async def _answer_json(self, send: Send, headers: Pairs) -> None:
        if self._queue:
            await sse.send_json(send, 200, self._queue.popleft()[1], headers)
        else:  # cancelled, and HTTP wants an end
            await sse.send_empty(send, 202, headers)

    async def _carry(self, send: Send, headers: Pairs, priming: str | None) -> None:
        carrier = self._carrier
        await sse.start_stream(send, headers)
        if priming is not None:
            await sse.send_chunk(send, sse.priming(priming))
        while carrier is self._carrier:
            while self._queue:
                id, data, _ = self._queue.popleft()
                await sse.send_chunk(send, sse.event(data, id))
            if self._room is not None:
                self._room.set()
                self._room = None
            if self.ended:
                break
            if self._closing is not None:
                if self._closing >= 0:
                    await sse.send_chunk(send, sse.retry(self._closing))
                self._closing = None
                break
            with anyio.move_on_after(KEEP_ALIVE) as silence:
                await self._wait()
            if silence.cancelled_caught:
                await sse.send_chunk(send, sse.KEEP_ALIVE)
        await sse.end_stream(send)

    async def _wait(self) -> None:
        self._bell = anyio.Event()
        if not self._queue and not self.ended and self._closing is None:
            await self._bell.wait()
