"""One request that stands for itself: its call runs in the task that the ASGI server made for it.

At 2026-07-28 a disconnect cancels the call, and nothing more is sent. In the handshake era it does not: there only
`notifications/cancelled` does, and without sessions that finds nobody.
"""

from __future__ import annotations

from typing import Any

from ... import jsonrpc
from ...errors import INTERNAL_ERROR, METHOD_NOT_FOUND, MISSING_CAPABILITY, McpError
from ...jsonrpc import RequestMessage
from ...log import log
from ...offered.tool import Tool
from ...running.answers import encode_error, encode_outcome, new_call
from ...running.dispatch import Call, Caller, Outcome, run
from . import rules
from .exchange import COMMIT_AFTER, Exchange
from .place import Place
from .reply import GONE, Send, send_empty, send_refusal, send_reply
from .rules import Headers
from .sweep import Receive, Watched

STATUS_CODES = (METHOD_NOT_FOUND, MISSING_CAPABILITY)
"""Errors of a handler that have a status of their own at 2026-07-28."""


class Post(Exchange, Watched):
    """A call and the answer to its POST, as the sweeper watches it."""

    call: Call | None = None
    reply: bytes | None = None
    status = 200

    def __init__(
        self, place: Place, headers: Headers, receive: Receive, send: Send, streamed: bool, stateless: bool
    ) -> None:
        super().__init__(place.runtime, headers, send, streamed, place.options.keep_alive_seconds)
        self.receive = receive
        self.stateless = stateless

    def end(self, call: Call, outcome: Outcome) -> None:
        if outcome is not None:
            self.reply = encode_outcome(self.runtime, call, outcome)
            if self.stateless and isinstance(outcome, McpError) and outcome.code in STATUS_CODES:
                self.status = rules.status_of(outcome.code)

    def disconnected(self) -> None:
        call = self.call
        if self.stateless and call is not None and not call.done:
            self.abandon()
            call.mark("the client has disconnected")
            self.runtime.tasks.cancel(call)
            call.fire()

    def waited(self, seconds: float) -> bool:
        if seconds > COMMIT_AFTER:
            self.commit()
            return False
        return True


async def answer(
    place: Place,
    message: RequestMessage,
    params: Any,
    caller: Caller,
    headers: Headers,
    receive: Receive,
    send: Send,
    takes: tuple[bool, bool],
    *,
    stateless: bool,
) -> None:
    """Answer a request that was opened, running what it asks for."""
    post = Post(place, headers, receive, send, takes[1], stateless)
    try:
        call = new_call(place.runtime, caller, message, params, post, post, post.end)
    except McpError as error:
        await send_reply(send, encode_error(message.id, error, caller.revision), takes[0])
        return
    except Exception:
        log().exception("a message could not be handled: this is a fault of picomcp_py")
        await send_reply(send, jsonrpc.failure(message.id, INTERNAL_ERROR, "Internal error"), takes[0])
        return
    if type(call) is not Call:
        await send_reply(send, jsonrpc.reply(message.id, call), takes[0])
        return
    post.call = call
    if stateless and isinstance(call.job, Tool) and call.job.headers:
        refusal = rules.mirror_params(headers, message, call.job.headers, call.arguments)
        if refusal is not None:
            await send_refusal(send, 400, refusal)
            return
    if not takes[0]:
        post.commit()
    place.sweeper.add(post)
    try:
        await place.runtime.tasks.run_here(run, call)
    finally:
        place.sweeper.remove(post)
        post.call = None  # the two refer to each other, and cycles must be collected
    if post.reply is not None:
        await post.finish(post.reply, post.status)
    elif not post.begun:
        await send_empty(send, GONE)
