"""Two ends wired together in one process: a client's and a server's, each with JSON text as on any other transport."""

from __future__ import annotations

from collections.abc import Callable, Mapping


class MemoryWire:
    """A server's sending half: every message goes straight to `deliver(data: bytes)`, which must not block."""

    full = False
    request_headers: Mapping[bytes, bytes] = {}

    def __init__(self, deliver: Callable[[bytes], None]) -> None:
        self._deliver = deliver
        self._closed = False

    def send(self, data: bytes) -> None:
        if not self._closed:
            self._deliver(data)

    answer = send

    def skip(self) -> None:
        """Nobody waits for a reply."""

    async def room(self) -> None:
        """There always is."""

    def close(self) -> None:
        """Nothing is delivered after this."""
        self._closed = True
