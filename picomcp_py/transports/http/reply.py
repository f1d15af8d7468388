"""Answering on ASGI: a whole body, or a stream of server-sent events.

A stream's events end in CR LF pairs, say `event: message`, and carry one JSON message each (MCP, transports;
https://html.spec.whatwg.org/multipage/server-sent-events.html).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ...jsonrpc import Refusal, failure
from .asgi import Event, Send

Pairs = Iterable[tuple[bytes, bytes]]

GONE = 499
"""The status for a client that has closed its connection, after nginx. Nobody gets it, but it shows in access logs, and
middleware such as Starlette's takes an application that answers nothing for a broken one.
"""

STREAM_HEADERS = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back
)


_JSON = (b"content-type", b"application/json")


@lru_cache(1024)
def _digits(number: int) -> bytes:
    return b"%d" % number


def json_head(status: int, body: bytes, headers: Pairs = ()) -> Event:
    """The event that begins an answer of a JSON body."""
    pairs = [_JSON, (b"content-length", _digits(len(body)))]
    if headers:
        pairs += headers
    return {"type": "http.response.start", "status": status, "headers": pairs}


def json_body(body: bytes) -> Event:
    """The event that ends it."""
    return {"type": "http.response.body", "body": body}


async def send_json(send: Send, status: int, body: bytes, headers: Pairs = ()) -> None:
    await send(json_head(status, body, headers))
    await send(json_body(body))


async def send_empty(send: Send, status: int, headers: Pairs = ()) -> None:
    pairs = [*headers, (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": b""})


async def send_refusal(send: Send, status: int, refusal: Refusal, headers: Pairs = ()) -> None:
    body = failure(refusal.id, refusal.code, refusal.message, refusal.data)
    await send_json(send, status, body, headers)


async def send_reply(send: Send, body: bytes, takes_json: bool, headers: Pairs = ()) -> None:
    """The answer to a request, which is there already: as JSON, or as a stream of one event if that is all it takes."""
    if takes_json:
        await send_json(send, 200, body, headers)
    else:
        await start_stream(send, headers)
        await send_chunk(send, event(body))
        await end_stream(send)


async def start_stream(send: Send, headers: Pairs = ()) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [*STREAM_HEADERS, *headers]})


def event(data: bytes, id: str | None = None) -> bytes:
    """One message as an event. JSON text of ours has no line breaks."""
    head = b"" if id is None else b"id: " + id.encode() + b"\r\n"
    return head + b"event: message\r\ndata: " + data + b"\r\n\r\n"


def priming(id: str, retry_ms: int | None = None) -> bytes:
    """The empty first event of a stream that can be resumed: it tells the client an id to resume after."""
    retry = b"" if retry_ms is None else b"retry: %d\r\n" % retry_ms
    return b"id: " + id.encode() + b"\r\n" + retry + b"data: \r\n\r\n"


def retry(milliseconds: int) -> bytes:
    """How long the client should wait before it reconnects."""
    return b"retry: %d\r\n\r\n" % milliseconds


KEEP_ALIVE = b": keep-alive\r\n\r\n"


async def send_chunk(send: Send, chunk: bytes) -> None:
    await send({"type": "http.response.body", "body": chunk, "more_body": True})


async def end_stream(send: Send) -> None:
    await send({"type": "http.response.body", "body": b"", "more_body": False})
