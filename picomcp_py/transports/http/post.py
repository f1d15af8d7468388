"""A POST that stands for itself: its call runs in the task that the ASGI server made for it.

At 2026-07-28 a disconnect cancels the call, and nothing more is sent. In the handshake era it does not: there only
`notifications/cancelled` does, and without sessions that finds nobody.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from ... import jsonrpc
from ...errors import INTERNAL_ERROR, METHOD_NOT_FOUND, MISSING_CAPABILITY, McpError
from ...jsonrpc import RequestMessage
from ...log import log
from ...revisions import STATELESS
from ...running.answers import encode_error, encode_outcome, new_call
from ...running.dispatch import Call, Caller, Outcome, run
from . import rules
from .exchange import COMMIT_AFTER, Exchange
from .reply import GONE, send_empty, send_json, send_refusal, send_reply

STATUS_CODES = (METHOD_NOT_FOUND, MISSING_CAPABILITY)
"""Errors of a handler that have a status of their own at 2026-07-28."""


class Post(Exchange, eq=False):
    """A POST, with the call that it makes if it stands for itself."""

    call: Call | None = None
    reply: bytes | None = None
    status: int = 200

    def end(self, call: Call, outcome: Outcome) -> None:
        if outcome is not None:
            self.reply = encode_outcome(self.place.runtime, call, outcome)
            if isinstance(outcome, McpError) and outcome.code in STATUS_CODES and call.caller.revision in STATELESS:
                self.status = rules.status_of(outcome.code)

    def disconnected(self) -> None:
        call = self.call
        if call is not None and call.caller.revision in STATELESS and not call.done:
            self.abandon()
            call.mark("the client has disconnected")
            self.place.runtime.tasks.cancel(call)
            call.fire()

    def waited(self, seconds: float) -> bool:
        if seconds > COMMIT_AFTER:
            self.commit()
            return False
        return True


def answer(post: Post, message: RequestMessage, params: Any, caller: Caller) -> Awaitable[None] | None:
    """Answer a request that was opened, running what it asks for: what this returns does it. None says that all is
    done but to send `post.reply`: most calls never wait, and a coroutine more is a twentieth of what they cost.
    """
    runtime = post.place.runtime
    try:
        call = new_call(runtime, caller, message, params, post, post, post.end)
    except McpError as error:
        return send_reply(post.respond, encode_error(message.id, error, caller.revision), post.terms.takes[0])
    except Exception:
        log().exception("a message could not be handled: this is a fault of picomcp_py")
        blunder = jsonrpc.failure(message.id, INTERNAL_ERROR, "Internal error")
        return send_reply(post.respond, blunder, post.terms.takes[0])
    if type(call) is not Call:
        return send_reply(post.respond, jsonrpc.reply(message.id, call), post.terms.takes[0])
    if call.job.headers and caller.revision in STATELESS:
        refusal = rules.mirror_params(post.request_headers, message, call.job.headers, call.arguments)
        if refusal is not None:
            return send_refusal(post.respond, 400, refusal)
    if not post.terms.takes[0]:
        post.commit()
    try:
        waiting = runtime.tasks.host(run(call), call)
    except BaseException:  # as in `_finish`
        post.abandon()
        raise
    if waiting is None and post.events is None and post.reply is not None:
        return None
    return _finish(post, call, waiting)


async def _finish(post: Post, call: Call, waiting: Awaitable[None] | None) -> None:
    if waiting is not None:
        sweeper = post.place.sweeper
        post.call = call
        sweeper.add(post)
        try:
            await waiting
        except BaseException:  # whoever owns the task has cancelled it: nobody reads what a stream would go on with
            post.abandon()
            raise
        finally:
            sweeper.remove(post)
            post.call = None  # the two refer to each other, and cycles must be collected
    reply = post.reply
    if post.events is not None:
        if reply is not None:
            await post.events.finish(reply)
    elif reply is None:
        await send_empty(post.respond, GONE)
    else:
        await send_json(post.respond, post.status, reply)
