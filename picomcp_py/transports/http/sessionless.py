"""The handshake era over HTTP without sessions (`sessions: False`): any worker answers any POST, each for itself.

There is nothing to come back to: a GET or DELETE is refused, a stream that breaks can't be resumed, nothing is asked of
the client, and no change is told to it.
"""

from __future__ import annotations

from collections.abc import Awaitable

from ... import jsonrpc
from ...errors import INVALID_REQUEST
from ...jsonrpc import Batch, Message, Refusal, is_request
from ...protocol.handshake import Session
from ...protocol.inbound import open_request
from ...protocol.methods import Request
from ...revisions import HANDSHAKE
from ...running.connection import Connection
from . import rules
from .asgi import Headers
from .batches import batch_fault, is_answered
from .post import Post, answer
from .reply import send_empty, send_refusal, send_reply
from .stream import Stream

ASSUMED = "2025-03-26"
"""The revision of a request that names none and has no session (MCP 2025-11-25, basic/transports)."""


def serve_opened(post: Post, request: Request) -> Awaitable[None] | None:
    """The same as `serve_sessionless` for a request that is open; None if something about it is wrong."""
    if request.method not in post.place.runtime.methods_without_push:
        return None
    return answer(post, request, request.params, _new_session(post))


def _new_session(post: Post) -> Session:
    session = Session(pushes=False)
    session.revision = assumed(post.request_headers)
    return session


def serve_sessionless(post: Post, message: Message | Batch) -> Awaitable[None]:
    """Answer one POST of the handshake era: what this returns does it."""
    session = _new_session(post)
    if isinstance(message, Batch):
        return _serve_batch(post, message, session)
    if not is_request(message):
        return send_empty(post.respond, 202)
    params = open_request(message, post.place.runtime.methods_without_push)
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


def assumed(headers: Headers) -> str:
    """The revision that a POST without a session is served at."""
    version = headers.get(rules.VERSION, b"").decode("latin-1").strip()
    return version if version in HANDSHAKE else ASSUMED
