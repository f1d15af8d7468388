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
from .exchange import Exchange
from .place import Place
from .reply import Send, send_json, send_refusal
from .rules import Headers
from .sweep import Receive, Watched


class _Stream(Exchange, Watched):
    """The stream of one listen, as the sweeper watches it."""

    def __init__(self, place: Place, id: jsonrpc.Id, headers: Headers, receive: Receive, send: Send) -> None:
        super().__init__(place.runtime, headers, send, True, place.options.keep_alive_seconds)
        self.id = id
        self.receive = receive
        self._scope = anyio.CancelScope()
        self.begin()

    async def carry(self) -> None:
        """Send what comes, until the end or a disconnect."""
        with self._scope:
            await self.pump()

    def closing(self, result: dict[str, Any]) -> None:
        self.last(jsonrpc.reply(self.id, result))

    def disconnected(self) -> None:
        self.abandon()
        self._scope.cancel()  # it may wait for a client that didn't read


async def serve_listen(
    place: Place,
    message: RequestMessage,
    params: ListenParams,
    headers: Headers,
    receive: Receive,
    send: Send,
    takes: tuple[bool, bool],
) -> None:
    """Tell the client what changes, for as long as it listens."""
    if not takes[1]:
        text = "Accept must allow text/event-stream: the answer is a stream"
        await send_refusal(send, 406, Refusal(INVALID_REQUEST, text, message.id))
        return
    stream = _Stream(place, message.id, headers, receive, send)
    runtime = place.runtime
    try:
        opened = listen(runtime.hub, runtime.app.features, message.id, params.notifications, stream, stream.closing)
    except McpError as error:
        await send_json(send, 200, jsonrpc.failure(message.id, error.code, error.message, error.data))
        return
    place.sweeper.add(stream)
    try:
        await stream.carry()
    finally:
        opened.end()
        place.sweeper.remove(stream)
