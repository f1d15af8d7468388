"""The transport of 2024-11-05, HTTP+SSE, for clients that know no other: off unless `sse` is set.

A GET opens the one stream of a client, whose first event names the address that its messages are POSTed to; all that
the server says, answers included, goes into the stream (MCP 2024-11-05, basic/transports#http-with-sse). The stream is
the session: when it breaks, what is in progress ends, and nothing can be resumed.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Mapping
from typing import Any
from urllib.parse import parse_qs

from ... import jsonrpc
from ...errors import INTERNAL_ERROR, INVALID_REQUEST
from ...jsonrpc import Refusal
from ...running.connection import Connection
from . import rules
from .body import read_body
from .exchange import Exchange
from .reply import send_empty, send_refusal
from .stream import Stream
from .sweep import Watched

STREAM = "/sse"
MESSAGES = "/messages"


def pair_path(scope: Mapping[str, Any]) -> str | None:
    """STREAM or MESSAGES, if a request is for one of them; below a mount, relative to it."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    if root and path.startswith(root):
        path = path[len(root) :]
    path = path.rstrip("/")
    return path if path in (STREAM, MESSAGES) else None


def serve_pair(exchange: Exchange, path: str) -> Awaitable[None]:
    """Answer a request for one of the two addresses: what this returns does it."""
    method = exchange.scope["method"]
    if path == STREAM and method == "GET":
        return _open(exchange)
    if path == MESSAGES and method == "POST":
        return _take(exchange)
    return send_empty(exchange.respond, 405, ((b"allow", b"GET" if path == STREAM else b"POST"),))


class _Client(Watched, eq=False):
    """One client: its stream, and what it has in progress."""

    id: str
    stream: Stream
    connection: Connection

    def disconnected(self) -> None:
        self.stream.let_go(self)


def _new_client(get: Exchange) -> _Client:
    id = secrets.token_urlsafe(24)
    root = get.scope.get("root_path", "")
    endpoint = f"event: endpoint\r\ndata: {root}{MESSAGES}?sessionId={id}\r\n\r\n".encode()
    keep_alive = get.place.options.keep_alive_seconds
    stream = Stream("sse", None, get.request_headers, keep_alive=keep_alive, prologue=endpoint)
    return _Client(get.receive, id=id, stream=stream, connection=Connection(get.place.runtime, stream))


async def _open(get: Exchange) -> None:
    place, send = get.place, get.respond
    if not get.terms.takes[1]:
        await send_refusal(send, 406, Refusal(INVALID_REQUEST, "Accept must allow text/event-stream"))
        return
    if len(place.pairs) >= place.options.max_sessions:
        text = "There are too many clients: try again later"
        await send_refusal(send, 503, Refusal(INTERNAL_ERROR, text), ((b"retry-after", b"5"),))
        return
    client = _new_client(get)
    place.pairs[client.id] = (client.connection, client.stream)
    place.sweeper.add(client)
    try:
        await client.stream.carry_get(client, send, (), None)
    finally:
        place.sweeper.remove(client)
        del place.pairs[client.id]
        client.connection.close("the client has closed its stream")
        client.stream.end()


async def _take(post: Exchange) -> None:
    place, send = post.place, post.respond
    if not rules.is_json(post.request_headers.get(b"content-type")):
        await send_refusal(send, 415, Refusal(INVALID_REQUEST, "Content-Type must be application/json"))
        return
    (id,) = parse_qs(post.scope.get("query_string", b"").decode("latin-1")).get("sessionId", [""])[:1]
    found = place.pairs.get(id)
    if found is None:
        text = f"The session is not known, or has ended: open {STREAM} for a new one"
        await send_refusal(send, 404, Refusal(INVALID_REQUEST, text))
        return
    body = await read_body(post, place.options.max_body_bytes)
    if body is not None:
        connection, stream = found
        connection.take(jsonrpc.decode(body), stream)
        await send_empty(send, 202)
