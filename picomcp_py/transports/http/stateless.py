"""2026-07-28 over HTTP: every POST stands for itself, and its handler runs in the request's own task.

The checks of a request, in order (protocol core and `rules`): envelope, headers against body, revision, method,
params, Mcp-Param headers. A disconnect cancels the call, and nothing more is sent.
"""

from __future__ import annotations

from ... import jsonrpc
from ...errors import INVALID_PARAMS, UNSUPPORTED_VERSION, McpError
from ...jsonrpc import Message, Refusal, RequestMessage, is_request
from ...protocol.inbound import Envelope, is_stateless, open_request
from ...protocol.methods import VERSION_KEY, CallParams
from ...revisions import STATELESS
from ...running.answers import AT_ONCE, encode_outcome, new_call
from ...running.dispatch import Call, Outcome, run
from ...running.runtime import Runtime
from . import rules
from .exchange import COMMIT_AFTER, Exchange
from .reply import Send, send_empty, send_json, send_refusal
from .rules import Headers
from .sweep import Receive, Sweeper


async def serve_stateless(
    runtime: Runtime,
    sweeper: Sweeper,
    message: Message,
    headers: Headers,
    receive: Receive,
    send: Send,
    takes: tuple[bool, bool],
) -> None:
    """Answer one POST of the stateless era."""
    if not is_request(message):
        await _notification(headers, send)
        return
    params = open_request(message, lambda params, meta: rules.mirror(headers, message, params, meta))
    if isinstance(params, Refusal):
        await send_refusal(send, rules.status_of(params), params)
        return
    if not is_stateless(params):
        text = f'Invalid params._meta: "{VERSION_KEY}" is missing, but the MCP-Protocol-Version header asks for it'
        await send_refusal(send, 400, Refusal(INVALID_PARAMS, text, message.id))
        return
    caller = Envelope(params.meta)
    try:
        if isinstance(params, CallParams):
            await _call(runtime, sweeper, message, params, caller, headers, receive, send, takes)
            return
        reply = jsonrpc.reply(message.id, AT_ONCE[message.method](runtime, caller, params))
    except McpError as error:
        reply = jsonrpc.failure(message.id, error.code, error.message, error.data)
    await send_json(send, 200, reply)


async def _notification(headers: Headers, send: Send) -> None:
    """None of the core's means anything here; a posted cancellation is not authenticated, and ignored."""
    version = headers.get(rules.VERSION)
    if version is not None and version.decode("latin-1").strip() not in STATELESS:
        data = {"supported": list(STATELESS), "requested": version.decode("latin-1")[:100]}
        await send_refusal(send, 400, Refusal(UNSUPPORTED_VERSION, "Unsupported protocol version", data=data))
    else:
        await send_empty(send, 202)


async def _call(
    runtime: Runtime,
    sweeper: Sweeper,
    message: RequestMessage,
    params: CallParams,
    caller: Envelope,
    headers: Headers,
    receive: Receive,
    send: Send,
    takes: tuple[bool, bool],
) -> None:
    exchange = Exchange(runtime, headers, send, takes[1])
    post = _Post(runtime, exchange, receive)
    call = post.call = new_call(runtime, caller, message, params, exchange, exchange, post.end)
    if call.tool.headers:
        refusal = rules.mirror_params(headers, message, call.tool.headers, call.arguments)
        if refusal is not None:
            await send_refusal(send, 400, refusal)
            return
    if not takes[0]:
        exchange.commit()
    sweeper.add(post)
    try:
        await runtime.tasks.run_here(run, call)
    finally:
        sweeper.remove(post)
    if post.reply is not None:
        await exchange.finish(post.reply)


class _Post:
    """One call, as the sweeper watches it."""

    __slots__ = ("call", "exchange", "receive", "reply", "runtime")

    call: Call

    def __init__(self, runtime: Runtime, exchange: Exchange, receive: Receive) -> None:
        self.runtime = runtime
        self.exchange = exchange
        self.receive = receive
        self.reply: bytes | None = None

    def end(self, call: Call, outcome: Outcome) -> None:
        if outcome is not None:
            self.reply = encode_outcome(self.runtime, call, outcome)

    def disconnected(self) -> None:
        if not self.call.done:
            self.exchange.abandon()
            self.call.abort("the client has disconnected")
            self.runtime.tasks.cancel(self.call)

    def waited(self, seconds: float) -> None:
        if seconds > COMMIT_AFTER:
            self.exchange.commit()
