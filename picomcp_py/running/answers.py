"""What answers a request that was opened, on whatever transport: one table from methods to a result, or to a job that
is run for it; and the two ends of a call, from its job to a Call and from its outcome to bytes.

Errors of the request are raised as McpError. `subscriptions/listen` is not here: what answers it depends on the wire.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import UNSET, Raw

from .. import jsonrpc
from ..errors import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, McpError, ResourceNotFound
from ..jsonrpc import RequestMessage
from ..log import log
from ..offered.job import Errand, Job
from ..offered.job import Outcome as Answer
from ..offered.result import CallResult
from ..offered.tool import Tool
from ..protocol.handshake import Session
from ..protocol.methods import (
    CallParams,
    CompleteParams,
    InitializeParams,
    LevelParams,
    ListParams,
    PromptParams,
    UriParams,
)
from ..protocol.shaping import sieve_call, sieve_result
from ..revisions import STATELESS
from .dispatch import Call, Caller, Outcome, Sink, Wire, checked_arguments
from .runtime import Runtime


def _initialize(runtime: Runtime, session: Session, params: InitializeParams) -> Any:
    return session.initialize(params, runtime.app.options, runtime.app.features)


def _set_level(runtime: Runtime, session: Session, params: LevelParams) -> Any:
    session.set_level(params.level)
    return {}


def _list(which: str) -> Callable[[Runtime, Caller, ListParams], Any]:
    return lambda runtime, caller, params: runtime.pages.page(which, caller.revision, params.cursor)


def _call_tool(runtime: Runtime, caller: Caller, params: CallParams) -> Job:
    return runtime.app.tools.get(params.name) or runtime.app.tool(params.name)


def _get_prompt(runtime: Runtime, caller: Caller, params: PromptParams) -> Job:
    return runtime.app.prompt(params.name).getting()


def _read(runtime: Runtime, caller: Caller, params: UriParams) -> Job:
    return runtime.reading(params.uri)


def _subscribe(runtime: Runtime, session: Session, params: UriParams) -> Any:
    runtime.app.find(params.uri)  # raises for one that isn't there
    session.follow(params.uri)
    return {}


def _unsubscribe(runtime: Runtime, session: Session, params: UriParams) -> Any:
    session.followed.discard(params.uri)
    return {}


def _complete(runtime: Runtime, caller: Caller, params: CompleteParams) -> Any:
    ref, argument = params.ref, params.argument
    chosen = (params.context.arguments if params.context is not None else None) or {}
    if ref.type == "ref/prompt":
        if ref.name is UNSET:
            raise McpError(INVALID_PARAMS, "Invalid params for completion/complete: ref needs the name of a prompt")
        completer = runtime.app.prompt(ref.name).completer
    else:
        if ref.uri is UNSET:
            raise McpError(INVALID_PARAMS, "Invalid params for completion/complete: ref needs the uri of a template")
        completer = runtime.app.template(ref.uri).completer
    return completer.completing(argument.name, argument.value, chosen)


ANSWERS: dict[str, Callable[[Runtime, Any, Any], Any]] = {
    "initialize": _initialize,
    "ping": lambda runtime, session, params: {},
    "logging/setLevel": _set_level,
    "server/discover": lambda runtime, caller, params: runtime.stamp.discover(runtime.app.features),
    "tools/list": _list("tools"),
    "tools/call": _call_tool,
    "prompts/list": _list("prompts"),
    "prompts/get": _get_prompt,
    "resources/list": _list("resources"),
    "resources/templates/list": _list("resourceTemplates"),
    "resources/read": _read,
    "resources/subscribe": _subscribe,
    "resources/unsubscribe": _unsubscribe,
    "completion/complete": _complete,
}
"""method -> (runtime, who asks, params) to a result, or a job. Who asks is the Session in the handshake era."""

JOBS = (Tool, Errand)
End: TypeAlias = Callable[[Call, Outcome], None]


def new_call(
    runtime: Runtime, caller: Caller, message: RequestMessage, params: Any, wire: Wire, sink: Sink, end: End
) -> Call | Raw | dict[str, Any]:
    """A Call that hasn't started, for what is run; for the rest the result. Raises McpError."""
    found = ANSWERS[message.method](runtime, caller, params)
    if type(found) is not Tool and not isinstance(found, JOBS):
        if isinstance(found, Raw):
            return found
        which = HINTS.get(message.method)
        return _shaped(runtime, found, runtime.stamp.hints(which) if which else None, caller.revision)
    arguments = bytes(getattr(params, "arguments", b""))
    if not arguments.startswith(b"{"):
        arguments = checked_arguments(arguments, message.method)
    return Call(runtime, wire, sink, end, caller, found, message.id, arguments, message, params.meta)


HINTS = {"server/discover": "discover"}
"""Methods that are answered at once with a result that may be cached, pages apart: those are kept as they are sent."""


def encode_outcome(runtime: Runtime, call: Call, outcome: Answer) -> bytes:
    """The reply to a call, in the form of its revision. Never fails: a reply is owed."""
    id: Any = call.id
    revision = call.caller.revision
    try:
        if type(outcome) is CallResult:
            if revision in STATELESS:
                runtime.stamp.on_call(outcome)
            else:
                sieve_call(outcome, revision, call.job.wraps)  # type: ignore[attr-defined]  # a tool's, and no other's
            return jsonrpc.reply(id, outcome)
        if isinstance(outcome, McpError):
            return encode_error(id, outcome, revision)
        hints = call.job.caching  # type: ignore[attr-defined]  # an Errand's
        return jsonrpc.reply(id, _shaped(runtime, outcome, hints, revision))
    except Exception:
        log().exception("the result of %s could not be encoded", call.job.label)
        return jsonrpc.failure(id, INTERNAL_ERROR, "Internal error")


def encode_error(id: jsonrpc.Id, error: McpError, revision: str) -> bytes:
    """The reply to a request that failed, with the code that its revision knows."""
    old = isinstance(error, ResourceNotFound) and revision not in STATELESS
    return jsonrpc.failure(id, RESOURCE_NOT_FOUND if old else error.code, error.message, error.data)


def _shaped(runtime: Runtime, result: Any, hints: dict[str, Any] | None, revision: str) -> dict[str, Any]:
    if revision in STATELESS:
        return runtime.stamp.on_result(result, hints)
    return sieve_result(result, revision)
