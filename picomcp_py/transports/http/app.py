"""Streamable HTTP as a bare ASGI application: one endpoint, both eras, request by request.

What a request is decides who serves it, in this order (`rules` has the single rules):

1. Host and Origin are allowed                       421, 403
2. the path is the endpoint's                        404
3. GET and DELETE belong to sessions                 405 without them
4. POST: a JSON body within the limit                415, 406, 413, 400
5. with the 2026-07-28 envelope, or a version header that is none of the handshake era's: stateless
6. else: a session of the handshake era              400 without one, 404 for one that isn't known

Nothing needs the ASGI lifespan: the first request starts the server's owner task where no lifespan was delivered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from msgspec import UNSET

from ... import jsonrpc
from ...errors import INTERNAL_ERROR, INVALID_REQUEST
from ...jsonrpc import Batch, Message, Refusal, is_request
from ...log import log
from ...offered.app import App
from ...protocol.inbound import carries_envelope
from ...revisions import BATCH, HANDSHAKE
from ...running.connection import wants_reply
from ...running.owner import Owners
from ...running.runtime import Runtime
from . import rules
from .options import HttpOptions, http_options
from .reply import Send, send_empty, send_refusal
from .rules import Guard, Headers
from .sessions import HttpSession, Sessions
from .stateless import serve_stateless
from .stream import Stream
from .sweep import Receive, Sweeper

Scope = dict[str, Any]
ALLOW = ((b"allow", b"GET, POST, DELETE"),)
ALLOW_POST = ((b"allow", b"POST"),)


def http_app(app: App, server: Any, config: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> HttpApp:
    """An application for a server, from the options of `server.asgi`. Raises ConfigError."""
    return HttpApp(Owners(app, server), http_options("asgi()", config, keywords))


class _Place:
    """What one loop serves with."""

    def __init__(self, runtime: Runtime, options: HttpOptions) -> None:
        self.runtime = runtime
        self.sweeper = Sweeper(runtime.tasks)
        self.sessions = Sessions(options.max_sessions, options.session_idle_seconds, options.event_store)


class HttpApp:
    """An ASGI application that serves one server. Made by `server.asgi(...)`."""

    def __init__(self, owners: Owners, options: HttpOptions) -> None:
        self._owners = owners
        self._options = options
        self._guard = Guard(options.allowed_hosts, options.allowed_origins)
        self._places: dict[int, _Place] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:  # a websocket
            await send({"type": "websocket.close", "code": 1003, "reason": "MCP is served over HTTP"})

    # ------------------------------------------------------------ the loop's part

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._owners.runtime()
        except Exception as error:
            log().exception("the lifespan of the server failed")
            await send({"type": "lifespan.startup.failed", "message": f"{type(error).__name__}: {error}"})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        try:
            for place in self._places.values():
                place.sessions.close()
            await self._owners.stop()
        except Exception as error:
            log().exception("the lifespan of the server failed at its end")
            await send({"type": "lifespan.shutdown.failed", "message": f"{type(error).__name__}: {error}"})
            return
        await send({"type": "lifespan.shutdown.complete"})

    async def _place(self) -> _Place:
        runtime = await self._owners.runtime()
        place = self._places.get(id(runtime))
        if place is None or place.runtime is not runtime:
            self._places = {k: p for k, p in self._places.items() if not p.runtime.closed}
            place = self._places[id(runtime)] = _Place(runtime, self._options)
        return place

    # ------------------------------------------------------------ requests

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        pairs = scope["headers"]
        headers: Headers = dict(pairs)
        refused = self._guard.refuse(headers)
        if refused is not None:
            status, text = refused
            await send_refusal(send, status, Refusal(INVALID_REQUEST, text))
            return
        if not self._options.is_endpoint(scope):
            await send_empty(send, 404)
            return
        method = scope["method"]
        place = await self._place()
        if method == "POST":
            await self._post(place, pairs, headers, receive, send)
        elif method in ("GET", "DELETE") and not rules.is_modern(headers.get(rules.VERSION)):
            await self._session_request(place, method, headers, receive, send)
        else:
            await send_empty(send, 405, ALLOW if self._options.sessions else ALLOW_POST)

    async def _post(
        self, place: _Place, pairs: list[tuple[bytes, bytes]], headers: Headers, receive: Receive, send: Send
    ) -> None:
        if not rules.is_json(headers.get(b"content-type")):
            await send_refusal(send, 415, Refusal(INVALID_REQUEST, "Content-Type must be application/json"))
            return
        takes = rules.takes(headers.get(b"accept"))
        if not any(takes):
            text = "Accept must allow application/json or text/event-stream"
            await send_refusal(send, 406, Refusal(INVALID_REQUEST, text))
            return
        body = await self._read(headers, receive, send)
        if body is None:
            return
        message = jsonrpc.decode(body)
        if isinstance(message, Refusal):
            await send_refusal(send, 400, message)
            return
        if len(headers) != len(pairs) and (twice := rules.duplicate(pairs)) is not None:
            id = message.id if isinstance(message, Message) else UNSET
            await send_refusal(send, 400, rules.duplicate_refusal(twice, id))
            return
        modern = rules.is_modern(headers.get(rules.VERSION))
        if isinstance(message, Message) and (modern or carries_envelope(message)):
            if modern and not is_request(message) and message.method is UNSET:
                text = "A response was posted, but no request of the server's is open in this revision"
                await send_refusal(send, 400, Refusal(INVALID_REQUEST, text, message.id))
                return
            await serve_stateless(place.runtime, place.sweeper, message, headers, receive, send, takes)
        elif modern:
            await send_refusal(send, 400, Refusal(INVALID_REQUEST, f"Batches exist in {BATCH} only"))
        else:
            await self._session_post(place, message, headers, send, takes)

    async def _read(self, headers: Headers, receive: Receive, send: Send) -> bytes | None:
        """The body, or None when it was refused or the client is gone."""
        limit = self._options.max_body_bytes
        length = headers.get(b"content-length", b"")
        too_long = limit is not None and length.isdigit() and (len(length) > 18 or int(length) > limit)
        body = b""
        if not too_long:
            event = await receive()
            if event["type"] != "http.request":
                return None
            body = event.get("body", b"")
            if event.get("more_body", False):
                joined = bytearray(body)  # grows as it comes: a million pieces of one byte cost no million objects
                while event.get("more_body", False) and (limit is None or len(joined) <= limit):
                    event = await receive()
                    if event["type"] != "http.request":
                        return None
                    joined += event.get("body", b"")
                body = bytes(joined)
            too_long = limit is not None and len(body) > limit
        if too_long:
            text = f'The body is longer than {limit} bytes: raise "maxBodyBytes" if it should be taken'
            await send_refusal(send, 413, Refusal(INVALID_REQUEST, text), ((b"connection", b"close"),))
            return None
        return body

    # ------------------------------------------------------------ sessions

    async def _session_post(
        self,
        place: _Place,
        message: Message | Batch,
        headers: Headers,
        send: Send,
        takes: tuple[bool, bool],
    ) -> None:
        session, status, text = self._find(place, message, headers)
        if session is None:
            id = message.id if isinstance(message, Message) else UNSET
            await send_refusal(send, status, Refusal(INVALID_REQUEST, text, id))
            return
        connection = session.connection
        if isinstance(message, Batch) and connection.session.revision != BATCH:
            await send_refusal(send, 400, Refusal(INVALID_REQUEST, f"Batches exist in {BATCH} only"))
            return
        if isinstance(message, Message) and is_request(message) and message.id in connection.calls:
            text = f"Request {message.id!r:.60} is still in progress: ids in flight are unique"
            await send_refusal(send, 409, Refusal(INVALID_REQUEST, text, message.id))
            return
        if not _is_answered(message):
            connection.take(message, session.standalone)
            await send_empty(send, 202)
            return
        opening = not connection.session.revision
        stream = session.stream(headers, 1)
        connection.take(message, stream)
        extra: tuple[tuple[bytes, bytes], ...] = ()
        if self._options.sessions:
            if opening and connection.session.revision and not place.sessions.add(session):
                text = "There are too many sessions: try again later"
                await send_refusal(send, 503, Refusal(INTERNAL_ERROR, text), ((b"retry-after", b"5"),))
                return
            if connection.session.revision:
                extra = ((rules.SESSION, session.id.encode()),)
        await self._carry(session, stream.carry_post(send, extra, *takes))

    def _find(self, place: _Place, message: Message | Batch, headers: Headers) -> tuple[HttpSession | None, int, str]:
        """The session that a POST belongs to; a new one for `initialize`; else None, a status and the reason."""
        id = headers.get(rules.SESSION)
        opens = isinstance(message, Message) and is_request(message) and message.method == "initialize"
        if not self._options.sessions:
            session = place.sessions.new(place.runtime)
            session.store = None
            if not opens:
                session.connection.session.revision = _assumed(headers)
            return session, 0, ""
        if id is not None:
            found = place.sessions.get(id.decode("latin-1"))
            return found, 404, "The session is not known, or has ended: send initialize for a new one"
        if opens:
            return place.sessions.new(place.runtime), 0, ""
        return None, 400, "Mcp-Session-Id is missing: send initialize first, or the envelope of 2026-07-28"

    async def _session_request(
        self, place: _Place, method: str, headers: Headers, receive: Receive, send: Send
    ) -> None:
        """GET and DELETE."""
        if not self._options.sessions:
            await send_empty(send, 405, ALLOW_POST)
            return
        id = headers.get(rules.SESSION)
        if id is None:
            # A client that only probes for a stream takes 405 for "there is none" and goes on.
            status = 405 if method == "GET" else 400
            await send_refusal(send, status, Refusal(INVALID_REQUEST, "Mcp-Session-Id is missing"), ALLOW_POST)
            return
        session = place.sessions.get(id.decode("latin-1"))
        if session is None:
            await send_refusal(send, 404, Refusal(INVALID_REQUEST, "The session is not known, or has ended"))
        elif method == "DELETE":
            place.sessions.end(session.id)
            await send_empty(send, 204)
        elif not rules.takes(headers.get(b"accept"))[1]:
            await send_refusal(send, 406, Refusal(INVALID_REQUEST, "Accept must allow text/event-stream"))
        else:
            await self._get(place, session, headers, receive, send)

    async def _get(self, place: _Place, session: HttpSession, headers: Headers, receive: Receive, send: Send) -> None:
        last = headers.get(b"last-event-id")
        stream: Stream = session.standalone
        replay: list[tuple[str, bytes]] = []
        if last is not None:
            found = session.store.after(last.decode("latin-1")) if session.store is not None else None
            if found is None:
                await send_refusal(send, 400, Refusal(INVALID_REQUEST, "Last-Event-ID names no event that is kept"))
                return
            name, replay = found
            stream = session.streams.get(name) or _ended(name, session)
        elif stream.carried:
            await send_refusal(send, 409, Refusal(INVALID_REQUEST, "The session has its GET stream already"))
            return
        extra = ((rules.SESSION, session.id.encode()),)
        watched = _Get(stream, receive)
        place.sweeper.add(watched)
        try:
            await self._carry(session, stream.carry_get(send, extra, replay))
        finally:
            place.sweeper.remove(watched)

    async def _carry(self, session: HttpSession, carrying: Awaitable[None]) -> None:
        session.carriers += 1
        try:
            await carrying
        finally:
            session.carriers -= 1


class _Get:
    """A GET stream, as the sweeper watches it: nothing else tells that its client is gone."""

    def __init__(self, stream: Stream, receive: Receive) -> None:
        self.receive = receive
        self._stream = stream

    def disconnected(self) -> None:
        self._stream.let_go()

    def waited(self, seconds: float) -> None:
        """It may wait for ever."""


def _is_answered(message: Message | Batch) -> bool:
    if isinstance(message, Message):
        return is_request(message)
    return not message.items or any(wants_reply(jsonrpc.decode(item)) for item in message.items)


def _ended(name: str, session: HttpSession) -> Stream:
    stream = Stream(name, session.store, {}, 0)
    stream.end()
    return stream


def _assumed(headers: Headers) -> str:
    """The revision of a request without a session (MCP 2025-06-18, basic/transports#protocol-version-header)."""
    version = headers.get(rules.VERSION, b"").decode("latin-1").strip()
    return version if version in HANDSHAKE else "2025-03-26"
