"""What answers a request that was opened, on whatever transport: a table of the methods that are answered at once, and
the two ends of a tools/call, from params to a Call and from its outcome to bytes.

Errors of the request are raised as McpError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import jsonrpc
from ..errors import INTERNAL_ERROR, McpError
from ..jsonrpc import RequestMessage
from ..log import log
from ..offered.result import CallResult
from ..protocol.handshake import Session
from ..protocol.methods import CallParams, InitializeParams, LevelParams, ListParams
from ..protocol.shaping import sieve_call
from ..revisions import STATELESS
from .dispatch import Call, Caller, Outcome, Sink, Wire, checked_arguments
from .runtime import Runtime


def _initialize(runtime: Runtime, session: Session, params: InitializeParams) -> Any:
    return session.initialize(params, runtime.app.options)


def _set_level(runtime: Runtime, session: Session, params: LevelParams) -> Any:
    session.set_level(params.level)
    return {}


def _list_tools(runtime: Runtime, caller: Caller, params: ListParams) -> Any:
    return runtime.tools_page(caller.revision, params.cursor)


AT_ONCE: dict[str, Callable[[Runtime, Any, Any], Any]] = {
    "initialize": _initialize,
    "ping": lambda runtime, session, params: {},
    "logging/setLevel": _set_level,
    "server/discover": lambda runtime, caller, params: runtime.stamp.discover(),
    "tools/list": _list_tools,
}
"""method -> (runtime, who asks, params) to the result. Who asks is the Session in the handshake era."""


def new_call(
    runtime: Runtime,
    caller: Caller,
    message: RequestMessage,
    params: CallParams,
    wire: Wire,
    sink: Sink,
    end: Callable[[Call, Outcome], None],
) -> Call:
    """A Call that hasn't started."""
    tool = runtime.app.tools.get(params.name) or runtime.app.tool(params.name)
    arguments = bytes(params.arguments)
    if not arguments.startswith(b"{"):
        arguments = checked_arguments(arguments)
    return Call(runtime, wire, sink, end, caller, tool, message.id, arguments, message.params, params.meta)


def encode_outcome(runtime: Runtime, call: Call, outcome: CallResult | McpError) -> bytes:
    """The reply to a call, in the form of its revision. Never fails: a reply is owed."""
    id: Any = call.id
    try:
        if isinstance(outcome, McpError):
            return jsonrpc.failure(id, outcome.code, outcome.message, outcome.data)
        revision = call.caller.revision
        if revision in STATELESS:
            runtime.stamp.on_call(outcome)
        else:
            sieve_call(outcome, revision, call.tool.wraps)
        return jsonrpc.reply(id, outcome)
    except Exception:
        log().exception("the result of tool %s could not be encoded", call.tool.name)
        return jsonrpc.failure(id, INTERNAL_ERROR, "Internal error")
