"""The handshake era over HTTP: POSTs into a session, its GET stream, and its end (MCP 2025-11-25, basic/transports).

A call runs in a task of the server's, not of the request: when the connection breaks, the call goes on, and its answer
waits for the client to resume the stream.
"""

from __future__ import annotations

from inspect import isawaitable

from msgspec import UNSET

from ...errors import INTERNAL_ERROR, INVALID_REQUEST
from ...jsonrpc import Batch, Message, Refusal, is_request
from . import rules
from .asgi import Headers
from .batches import batch_fault, is_answered
from .exchange import Exchange
from .place import Place
from .reply import Pairs, send_empty, send_refusal
from .sessions import HttpSession
from .stream import Stream
from .sweep import Watched

ALLOW = ((b"allow", b"GET, POST, DELETE"),)
ALLOW_POST = ((b"allow", b"POST"),)


async def serve_post(post: Exchange, message: Message | Batch) -> None:
    """Answer a POST of the handshake era."""
    place, send, headers = post.place, post.respond, post.request_headers
    id = message.id if isinstance(message, Message) else UNSET
    session, status, text = _find(place, message, headers)
    if session is None:
        await send_refusal(send, status, Refusal(INVALID_REQUEST, text, id))
        return
    connection = session.connection
    if isinstance(message, Batch) and (fault := batch_fault(message, connection.session.revision)):
        await send_refusal(send, 400, Refusal(INVALID_REQUEST, fault))
        return
    if isinstance(message, Message) and is_request(message) and message.id in connection.calls:
        text = f"Request {message.id!r:.60} is still in progress: ids in flight are unique"
        await send_refusal(send, 409, Refusal(INVALID_REQUEST, text, id))
        return
    if not is_answered(message):
        connection.take(message, session.standalone)
        await send_empty(send, 202)
        return
    opening = not connection.session.revision
    stream = session.stream(headers, post.terms.takes[1])
    connection.take(message, stream)
    extra: Pairs = ()
    if connection.session.revision:
        if opening and not place.sessions.add(session):
            text = "There are too many sessions: try again later"
            await send_refusal(send, 503, Refusal(INTERNAL_ERROR, text, id), ((b"retry-after", b"5"),))
            return
        extra = ((rules.SESSION, session.id.encode()),)
    with session:
        await stream.carry_post(send, extra, post.terms.takes[0])


async def serve_get(get: Exchange) -> None:
    """Carry the session's own stream, or with `Last-Event-ID` one that broke."""
    place, send = get.place, get.respond
    # A client that only tries whether there is a stream takes 405 for "there is none" and goes on.
    session = await _find_for(get, 405)
    if session is None:
        return
    if not get.terms.takes[1]:
        await send_refusal(send, 406, Refusal(INVALID_REQUEST, "Accept must allow text/event-stream"))
        return
    last = get.request_headers.get(b"last-event-id")
    stream: Stream = session.standalone
    replay: list[tuple[str, bytes]] | None = None
    if last is not None:
        found = session.store.after(last.decode("latin-1")) if session.store is not None else None
        if isawaitable(found):
            found = await found
        if found is None:
            await send_refusal(send, 400, Refusal(INVALID_REQUEST, "Last-Event-ID names no event that is kept"))
            return
        name, replay = found
        stream = session.streams.get(name) or _ended(name, session)
    elif stream.carried:
        await send_refusal(send, 409, Refusal(INVALID_REQUEST, "The session has its GET stream already"))
        return
    watched = _Get(get.receive, stream=stream)
    place.sweeper.add(watched)
    try:
        with session:
            await stream.carry_get(watched, send, ((rules.SESSION, session.id.encode()),), replay)
    finally:
        place.sweeper.remove(watched)


async def serve_delete(delete: Exchange) -> None:
    """End the session and all that is in progress in it."""
    session = await _find_for(delete, 400)
    if session is not None:
        delete.place.sessions.end(session.id)
        await send_empty(delete.respond, 204)


class _Get(Watched, eq=False):
    """A GET stream, as the sweeper watches it: nothing else tells that its client is gone."""

    stream: Stream

    def disconnected(self) -> None:
        self.stream.let_go(self)


def _find(place: Place, message: Message | Batch, headers: Headers) -> tuple[HttpSession | None, int, str]:
    """The session that a POST belongs to; a new one for `initialize`; else None, a status and the reason."""
    id = headers.get(rules.SESSION)
    opens = isinstance(message, Message) and is_request(message) and message.method == "initialize"
    if id is not None:
        found = place.sessions.get(id.decode("latin-1"))
        return found, 404, "The session is not known, or has ended: send initialize for a new one"
    if opens:
        return place.sessions.new(place.runtime), 0, ""
    return None, 400, "Mcp-Session-Id is missing: send initialize first, or the envelope of 2026-07-28"


async def _find_for(exchange: Exchange, without: int) -> HttpSession | None:
    """The session of a GET or DELETE; None once it was answered. `without` is the status for no session id."""
    place, send = exchange.place, exchange.respond
    if not place.options.sessions:
        await send_empty(send, 405, ALLOW_POST)
        return None
    id = exchange.request_headers.get(rules.SESSION)
    if id is None:
        allow = ALLOW_POST if without == 405 else ()
        await send_refusal(send, without, Refusal(INVALID_REQUEST, "Mcp-Session-Id is missing"), allow)
        return None
    session = place.sessions.get(id.decode("latin-1"))
    if session is None:
        await send_refusal(send, 404, Refusal(INVALID_REQUEST, "The session is not known, or has ended"))
    return session


def _ended(name: str, session: HttpSession) -> Stream:
    stream = Stream(name, session.store, {}, expected=1)
    stream.end()
    return stream
