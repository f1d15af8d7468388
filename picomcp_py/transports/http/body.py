"""The body of a request, within a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import INVALID_REQUEST
from ...jsonrpc import Refusal
from .asgi import Event
from .reply import GONE, send_empty, send_refusal

if TYPE_CHECKING:
    from .exchange import Exchange


def whole_body(event: Event, limit: int | None) -> bytes | None:
    """The body, if one event brings all of it and it isn't too long: nearly always."""
    if event["type"] != "http.request" or event.get("more_body", False):
        return None
    body: bytes = event.get("body", b"")
    return body if limit is None or len(body) <= limit else None


async def read_body(exchange: Exchange, limit: int | None, event: Event | None = None) -> bytes | None:
    """The whole body, or None when it was refused with a 413, its rest unread, or when the client is gone.

    `event` is the first of the body's events, for a caller that has begun to read.
    """
    if event is None:
        if limit is not None and exchange.terms.length > limit:
            await _refuse(exchange, limit)
            return None
        event = await exchange.receive()
    body = bytearray()  # grows as it comes: a million pieces of one byte cost no million objects
    while True:
        if event["type"] != "http.request":
            await send_empty(exchange.respond, GONE)
            return None
        body += event.get("body", b"")
        if limit is not None and len(body) > limit:
            await _refuse(exchange, limit)
            return None
        if not event.get("more_body", False):
            return bytes(body)
        event = await exchange.receive()


async def _refuse(exchange: Exchange, limit: int | None) -> None:
    text = f'The body is longer than {limit} bytes: raise "maxBodyBytes" if it should be taken'
    # HTTP/2 has no such header: there the stream ends, not the connection.
    close = ((b"connection", b"close"),) if exchange.scope.get("http_version", "1.1").startswith("1") else ()
    await send_refusal(exchange.respond, 413, Refusal(INVALID_REQUEST, text), close)
