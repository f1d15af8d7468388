"""A stream of the handshake era: the messages of one POST, or of the session's GET, apart from the connection that
carries them.

The connection may break, or be closed on purpose, while the stream goes on. Rules:

1. A stream begins with its first event. What is answered before that, as JSON, was never a stream, and is not kept.
2. From then on each message has an id and is kept in the session's event store, and a GET with `Last-Event-ID`
   carries on from there (2025-03-26 and later). Without a store, a stream ends with its connection.
3. Who begins to carry a stream takes it from the one before: a client that reconnects may be quicker than the news
   that its old connection broke.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import anyio

from ...log import log
from . import reply as sse
from .asgi import Send
from .event_store import EventStore
from .exchange import COMMIT_AFTER, MAX_QUEUED
from .reply import Pairs

DROP_BEYOND = 8 * MAX_QUEUED
"""Messages queued for a client that doesn't read, before the oldest are dropped."""


def _nothing() -> None:
    """At the end of a stream that nobody keeps."""


class Stream:
    """A wire for calls. `expected` answers end it; 0 makes one that stays, with or without a connection."""

    def __init__(
        self,
        name: str,
        store: EventStore | None,
        headers: Mapping[bytes, bytes],
        *,
        expected: int = 0,
        streamed: bool = True,
        primed: bool = False,
        keep_alive: float | None = None,
        prologue: bytes = b"",
    ) -> None:
        self.name = name
        self.request_headers = headers
        self.ended = False
        self.on_end: Callable[[], object] = _nothing
        self._store = store
        self._expected = expected
        self._stays = expected == 0
        self._streamed = streamed  # the client takes event streams
        self._primed = primed
        self._keep_alive = keep_alive
        self._prologue = prologue  # sent before the first event
        self._begun = False
        self._queue: deque[tuple[str | None, bytes]] = deque()
        self._bell: Any = None  # while somebody waits for it
        self._room: Any = None
        self._carrier: object = None
        self._closing: tuple[int | None] | None = None

    @property
    def carried(self) -> bool:
        return self._carrier is not None

    @property
    def full(self) -> bool:
        if self._carrier is None:  # what stays waits for its GET, which may never come: the sender keeps it, not we
            return self._stays and not self.ended
        return len(self._queue) > MAX_QUEUED and not self.ended

    async def room(self) -> None:
        while self.full:
            if self._room is None:
                self._room = anyio.Event()
            await self._room.wait()

    def send(self, data: bytes) -> None:
        """A message that is no answer. A client that takes no streams gets none."""
        if self._streamed:
            self._put(data)

    def answer(self, data: bytes) -> None:
        """One of the answers that are expected."""
        self._put(data)
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
            on_end, self.on_end = self.on_end, _nothing  # it may refer to the stream: a cycle, which costs collecting
            on_end()
            self._ring()
            self._make_room()

    def close_connection(self, retry_ms: int | None) -> None:
        """End the connection that carries the stream now, not the stream; only for a client that can resume it."""
        coming = not self._begun  # its connection is still waiting for the first message
        if self._store is not None and self._primed and self._streamed and (coming or self._carrier is not None):
            self._closing = (retry_ms,)
            self._ring()

    def let_go(self, carrier: object) -> None:
        """The connection of that carrier is gone."""
        if self._carrier is carrier:
            self._release(carrier)
            self._ring()

    def _put(self, data: bytes) -> None:
        if self.ended:
            return
        id = self._keep(data) if self._begun else None
        if self._carrier is not None or not self._begun or self._stays:
            self._queue.append((id, data))
            if len(self._queue) > DROP_BEYOND:
                self._queue.popleft()
            self._ring()

    def _keep(self, data: bytes) -> str | None:
        if self._store is None:
            return None
        try:
            return self._store.add(self.name, data)
        except Exception:
            log().exception("the event store failed: the event goes out without an id")
            return None

    def _begin(self) -> list[str]:
        """From now on it is a stream. Gives the id of the priming event, if there is to be one."""
        if self._begun:
            return []
        self._begun = True
        priming = self._keep(b"") if self._primed and not self._stays else None
        self._queue = deque((self._keep(data), data) for _, data in self._queue)
        return [] if priming is None else [priming]

    # ------------------------------------------------------------ carrying

    async def carry_post(self, send: Send, headers: Pairs, takes_json: bool) -> None:
        """Answer a POST: as JSON if the answer is the first thing that comes, else as an event stream."""
        carrier = self._carry_by(object())
        try:
            if takes_json:
                await self._first()
                if self.ended and not self._begun and len(self._queue) <= 1 and self._closing is None:
                    await self._answer_json(send, headers)
                    return
            await self._carry(carrier, send, headers)
        finally:
            self._release(carrier)

    async def carry_get(
        self, carrier: object, send: Send, headers: Pairs, replay: Iterable[tuple[str, bytes]] | None
    ) -> None:
        """Carry the stream on a GET, beginning with what was missed: the store's account, or what is queued. `carrier`
        stands for the connection in `let_go`.
        """
        self._carry_by(carrier)
        self._closing = None  # it was meant for the one before
        try:
            if replay is not None:
                self._begun = True
                self._queue = deque(replay)
            await self._carry(carrier, send, headers)
        finally:
            self._release(carrier)

    async def _first(self) -> None:
        """Until there is something to say, or it has taken long."""
        if not self._nothing_to_say():
            return
        with anyio.move_on_after(COMMIT_AFTER if self._streamed else None):
            await self._wait()

    async def _answer_json(self, send: Send, headers: Pairs) -> None:
        if self._queue:
            await sse.send_json(send, 200, self._queue.popleft()[1], headers)
        else:  # cancelled, and HTTP wants an end
            await sse.send_empty(send, 202, headers)

    async def _carry(self, carrier: object, send: Send, headers: Pairs) -> None:
        priming = self._begin()
        await sse.start_stream(send, headers)
        if self._prologue:
            await sse.send_chunk(send, self._prologue)
        for first in priming:
            await sse.send_chunk(send, sse.priming(first))
        while carrier is self._carrier:
            while self._queue and carrier is self._carrier:
                id, data = self._queue.popleft()
                await sse.send_chunk(send, sse.event(data, id))
            self._make_room()
            if self.ended or carrier is not self._carrier:
                break
            if self._closing is not None:
                (retry_ms,) = self._closing
                self._closing = None
                if retry_ms is not None:
                    await sse.send_chunk(send, sse.retry(retry_ms))
                break
            with anyio.move_on_after(self._keep_alive) as silence:
                await self._wait()
            if silence.cancelled_caught:
                await sse.send_chunk(send, sse.KEEP_ALIVE)
        self._release(carrier)  # before the last chunk: the client may be back before it has left the server
        await sse.end_stream(send)

    async def _wait(self) -> None:
        if self._nothing_to_say():
            self._bell = anyio.Event()
            await self._bell.wait()

    def _ring(self) -> None:
        if self._bell is not None:
            self._bell.set()
            self._bell = None

    def _nothing_to_say(self) -> bool:
        return not self._queue and not self.ended and self._closing is None

    def _carry_by(self, carrier: object) -> object:
        self._carrier = carrier
        self._ring()  # who carried it until now lets go
        self._make_room()
        return carrier

    def _release(self, carrier: object) -> None:
        if self._carrier is carrier:
            self._carrier = None
            if not self._stays:
                self._queue.clear()  # the store has them
            self._make_room()

    def _make_room(self) -> None:
        if self._room is not None:
            self._room.set()
            self._room = None
