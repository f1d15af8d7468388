"""`subscriptions/listen` over HTTP: a stream that stays open, with what changes (MCP 2026-07-28, basic/utilities).

It ends when the client closes its connection, or with its result when the server stops. The request's own task sends
it: the server's tasks end before the last of it is sent.
"""

from __future__ import annotations

from typing import Any

import anyio

from ... import jsonrpc
from ...errors import INVALID_REQUEST, McpError
from ...jsonrpc import Refusal, RequestMessage
from ...protocol.methods import ListenParams
from ...running.changes import listen
from .exchange import Events
from .post import Post
from .reply import send_json, send_refusal
from .sweep import Watched


class _Listening(Watched, eq=False):
    """The stream of one listen, as the sweeper watches it."""

    events: Events
    scope: anyio.CancelScope

    def disconnected(self) -> None:
        self.events.abandon()
        self.scope.cancel()  # it may wait for a client that didn't read


async def serve_listen(post: Post, message: RequestMessage, params: ListenParams) -> None:
    """Tell the client what changes, for as long as it listens."""
    id = message.id
    if not post.terms.takes[1]:
        text = "Accept must allow text/event-stream: the answer is a stream"
        await send_refusal(post.respond, 406, Refusal(INVALID_REQUEST, text, id))
        return
    events = post.begin()

    def closing(result: dict[str, Any]) -> None:
        events.last(jsonrpc.reply(id, result))

    runtime = post.place.runtime
    try:
        opened = listen(runtime.hub, runtime.app.features, id, params.notifications, post, closing)
    except McpError as error:
        await send_json(post.respond, 200, jsonrpc.failure(id, error.code, error.message, error.data))
        return
    listening = _Listening(post.receive, events=events, scope=anyio.CancelScope())
    post.place.sweeper.add(listening)
    try:
        with listening.scope:
            await events.pump()
    finally:
        opened.end()
        post.place.sweeper.remove(listening)
