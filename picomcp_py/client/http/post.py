"""One POST, and what answers it: a JSON body, or a stream of events that ends with the answer.

Rules:
1. However it ends, the request is told: with the answer, with what the status says, or with what broke.
2. Messages go to the channel as they come, those that precede the answer before it.
3. A stream that breaks before the answer is taken up again with Last-Event-ID, in the handshake era and if its events
   had ids. Nothing is ever sent twice: whether a tool may run twice only its caller can know.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import anyio
import httpx2

from ..channel import Channel
from . import faults
from .outgoing import ACCEPT, Outgoing
from .session import Position, Session

log = logging.getLogger("picomcp_py")

STREAM = "text/event-stream"
ERROR_BYTES = 64 * 1024
"""Of the body of an error. No error of MCP's is longer."""

AFTER = 1.0
"""Seconds for a stream to end after its answer, so that its connection can be used again."""


class Peer:
    """The other side, as all POSTs of one client see it."""

    def __init__(self, http: httpx2.AsyncClient, url: httpx2.URL, channel: Channel, max_bytes: int) -> None:
        self.http = http
        self.url = url
        self.name = faults.shown_url(url)
        self.channel = channel
        self.max_bytes = max_bytes
        self.session = Session()

    def lost(self) -> None:
        """The server has forgotten the session: nothing can be answered any more."""
        self.session.lost = True
        self.channel.close(faults.session_lost(self.name))


class Post:
    """A message on its way."""

    def __init__(self, peer: Peer, message: Outgoing, data: bytes) -> None:
        self.message = message
        self.scope = anyio.CancelScope()
        self.sent = anyio.Event()
        """Its last byte was handed to the system."""
        self.stateless = message.version is not None
        self._peer = peer
        self._data = data

    async def carry(self, headers: dict[str, str]) -> None:
        """Send it, and see to it that it is answered. Raises httpx2.HTTPError when the connection fails."""
        peer = self._peer
        fixed = {"Content-Type": "application/json", "Accept": ACCEPT}
        async with peer.http.stream(
            "POST", peer.url, content=self._data, headers=fixed | headers, extensions={"trace": self._trace}
        ) as response:
            self.sent.set()
            if not self.message.is_request:
                await self._accepted(response)
                return
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if not response.is_success:
                await self._refused(response)
            elif kind == "application/json":
                await self._json(response)
            elif kind == STREAM:
                await self._stream(response)
            self.fail(faults.no_answer(peer.name, response.status_code, kind))

    def fail(self, failure: faults.Failure) -> None:
        """End the request, unless it has ended."""
        self._peer.channel.fail(self.message.id, failure)

    def broken(self, error: Exception) -> faults.Failure:
        """What a failed connection means for the request."""
        return (faults.broken if self.sent.is_set() else faults.unreachable)(self._peer.name, error)

    @property
    def waits(self) -> bool:
        return self._peer.channel.waits(self.message.id)

    async def _trace(self, name: str, info: Any) -> None:
        if name.endswith("send_request_body.complete"):
            self.sent.set()

    async def _accepted(self, response: httpx2.Response) -> None:
        """A notification or an answer of ours: nobody waits for what comes back."""
        session = self._peer.session
        if response.status_code == 404 and session.id is not None:
            self._peer.lost()
        elif not response.is_success:
            log.warning("the server did not take a %s: %d", self.message.method or "reply", response.status_code)

    async def _refused(self, response: httpx2.Response) -> None:
        session = self._peer.session
        if response.status_code == 404 and session.id is not None and not self.stateless:
            self._peer.lost()
            return
        body = await read_body(response, ERROR_BYTES)
        self.fail(faults.refused(self._peer.name, response.status_code, body or b"", response.headers.get("location")))

    async def _json(self, response: httpx2.Response) -> None:
        body = await read_body(response, self._peer.max_bytes)
        if body is None:
            self.fail(faults.too_long(self._peer.max_bytes))
        else:
            self._receive(response, body)

    def _receive(self, response: httpx2.Response, data: bytes) -> None:
        if self.message.method == "initialize":
            self._peer.session.opened(response, data)  # first: the answer's reader sends the next message at once
        self._peer.channel.receive(data)

    # ------------------------------------------------------------ streams

    async def _stream(self, response: httpx2.Response) -> None:
        peer = self._peer
        position = Position()
        broken = await self._read(response, position)
        while self.waits:
            resumable = position.last and not self.stateless and self.message.method != "initialize"
            if not resumable or not position.connecting():
                self.fail(faults.broken(peer.name, broken) if broken else faults.cut_off(peer.name))
                return
            await anyio.sleep(position.pause)
            broken = await self._resume(position)

    async def _resume(self, position: Position) -> httpx2.TransportError | None:
        peer = self._peer
        headers = {"Accept": STREAM, **peer.session.headers(), **position.headers()}
        try:
            async with peer.http.stream("GET", peer.url, headers=headers) as response:
                if response.is_success:
                    return await self._read(response, position)
                await self._refused(response)
                return None
        except httpx2.TransportError as error:
            return error

    async def _read(self, response: httpx2.Response, position: Position) -> httpx2.TransportError | None:
        """Read until the answer, or the end. Gives what broke the stream."""
        with anyio.CancelScope() as scope:

            def take(data: bytes) -> None:
                self._receive(response, data)
                if not self.waits:
                    scope.deadline = min(scope.deadline, anyio.current_time() + AFTER)

            try:
                await read_events(response, position, self._peer.max_bytes, take)
            except httpx2.SSEError:
                self.fail(faults.too_long(self._peer.max_bytes))
            except httpx2.TransportError as error:
                return error
        return None


async def read_events(
    response: httpx2.Response, position: Position, max_bytes: int, take: Callable[[bytes], object]
) -> None:
    """Give `take` the messages of a stream until it ends. Raises httpx2.SSEError for too long ones."""
    async for event in httpx2.EventSource(response, max_event_size=max_bytes):
        position.note(event)
        if event.event == "message" and event.data:  # without data: only an id, or a time to wait
            take(event.data.encode("utf-8", "replace"))


async def read_body(response: httpx2.Response, limit: int) -> bytes | None:
    """The body; None if it is longer than `limit` bytes."""
    body = bytearray()
    too_long = False
    with anyio.CancelScope() as scope:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > limit:
                too_long = True
                body.clear()
                scope.cancel()  # not by leaving the loop: httpx2's generators end in order only from within
    return None if too_long else bytes(body)
