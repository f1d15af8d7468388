"""Events kept so that a broken stream can be resumed: the interface, and the store in memory.

An event's id names its stream and its place in it, so that a `Last-Event-ID` alone says what to replay
(MCP 2025-11-25, basic/transports#resumability-and-redelivery). One store serves one session.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable
from typing import Protocol

MAX_EVENTS = 1000
"""Events kept a session in memory; the oldest go first."""

MAX_BYTES = 16 * 1024 * 1024
"""And their size in all."""

MAX_TOTAL_BYTES = 256 * 1024 * 1024
"""Of all sessions of the process together: beyond, a session that adds gives up its own oldest events."""

Replay = tuple[str, list[tuple[str, bytes]]]
"""A stream's name, and (id, message) pairs."""


class EventStore(Protocol):
    """Where a session's events are kept. Called in the loop's thread; must not block."""

    def add(self, stream: str, data: bytes) -> str:
        """Keep a message (b"" for a priming event) of a stream; gives its id: visible ASCII, unique in the session."""
        ...

    def after(self, id: str) -> Replay | Awaitable[Replay | None] | None:
        """The stream of that event and the (id, message) pairs that came after it; None if it isn't known any more."""
        ...

    def close(self) -> None:
        """The session has ended."""
        ...


class _Budget:
    """What the stores in memory hold together."""

    used = 0


class MemoryEventStore:
    """The default: bounded, and gone with the process."""

    def __init__(self, max_events: int = MAX_EVENTS, max_bytes: int = MAX_BYTES) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._events: OrderedDict[int, tuple[str, bytes]] = OrderedDict()
        self._last = 0
        self._bytes = 0

    def add(self, stream: str, data: bytes) -> str:
        self._last += 1
        self._events[self._last] = (stream, data)
        self._count(len(data))
        while len(self._events) > 1 and (
            len(self._events) > self._max_events or self._bytes > self._max_bytes or _Budget.used > MAX_TOTAL_BYTES
        ):
            _, (_, old) = self._events.popitem(last=False)
            self._count(-len(old))
        return f"{stream}_{self._last}"

    def after(self, id: str) -> Replay | None:
        stream, _, number = id.rpartition("_")
        if not number.isascii() or not number.isdigit() or len(number) > 18:
            return None
        place = int(number)
        if self._events.get(place, ("", b""))[0] != stream:
            return None
        later = ((n, event) for n, event in self._events.items() if n > place)
        return stream, [(f"{stream}_{n}", data) for n, (owner, data) in later if owner == stream and data]

    def close(self) -> None:
        self._events.clear()
        self._count(-self._bytes)

    def _count(self, more: int) -> None:
        self._bytes += more
        _Budget.used += more
