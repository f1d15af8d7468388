"""2026-07-28 over HTTP: every POST stands for itself, and its handler runs in the request's own task.

The checks of a request, in order (protocol core and `rules`): envelope, headers against body, revision, method,
params, Mcp-Param headers. A disconnect cancels the call, and nothing more is sent.
"""

from __future__ import annotations

from collections.abc import Awaitable

from msgspec import UNSET

from ...errors import INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_VERSION
from ...jsonrpc import Message, Refusal, RequestMessage, is_request
from ...protocol.inbound import Envelope, carries_envelope, is_stateless, open_request
from ...protocol.methods import VERSION_KEY, ListenParams
from ...revisions import STATELESS
from . import rules
from .listen import serve_listen
from .place import Place
from .post import answer
from .reply import Send, send_empty, send_refusal
from .rules import Headers
from .sweep import Receive


def serve_stateless(
    place: Place, message: Message, headers: Headers, receive: Receive, send: Send, takes: tuple[bool, bool]
) -> Awaitable[None]:
    """Answer one POST of the stateless era: what this returns does it."""
    if not is_request(message):
        return _notification(message, headers, send)
    runtime = place.runtime
    params = open_request(message, runtime.methods, lambda params, meta: rules.mirror(headers, message, params, meta))
    if isinstance(params, Refusal):
        if not carries_envelope(message):  # before whatever else is wrong
            params = _without_envelope(message)
        return send_refusal(send, rules.status_of(params.code), params)
    if not is_stateless(params):
        return send_refusal(send, 400, _without_envelope(message))
    if isinstance(params, ListenParams):
        return serve_listen(place, message, params, headers, receive, send, takes)
    caller = Envelope(params.meta)
    return answer(place, message, params, caller, headers, receive, send, takes, stateless=True)


def _without_envelope(message: RequestMessage) -> Refusal:
    text = f'Invalid params._meta: "{VERSION_KEY}" is missing, but the MCP-Protocol-Version header asks for it'
    return Refusal(INVALID_PARAMS, text, message.id)


async def _notification(message: Message, headers: Headers, send: Send) -> None:
    """None of the core's means anything here; a posted cancellation is not authenticated, and ignored."""
    if message.method is UNSET:
        text = "A response was posted, but in this revision the server asks for none"
        await send_refusal(send, 400, Refusal(INVALID_REQUEST, text, message.id))
        return
    version = headers.get(rules.VERSION)
    if version is not None and (name := version.decode("latin-1").strip()) not in STATELESS:
        data = {"supported": list(STATELESS), "requested": name[:100]}
        await send_refusal(send, 400, Refusal(UNSUPPORTED_VERSION, "Unsupported protocol version", data=data))
    else:
        await send_empty(send, 202)
