"""The body of a POST, within a limit, and without a cost for each of its pieces."""

from __future__ import annotations

from typing import Any

from ...errors import INVALID_REQUEST
from ...jsonrpc import Refusal
from .reply import GONE, Send, send_empty, send_refusal
from .rules import Headers
from .sweep import Receive


async def read_body(
    scope: dict[str, Any], headers: Headers, receive: Receive, send: Send, limit: int | None
) -> bytes | None:
    """The whole body, or None when it was refused with a 413, its rest unread, or when the client is gone."""
    if limit is not None:
        length = headers.get(b"content-length", b"")
        # Nearly all bodies are far below the limit, so that their number needn't be looked at.
        if (len(length) > 5 or limit < 100_000) and _exceeds(length, limit):
            await _refuse(scope, send, limit)
            return None
    event = await receive()
    if event["type"] != "http.request":
        await send_empty(send, GONE)
        return None
    body: bytes = event.get("body", b"")
    if event.get("more_body", False):
        joined = bytearray(body)  # grows as it comes: a million pieces of one byte cost no million objects
        while event.get("more_body", False) and (limit is None or len(joined) <= limit):
            event = await receive()
            if event["type"] != "http.request":
                await send_empty(send, GONE)
                return None
            joined += event.get("body", b"")
        body = bytes(joined)
    if limit is not None and len(body) > limit:
        await _refuse(scope, send, limit)
        return None
    return body


def _exceeds(length: bytes, limit: int) -> bool:
    return length.isdigit() and (len(length) > 18 or int(length) > limit)


async def _refuse(scope: dict[str, Any], send: Send, limit: int) -> None:
    text = f'The body is longer than {limit} bytes: raise "maxBodyBytes" if it should be taken'
    # HTTP/2 has no such header: there the stream ends, not the connection.
    close = ((b"connection", b"close"),) if scope.get("http_version", "1.1").startswith("1") else ()
    await send_refusal(send, 413, Refusal(INVALID_REQUEST, text), close)
