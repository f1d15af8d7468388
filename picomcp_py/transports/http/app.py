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

from collections.abc import Awaitable, Mapping
from typing import Any

from msgspec import UNSET

from ... import jsonrpc
from ...errors import INTERNAL_ERROR, INVALID_REQUEST
from ...jsonrpc import Batch, Message, Refusal
from ...log import log
from ...offered.app import App
from ...protocol.inbound import carries_envelope, open_quickly
from ...revisions import BATCH
from ...running.backend import loop_key
from ...running.owner import Owners, owners_of
from . import rules, sessionless, stateless
from .asgi import Asgi, Receive, Scope, Send
from .body import read_body, whole_body
from .cors import with_cors
from .exchange import Exchange
from .options import HttpOptions, http_options
from .place import Place
from .post import Post
from .reply import json_body, json_head, send_empty, send_refusal
from .rules import Guard
from .sse_pair import pair_path, serve_pair
from .stateful import ALLOW, ALLOW_POST, serve_delete, serve_get, serve_post


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
        self._serve_opened = None if options.sessions else sessionless.serve_opened
        """What serves a request of the handshake era that stands for itself, and that nothing is wrong with."""
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

    # What can be decided without waiting is decided without a coroutine: each would cost a twentieth of a call.

    def _http(self, scope: Scope, receive: Receive, send: Send, opened: Place | None = None) -> Awaitable[None]:
        """Answer one request: what this returns does it."""
        terms = self._guard.terms(scope["headers"])
        if terms.barred is not None:
            return _refuse(send, terms.barred)
        options = self._options
        pair = pair_path(scope) if options.sse else None
        if scope["path"] != options.path and not (self._any_path or options.is_endpoint(scope) or pair is not None):
            return send_empty(send, 404)
        place = opened or self._places.get(loop_key())
        if place is None or (place.runtime.closed and opened is None):
            return self._first(scope, receive, send)
        method = scope["method"]
        if pair is not None:
            return serve_pair(Exchange(receive, place, scope, send, terms), pair)
        if method == "POST":
            if terms.refused is not None:
                return _refuse(send, terms.refused)
            return self._post(Post(receive, place, scope, send, terms))
        if method == "GET" and not terms.modern:
            return serve_get(Exchange(receive, place, scope, send, terms))
        if method == "DELETE" and not terms.modern:
            return serve_delete(Exchange(receive, place, scope, send, terms))
        return send_empty(send, 405, ALLOW if options.sessions else ALLOW_POST)

    async def _first(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The first request in this loop, or the first after the server has ended there."""
        try:
            place = await self._open_place()
        except (Exception, SystemExit):
            log().exception("the lifespan of the server failed at its start")
            await send_refusal(send, 500, Refusal(INTERNAL_ERROR, "The server could not start"))
            return
        await self._http(scope, receive, send, place)

    async def _post(self, post: Post) -> None:
        limit = self._options.max_body_bytes
        terms = post.terms
        event = await post.receive() if limit is None or terms.length <= limit else None
        body = None if event is None else whole_body(event, limit)
        if body is None:
            body = await read_body(post, limit, event)
            if body is None:
                return
        answer: Awaitable[None] | None = None
        serve = stateless.serve_opened if terms.modern else self._serve_opened
        if serve is not None and terms.twice is None and (request := open_quickly(body)) is not None:
            answer = serve(post, request)
        if answer is None and post.reply is None:
            answer = self._carefully(post, jsonrpc.decode(body))
        if answer is not None:
            await answer
        elif post.reply is not None:
            respond, reply = post.respond, post.reply  # as `send_json` does, without its coroutine
            await respond(json_head(post.status, reply))
            await respond(json_body(reply))

    def _carefully(self, post: Post, message: Message | Batch | Refusal) -> Awaitable[None] | None:
        """What answers a message of whatever kind, see `post.answer`: the first thing that is wrong with it decides."""
        if isinstance(message, Refusal):
            return send_refusal(post.respond, 400, message)
        if post.terms.twice is not None:
            id = message.id if isinstance(message, Message) else UNSET
            return send_refusal(post.respond, 400, rules.duplicate_refusal(post.terms.twice, id))
        if isinstance(message, Message) and (post.terms.modern or carries_envelope(message)):
            return stateless.serve_stateless(post, message)
        if post.terms.modern:
            return send_refusal(post.respond, 400, Refusal(INVALID_REQUEST, f"Batches exist in {BATCH} only"))
        return serve_post(post, message) if self._options.sessions else sessionless.serve_sessionless(post, message)


def _refuse(send: Send, refused: tuple[int, str]) -> Awaitable[None]:
    status, text = refused
    return send_refusal(send, status, Refusal(INVALID_REQUEST, text))
