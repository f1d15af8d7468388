"""2026-07-28 over HTTP: every POST stands for itself, and its handler runs in the request's own task.

The checks of a request, in order (protocol core and `rules`): envelope, headers against body, revision, method,
params, Mcp-Param headers. A disconnect cancels the call, and nothing more is sent.
"""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Any

from msgspec import UNSET

from ...errors import INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_VERSION
from ...jsonrpc import Message, Refusal, RequestMessage, is_request
from ...protocol.inbound import carries_envelope, is_stateless, open_request
from ...protocol.methods import VERSION_KEY, ListenParams, Request
from ...revisions import STATELESS
from . import rules
from .listen import serve_listen
from .post import Post, answer
from .reply import send_empty, send_refusal


def serve_opened(post: Post, request: Request) -> Awaitable[None] | None:
    """The same as `serve_stateless` for a request that is open. If something about it is wrong, nothing was done:
    None, and no `post.reply` either.
    """
    params: Any = request.params
    meta = params.meta
    if not meta or not rules.is_mirrored(post.terms, request, meta.revision):
        return None
    if request.row.needs and not request.row.is_served(post.place.runtime.app.features):
        return None
    if type(params) is ListenParams:
        return serve_listen(post, request, params)
    return answer(post, request, params, meta)


def serve_stateless(post: Post, message: Message) -> Awaitable[None] | None:
    """Answer one POST of the stateless era: what this returns does it, see `answer`."""
    if not is_request(message):
        return _notification(post, message)
    params = open_request(message, post.place.runtime.app.features, partial(rules.mirror, post.request_headers))
    if isinstance(params, Refusal):
        if not carries_envelope(message):  # before whatever else is wrong
            params = _without_envelope(message)
        return send_refusal(post.respond, rules.status_of(params.code), params)
    if not is_stateless(params):
        return send_refusal(post.respond, 400, _without_envelope(message))
    if isinstance(params, ListenParams):
        return serve_listen(post, message, params)
    return answer(post, message, params, params.meta)


def _without_envelope(message: RequestMessage) -> Refusal:
    text = f'Invalid params._meta: "{VERSION_KEY}" is missing, but the MCP-Protocol-Version header asks for it'
    return Refusal(INVALID_PARAMS, text, message.id)


async def _notification(post: Post, message: Message) -> None:
    """None of the core's means anything here; a posted cancellation is not authenticated, and ignored."""
    send = post.respond
    if message.method is UNSET:
        text = "A response was posted, but in this revision the server asks for none"
        await send_refusal(send, 400, Refusal(INVALID_REQUEST, text, message.id))
        return
    version = post.request_headers.get(rules.VERSION)
    if version is not None and (name := version.decode("latin-1").strip()) not in STATELESS:
        data = {"supported": list(STATELESS), "requested": name[:100]}
        await send_refusal(send, 400, Refusal(UNSUPPORTED_VERSION, "Unsupported protocol version", data=data))
    else:
        await send_empty(send, 202)
