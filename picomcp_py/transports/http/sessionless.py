"""The handshake era over HTTP without sessions (`sessions: False`): any worker answers any POST, each for itself.

There is nothing to come back to: a GET or DELETE is refused, a stream that breaks can't be resumed, nothing is asked of
the client, and no change is told to it.
"""

from __future__ import annotations

from collections.abc import Awaitable

from msgspec import UNSET

from ... import jsonrpc
from ...errors import INVALID_REQUEST
from ...jsonrpc import Batch, Message, Refusal, is_request
from ...protocol.handshake import Session
from ...protocol.inbound import open_request
from ...protocol.methods import Request
from ...running.connection import Connection
from .batches import batch_fault, is_answered
from .post import Post, answer
from .reply import send_empty, send_refusal, send_reply
from .stream import Stream


def serve_opened(post: Post, request: Request) -> Awaitable[None] | None:
    """The same as `serve_sessionless` for a request that is open. If something about it is wrong, nothing was done:
    None, and no `post.reply` either.
    """
    meta = request.params.meta
    if meta and meta.revision is not UNSET:
        return None
    if request.row.needs and not request.row.is_served(post.place.runtime.app.features, pushes=False):
        return None
    return answer(post, request, request.params, _new_session(post))


def _new_session(post: Post) -> Session:
    return Session(post.terms.assumed, pushes=False)


def serve_sessionless(post: Post, message: Message | Batch) -> Awaitable[None] | None:
    """Answer one POST of the handshake era: what this returns does it, see `answer`."""
    session = _new_session(post)
    if isinstance(message, Batch):
        return _serve_batch(post, message, session)
    if not is_request(message):
        return send_empty(post.respond, 202)
    params = open_request(message, post.place.runtime.app.features, pushes=False)
    if isinstance(params, Refusal):
        error = jsonrpc.failure(params.id, params.code, params.message, params.data)
        return send_reply(post.respond, error, post.terms.takes[0])
    return answer(post, message, params, session)


async def _serve_batch(post: Post, batch: Batch, session: Session) -> None:
    if fault := batch_fault(batch, session.revision):
        await send_refusal(post.respond, 400, Refusal(INVALID_REQUEST, fault))
        return
    place = post.place
    json, streamed = post.terms.takes
    keep_alive = place.options.keep_alive_seconds
    stream = Stream("batch", None, post.request_headers, expected=1, streamed=streamed, keep_alive=keep_alive)
    connection = Connection(place.runtime, stream)
    connection.session = session
    connection.take(batch, stream)
    if is_answered(batch):
        await stream.carry_post(post.respond, (), json)
    else:
        await send_empty(post.respond, 202)
