"""2026-07-28 over HTTP: every POST stands for itself, and its handler runs in the request's own task.

The checks of a request, in order (protocol core and `rules`): envelope, headers against body, revision, method,
params, Mcp-Param headers. A disconnect cancels the call, and nothing more is sent.
"""

from __future__ import annotations

from msgspec import UNSET

from ... import jsonrpc
from ...errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    UNSUPPORTED_VERSION,
    McpError,
)
from ...jsonrpc import Message, Refusal, RequestMessage, is_request
from ...log import log
from ...protocol.inbound import Envelope, StatelessParams, carries_envelope, is_stateless, open_request
from ...protocol.methods import VERSION_KEY, CallParams
from ...revisions import STATELESS
from ...running.answers import AT_ONCE, encode_outcome, new_call
from ...running.dispatch import Call, Outcome, run
from ...running.runtime import Runtime
from . import rules
from .exchange import COMMIT_AFTER, Exchange
from .place import Place
from .reply import GONE, Send, send_empty, send_refusal, send_reply
from .rules import Headers
from .sweep import Receive


async def serve_stateless(
    place: Place, message: Message, headers: Headers, receive: Receive, send: Send, takes: tuple[bool, bool]
) -> None:
    """Answer one POST of the stateless era."""
    if not is_request(message):
        await _notification(message, headers, send)
        return
    params = open_request(message, lambda params, meta: rules.mirror(headers, message, params, meta))
    if isinstance(params, Refusal):
        if not carries_envelope(message):  # before whatever else is wrong
            params = _without_envelope(message)
        await send_refusal(send, rules.status_of(params.code), params)
        return
    if not is_stateless(params):
        await send_refusal(send, 400, _without_envelope(message))
        return
    caller = Envelope(params.meta)
    if isinstance(params, CallParams):
        await _call(place, message, params, caller, headers, receive, send, takes)
    else:
        await send_reply(send, _at_once(place.runtime, message, params, caller), takes[0])


def _at_once(runtime: Runtime, message: RequestMessage, params: StatelessParams, caller: Envelope) -> bytes:
    """The reply to a request that waits for nothing. Never fails: a reply is owed."""
    try:
        return jsonrpc.reply(message.id, AT_ONCE[message.method](runtime, caller, params))
    except McpError as error:
        return jsonrpc.failure(message.id, error.code, error.message, error.data)
    except Exception:
        log().exception("a message could not be handled: this is a fault of picomcp_py")
        return jsonrpc.failure(message.id, INTERNAL_ERROR, "Internal error")


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


async def _call(
    place: Place,
    message: RequestMessage,
    params: CallParams,
    caller: Envelope,
    headers: Headers,
    receive: Receive,
    send: Send,
    takes: tuple[bool, bool],
) -> None:
    runtime = place.runtime
    exchange = Exchange(runtime, headers, send, takes[1], place.options.keep_alive_seconds)
    post = _Post(runtime, exchange, receive)
    try:
        call = post.call = new_call(runtime, caller, message, params, exchange, exchange, post.end)
    except McpError as error:
        await send_reply(send, jsonrpc.failure(message.id, error.code, error.message, error.data), takes[0])
        return
    if call.tool.headers:
        refusal = rules.mirror_params(headers, message, call.tool.headers, call.arguments)
        if refusal is not None:
            await send_refusal(send, 400, refusal)
            return
    if not takes[0]:
        exchange.commit()
    place.sweeper.add(post)
    try:
        await runtime.tasks.run_here(run, call)
    finally:
        place.sweeper.remove(post)
    if post.reply is not None:
        await exchange.finish(post.reply, post.status)
    elif not exchange.begun:
        await send_empty(send, GONE)


class _Post:
    """One call, as the sweeper watches it."""

    __slots__ = ("call", "exchange", "receive", "reply", "runtime", "status")

    call: Call

    def __init__(self, runtime: Runtime, exchange: Exchange, receive: Receive) -> None:
        self.runtime = runtime
        self.exchange = exchange
        self.receive = receive
        self.reply: bytes | None = None
        self.status = 200

    def end(self, call: Call, outcome: Outcome) -> None:
        if outcome is not None:
            self.reply = encode_outcome(self.runtime, call, outcome)
            if isinstance(outcome, McpError) and outcome.code in (METHOD_NOT_FOUND, MISSING_CAPABILITY):
                self.status = rules.status_of(outcome.code)

    def disconnected(self) -> None:
        if not self.call.done:
            self.exchange.abandon()
            self.call.mark("the client has disconnected")
            self.runtime.tasks.cancel(self.call)
            self.call.fire()

    def waited(self, seconds: float) -> None:
        if seconds > COMMIT_AFTER:
            self.exchange.commit()
