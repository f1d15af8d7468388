"""The transport of 2024-11-05, HTTP+SSE, for clients that know no other: off unless `sse` is set.

A GET opens the one stream of a client, whose first event names the address that its messages are POSTed to; all that
the server says, answers included, goes into the stream (MCP 2024-11-05, basic/transports#http-with-sse). The stream is
the session: when it breaks, what is in progress ends, and nothing can be resumed.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from ... import jsonrpc
from ...errors import INTERNAL_ERROR, INVALID_REQUEST
from ...jsonrpc import Refusal
from ...running.connection import Connection
from . import rules
from .body import read_body
from .place import Place
from .reply import Send, send_empty, send_refusal
from .rules import Headers
from .stream import Stream
from .sweep import Receive, Watched

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


async def serve_pair(
    place: Place, path: str, scope: Mapping[str, Any], headers: Headers, receive: Receive, send: Send
) -> None:
    """Answer a request for one of the two addresses."""
    if path == STREAM and scope["method"] == "GET":
        await _open(place, scope, headers, receive, send)
    elif path == MESSAGES and scope["method"] == "POST":
        await _take(place, scope, headers, receive, send)
    else:
        await send_empty(send, 405, ((b"allow", b"GET" if path == STREAM else b"POST"),))


class _Client(Watched):
    """One client: its stream, and what it has in progress."""

    def __init__(self, place: Place, root: str, headers: Headers, receive: Receive) -> None:
        self.id = secrets.token_urlsafe(24)
        self.receive = receive
        endpoint = f"event: endpoint\r\ndata: {root}{MESSAGES}?sessionId={self.id}\r\n\r\n".encode()
        keep_alive = place.options.keep_alive_seconds
        self.stream = Stream("sse", None, headers, keep_alive=keep_alive, prologue=endpoint)
        self.connection = Connection(place.runtime, self.stream)

    def disconnected(self) -> None:
        self.stream.let_go(self)


async def _open(place: Place, scope: Mapping[str, Any], headers: Headers, receive: Receive, send: Send) -> None:
    if not rules.takes(headers.get(b"accept"))[1]:
        await send_refusal(send, 406, Refusal(INVALID_REQUEST, "Accept must allow text/event-stream"))
        return
    if len(place.pairs) >= place.options.max_sessions:
        text = "There are too many clients: try again later"
        await send_refusal(send, 503, Refusal(INTERNAL_ERROR, text), ((b"retry-after", b"5"),))
        return
    client = _Client(place, scope.get("root_path", ""), headers, receive)
    place.pairs[client.id] = (client.connection, client.stream)
    place.sweeper.add(client)
    try:
        await client.stream.carry_get(client, send, (), None)
    finally:
        place.sweeper.remove(client)
        del place.pairs[client.id]
        client.connection.close("the client has closed its stream")
        client.stream.end()


async def _take(place: Place, scope: Mapping[str, Any], headers: Headers, receive: Receive, send: Send) -> None:
    if not rules.is_json(headers.get(b"content-type")):
        await send_refusal(send, 415, Refusal(INVALID_REQUEST, "Content-Type must be application/json"))
        return
    (id,) = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("sessionId", [""])[:1]
    found = place.pairs.get(id)
    if found is None:
        text = f"The session is not known, or has ended: open {STREAM} for a new one"
        await send_refusal(send, 404, Refusal(INVALID_REQUEST, text))
        return
    body = await read_body(dict(scope), headers, receive, send, place.options.max_body_bytes)
    if body is not None:
        connection, stream = found
        connection.take(jsonrpc.decode(body), stream)
        await send_empty(send, 202)
