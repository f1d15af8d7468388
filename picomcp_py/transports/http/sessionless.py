"""The handshake era over HTTP without sessions (`sessions: False`): any worker answers any POST, each for itself.

There is nothing to come back to: a GET or DELETE is refused, a stream that breaks can't be resumed, nothing is asked of
the client, and no change is told to it.
"""

from __future__ import annotations

from ... import jsonrpc
from ...errors import INVALID_REQUEST
from ...jsonrpc import Batch, Message, Refusal, is_request
from ...protocol.handshake import Session
from ...protocol.inbound import open_request
from ...revisions import HANDSHAKE
from ...running.connection import Connection
from . import rules
from .batches import batch_fault, is_answered
from .place import Place
from .post import answer
from .reply import Send, send_empty, send_refusal, send_reply
from .rules import Headers
from .stream import Stream
from .sweep import Receive

ASSUMED = "2025-03-26"
"""The revision of a request that names none and has no session (MCP 2025-11-25, basic/transports)."""


async def serve_sessionless(
    place: Place, message: Message | Batch, headers: Headers, receive: Receive, send: Send, takes: tuple[bool, bool]
) -> None:
    """Answer one POST of the handshake era."""
    session = Session(pushes=False)
    session.revision = assumed(headers)
    if isinstance(message, Batch):
        await _serve_batch(place, message, session, headers, send, takes)
        return
    if not is_request(message):
        await send_empty(send, 202)
        return
    params = open_request(message, place.runtime.methods_without_push)
    if isinstance(params, Refusal):
        await send_reply(send, jsonrpc.failure(params.id, params.code, params.message, params.data), takes[0])
    else:
        await answer(place, message, params, session, headers, receive, send, takes, stateless=False)


async def _serve_batch(
    place: Place, batch: Batch, session: Session, headers: Headers, send: Send, takes: tuple[bool, bool]
) -> None:
    if fault := batch_fault(batch, session.revision):
        await send_refusal(send, 400, Refusal(INVALID_REQUEST, fault))
        return
    stream = Stream("batch", None, headers, expected=1, streamed=takes[1], keep_alive=place.options.keep_alive_seconds)
    connection = Connection(place.runtime, stream)
    connection.session = session
    connection.take(batch, stream)
    if is_answered(batch):
        await stream.carry_post(send, (), takes[0])
    else:
        await send_empty(send, 202)


def assumed(headers: Headers) -> str:
    """The revision that a POST without a session is served at."""
    version = headers.get(rules.VERSION, b"").decode("latin-1").strip()
    return version if version in HANDSHAKE else ASSUMED
