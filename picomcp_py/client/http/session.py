"""What a session of the handshake era needs over HTTP besides the POSTs: its id, the revision, and where a stream of
events can be taken up again.

Sources: MCP 2025-11-25, basic/transports#session-management, #resumability-and-redelivery, #protocol-version-header.
"""

from __future__ import annotations

from typing import Any

import httpx2
from msgspec import UNSET

from ... import jsonrpc
from ...jsonrpc import Message
from ...jsontext import decode_json

RETRY = 1.0
"""Seconds before a stream is taken up again, where the server doesn't say."""

MAX_RETRY = 30.0
"""Seconds that a server can make us wait, and that waits grow to."""

ATTEMPTS = 4
"""Connections in a row that bring nothing, before a stream is given up."""


class Session:
    """What `initialize` gave."""

    __slots__ = ("id", "lost", "revision")

    def __init__(self) -> None:
        self.id: str | None = None
        self.revision: str | None = None
        self.lost = False

    def opened(self, response: httpx2.Response, data: bytes) -> None:
        """Note what the answer to `initialize` says."""
        message = jsonrpc.decode(data)
        if not isinstance(message, Message) or message.result is UNSET:
            return
        try:
            result: Any = decode_json(message.result)
        except ValueError:
            return  # the channel says so
        revision = result.get("protocolVersion") if isinstance(result, dict) else None
        if isinstance(revision, str) and revision.isascii() and revision.isprintable():
            self.revision = revision
            self.id = response.headers.get("mcp-session-id")

    def headers(self) -> dict[str, str]:
        found = {}
        if self.revision is not None:
            found["MCP-Protocol-Version"] = self.revision
        if self.id is not None:
            found["Mcp-Session-Id"] = self.id
        return found


class Position:
    """How far a stream of events was read, and how its next connection goes."""

    __slots__ = ("_fruitless", "_retry", "last")

    def __init__(self) -> None:
        self.last = ""
        self._retry: float | None = None
        self._fruitless = 0

    def note(self, event: httpx2.ServerSentEvent) -> None:
        """An event came."""
        self._fruitless = 0
        if event.id:
            self.last = event.id
        if event.retry is not None and event.retry >= 0:
            self._retry = event.retry / 1000

    def lasted(self) -> None:
        """A connection was good for something, though no event came."""
        self._fruitless = 0

    def connecting(self) -> bool:
        """Count a connection. False: there were too many that brought nothing."""
        self._fruitless += 1
        return self._fruitless <= ATTEMPTS

    @property
    def pause(self) -> float:
        """Seconds until the next connection: what the server said, longer after connections that brought nothing."""
        first = RETRY if self._retry is None else self._retry
        growth: int = 1 << max(self._fruitless - 1, 0)
        return min(first * growth, MAX_RETRY)

    def headers(self) -> dict[str, str]:
        return {"Last-Event-ID": self.last} if self.last else {}
