"""Streamable HTTP as a bare ASGI application: one endpoint, both eras, request by request.

What a request is decides who serves it, in this order (`rules` has the single rules):

1. headers within limits, Host and Origin allowed    431, 400, 421, 403
2. the path is the endpoint's                        404
3. GET and DELETE belong to sessions                 405 without them
4. POST: a JSON body within the limit                415, 406, 413, 400
5. with the 2026-07-28 envelope, or a version header that is none of the handshake era's: `stateless`
6. else: `stateful`, a session of the handshake era  400 without one, 404 for one that isn't known
   or `sessionless`, where there are none

Nothing needs the ASGI lifespan: the first request starts the server's owner task where no lifespan was delivered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import UNSET

from ... import jsonrpc
from ...errors import INTERNAL_ERROR, INVALID_REQUEST
from ...jsonrpc import Message, Refusal
from ...log import log
from ...offered.app import App
from ...protocol.inbound import carries_envelope
from ...revisions import BATCH
from ...running.backend import loop_key
from ...running.owner import Owners, owners_of
from . import rules
from .body import read_body
from .cors import with_cors
from .options import HttpOptions, http_options
from .place import Place
from .reply import Send, send_empty, send_refusal
from .rules import Guard, Headers
from .sessionless import serve_sessionless
from .sse_pair import pair_path, serve_pair
from .stateful import ALLOW, ALLOW_POST, serve_delete, serve_get, serve_post
from .stateless import serve_stateless
from .sweep import Receive

Scope = dict[str, Any]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]


def http_app(
    app: App, server: Any, where: str, config: Mapping[str, Any] | None, keywords: Mapping[str, Any]
) -> HttpApp:
    """An application for a server, from the options of `server.asgi` or `server.routes`. Raises ConfigError."""
    return HttpApp(owners_of(app, server), http_options(where, config, keywords), any_path=where == "routes()")


class HttpApp:
    """An ASGI application that serves one server. Made by `server.asgi(...)`."""

    def __init__(self, owners: Owners, options: HttpOptions, *, any_path: bool = False) -> None:
        self._owners = owners
        self._options = options
        self._any_path = any_path  # whoever calls it has looked at the path
        self._guard = Guard(options.allowed_hosts, options.allowed_origins)
        self._places: dict[object, Place] = {}
        self._answer: Asgi = with_cors(self._http, options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                await self._answer(scope, receive, send)
            except OSError as error:  # what `send` raises once the client is gone, says ASGI
                log().debug("a request ended early: %r", error)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1003, "reason": "MCP is served over HTTP"})

    # ------------------------------------------------------------ the loop's part

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._owners.hold()
        except Exception as error:
            log().exception("the lifespan of the server failed at its start")
            await send({"type": "lifespan.startup.failed", "message": f"{type(error).__name__}: {error}"})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        try:
            await self._owners.release()
        except Exception as error:
            log().exception("the lifespan of the server failed at its end")
            await send({"type": "lifespan.shutdown.failed", "message": f"{type(error).__name__}: {error}"})
            return
        await send({"type": "lifespan.shutdown.complete"})

    async def _open_place(self) -> Place:
        runtime = await self._owners.runtime()
        place = self._places.get(runtime.key)
        if place is None or place.runtime is not runtime:
            self._places = {k: p for k, p in self._places.items() if not p.runtime.closed}
            place = self._places[runtime.key] = Place(runtime, self._options)
        return place

    # ------------------------------------------------------------ requests

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        pairs = scope["headers"]
        headers: Headers = dict(pairs)
        refused = rules.refuse_headers(pairs, headers) or self._guard.refuse(headers)
        if refused is not None:
            status, text = refused
            await send_refusal(send, status, Refusal(INVALID_REQUEST, text))
            return
        pair = pair_path(scope) if self._options.sse else None
        if pair is None and not self._any_path and not self._options.is_endpoint(scope):
            await send_empty(send, 404)
            return
        place = self._places.get(loop_key())
        if place is None or place.runtime.closed:
            try:
                place = await self._open_place()
            except (Exception, SystemExit):
                log().exception("the lifespan of the server failed at its start")
                await send_refusal(send, 500, Refusal(INTERNAL_ERROR, "The server could not start"))
                return
        method = scope["method"]
        if pair is not None:
            await serve_pair(place, pair, scope, headers, receive, send)
        elif method == "POST":
            await self._post(place, scope, headers, receive, send)
        elif method == "GET" and not rules.is_modern(headers.get(rules.VERSION)):
            await serve_get(place, headers, receive, send)
        elif method == "DELETE" and not rules.is_modern(headers.get(rules.VERSION)):
            await serve_delete(place, headers, send)
        else:
            await send_empty(send, 405, ALLOW if self._options.sessions else ALLOW_POST)

    async def _post(self, place: Place, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        get = headers.get
        refused, takes, modern = rules.terms(
            get(b"content-type"), get(b"content-encoding"), get(b"accept"), get(rules.VERSION)
        )
        if refused is not None:
            status, text = refused
            await send_refusal(send, status, Refusal(INVALID_REQUEST, text))
            return
        body = await read_body(scope, headers, receive, send, self._options.max_body_bytes)
        if body is None:
            return
        message = jsonrpc.decode(body)
        if isinstance(message, Refusal):
            await send_refusal(send, 400, message)
            return
        pairs = scope["headers"]
        if len(headers) != len(pairs) and (twice := rules.duplicate(pairs)) is not None:
            id = message.id if isinstance(message, Message) else UNSET
            await send_refusal(send, 400, rules.duplicate_refusal(twice, id))
            return
        if isinstance(message, Message) and (modern or carries_envelope(message)):
            await serve_stateless(place, message, headers, receive, send, takes)
        elif modern:
            await send_refusal(send, 400, Refusal(INVALID_REQUEST, f"Batches exist in {BATCH} only"))
        elif self._options.sessions:
            await serve_post(place, message, headers, send, takes)
        else:
            await serve_sessionless(place, message, headers, receive, send, takes)
