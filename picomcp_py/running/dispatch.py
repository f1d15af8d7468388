"""One call of a tool: validate the arguments, run the handler, convert what it gave; answer once, or never.

Rules:
1. Nothing a handler raises gets out of its task, SystemExit and CancelledError included: it becomes the answer.
2. A cancelled call is never answered. What decides is the flag, not the outcome: a handler may swallow its
   cancellation and return.
3. Nothing is sent for a call once it was answered.
4. The good path builds nothing it doesn't need: the context, the signal and `_meta` come into being when asked for.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from types import CoroutineType
from typing import Any, Protocol, TypeAlias

import anyio
from msgspec import UNSET, Raw, UnsetType

from .. import jsonrpc
from ..errors import INVALID_PARAMS, PARSE_ERROR, McpError, ToolError
from ..jsontext import decode_json, encode_json
from ..log import log
from ..offered.result import CallResult, error_result, to_result
from ..offered.tool import Tool
from ..protocol.methods import LOG_LEVELS, Meta
from ..revisions import SINCE
from ..schemas.schema import Invalid, Valid, render_issues
from .asking import Asking
from .backend import Tasks
from .context import Context, RequestInfo
from .signal import Signal
from .threads import run_in_thread

_signals = threading.Lock()


class Sink(Protocol):
    """Where the answer to a request goes."""

    def answer(self, data: bytes) -> None:
        """The reply. Never blocks, never raises."""

    def skip(self) -> None:
        """There will be none: the request was cancelled."""


class Wire(Sink, Protocol):
    """A transport's sending half, as calls see it. All of it belongs to the loop's thread, but for reading `full`."""

    @property
    def full(self) -> bool:
        """More waits unsent than the client should be given: it doesn't read."""
        ...

    @property
    def request_headers(self) -> Mapping[bytes, bytes]:
        """The HTTP headers of the request, names in lower case; empty on other transports."""
        ...

    def send(self, data: bytes) -> None:
        """One message. Never blocks, never raises, keeps the order; after the end it does nothing."""

    def room(self) -> Any:
        """Awaitable: until `full` is False or the transport has ended."""


class Home(Protocol):
    """What the calls of one serving loop share."""

    tasks: Tasks
    state: Any
    """What the lifespan yielded."""
    mask_errors: bool


class Caller(Protocol):
    """Who sent a request: the session in the handshake era, the request's own envelope since."""

    @property
    def revision(self) -> str: ...
    @property
    def log_level(self) -> str | None: ...
    @property
    def client_info(self) -> dict[str, Any]: ...
    @property
    def client_capabilities(self) -> dict[str, Any]: ...


Outcome: TypeAlias = CallResult | McpError | None
"""How a call ended: a result (tool errors too), a protocol error, or None: cancelled, nothing is answered."""


class Call:
    """A tools/call in progress. `end(call, outcome)` is called once, in the loop's thread."""

    __slots__ = (
        "_signal",
        "arguments",
        "asking",
        "caller",
        "cancelled",
        "done",
        "end",
        "handle",
        "home",
        "id",
        "last_progress",
        "params",
        "reason",
        "sink",
        "token",
        "tool",
        "wire",
    )

    def __init__(
        self,
        home: Home,
        wire: Wire,
        sink: Sink,
        end: Callable[[Call, Outcome], None],
        caller: Caller,
        tool: Tool,
        id: jsonrpc.Id | None,
        arguments: bytes,
        params: bytes | Raw,
        meta: Meta | UnsetType | None,
    ) -> None:
        self.home = home
        self.wire = wire
        self.sink = sink
        self.end = end
        self.caller = caller
        self.tool = tool
        self.id = id
        self.arguments = arguments
        self.params = params
        self.token = meta.progress_token if meta else None
        self.asking: Asking | None = None
        self.handle: Any = None
        self.cancelled = False
        self.reason = ""
        self.done = False
        self.last_progress = -math.inf
        self._signal: Signal | None = None

    @property
    def signal(self) -> Signal:
        if self._signal is None:
            with _signals:  # a handler may hand its context to several threads
                if self._signal is None:
                    self._signal = Signal(self.home.tasks)
            if self.cancelled:
                self._signal._abort(self.reason)
        return self._signal

    @property
    def meta(self) -> dict[str, Any]:
        params = decode_json(bytes(self.params)) if self.params else {}
        return params.get("_meta") or {}

    @property
    def request(self) -> RequestInfo:
        caller = self.caller
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in self.wire.request_headers.items()}
        return RequestInfo(self.id, caller.revision, caller.client_info, caller.client_capabilities, headers)

    async def ask(self, method: str, params: Any = UNSET) -> Any:
        """Send the client a request and wait for its result; in the loop's thread, in the handshake era only."""
        if self.asking is None:
            raise RuntimeError(f"{method} can't be sent to the client: nobody is there who could be asked")
        return await self.asking.ask(self.wire, method, params)

    def abort(self, reason: str) -> None:
        """Mark as cancelled and fire the signal. In the loop's thread; cancelling the task is the caller's."""
        self.cancelled = True
        self.reason = reason
        if self._signal is not None:
            self._signal._abort(reason)

    def progress(self, progress: float, total: float | None, message: str | None) -> dict[str, Any] | None:
        """The params of notifications/progress, or None when nobody asked for it."""
        for name, number in (("progress", progress), ("total", total)):
            if number is not None and not math.isfinite(number):
                raise ValueError(f"ctx.progress: {name} must be a finite number, not {number!r}")
        if self.token is UNSET or self.token is None:
            return None
        params: dict[str, Any] = {"progressToken": self.token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None and self.caller.revision >= SINCE["progress.message"]:
            params["message"] = message
        return params

    def log(self, level: str, data: Any, logger: str | None) -> dict[str, Any] | None:
        """The params of notifications/message, or None when the client doesn't want this level."""
        if level not in LOG_LEVELS:
            raise ValueError(f"ctx.log: unknown level {level!r}: use one of {', '.join(LOG_LEVELS)}")
        wanted = self.caller.log_level
        if wanted is None or LOG_LEVELS.index(level) < LOG_LEVELS.index(wanted):
            return None
        params: dict[str, Any] = {"level": level, "data": Raw(encode_json(data))}
        if logger is not None:
            params["logger"] = logger
        return params

    def notify(self, params: dict[str, Any] | None) -> None:
        """Send what `progress` or `log` made, in the loop's thread."""
        if params is None or self.done or self.cancelled:
            return
        method = "notifications/message"
        if "progressToken" in params:
            method = "notifications/progress"
            if params["progress"] <= self.last_progress:
                return
            self.last_progress = params["progress"]
        self.wire.send(jsonrpc.notification(method, params))


def checked_arguments(raw: bytes) -> bytes:
    """The arguments of a call, {} for absent ones. Raises McpError -32602 for what is no object."""
    if not raw or raw == b"null":
        return b"{}"
    if not raw.startswith(b"{"):
        raise McpError(INVALID_PARAMS, "Invalid params for tools/call: arguments must be an object")
    return raw


async def run(call: Call) -> None:
    """The body of a call's task."""
    outcome: Outcome = None
    try:
        outcome = await _perform(call)
    except BaseException as error:
        if call.home.tasks.interrupts(error):
            if not call.cancelled:
                call.abort("the server is stopping")
            raise
        outcome = _failed(call, error)
    finally:
        call.done = True
        call.end(call, None if call.cancelled else outcome)


async def _perform(call: Call) -> CallResult:
    tool = call.tool
    value: Any = {}
    if tool.check is not None:
        outcome = tool.check(call.arguments)
        if type(outcome) is not Valid:
            if type(outcome) is not Invalid:
                outcome = await outcome  # type: ignore[misc]  # not a result, so an awaitable of one
            if type(outcome) is Invalid:
                return _refuse_arguments(call, outcome)
        value = outcome.value  # type: ignore[union-attr]  # Invalid was handled
    if tool.timeout is None:
        returned = await _call_handler(call, value)
    else:
        with anyio.move_on_after(tool.timeout) as scope:
            returned = await _call_handler(call, value)
        if scope.cancelled_caught:
            call.signal._abort("timeout")
            log().warning("tool %s timed out after %g s", tool.name, tool.timeout)
            return error_result(f'Tool "{tool.name}" timed out after {tool.timeout:g} seconds.')
    result = to_result(returned, tool.output, tool.name)
    return result if type(result) is CallResult else await result  # type: ignore[misc]  # an awaitable of one


async def _call_handler(call: Call, value: Any) -> Any:
    tool = call.tool
    args = (value, Context(call))[: tool.arity] if tool.arity != 1 else (value,)
    if not tool.threaded:
        returned = tool.run(*args)
    else:
        job = await run_in_thread(call.home.tasks, tool.run, *args)
        if job.error is not None:
            if isinstance(job.error, RuntimeError) and str(job.error) == "no running event loop":
                raise RuntimeError(_NO_LOOP) from job.error
            if isinstance(job.error, StopIteration):  # it can't pass through a coroutine
                raise RuntimeError("StopIteration") from job.error
            raise job.error
        returned = job.value
        if hasattr(returned, "__await__"):  # go on with the variables that the thread has set
            for var in job.context:
                if var.get(_MISSING) is not job.context[var]:
                    var.set(job.context[var])
    if type(returned) is CoroutineType or hasattr(returned, "__await__"):
        return await returned
    return returned


_MISSING = object()
_NO_LOOP = (
    "no running event loop: a plain def handler runs in a worker thread. Make it async def, or set "
    '"thread": False to run it in the loop\'s thread'
)


def _refuse_arguments(call: Call, invalid: Invalid) -> CallResult:
    try:
        decode_json(call.arguments)
    except ValueError as error:
        raise McpError(PARSE_ERROR, f"Parse error: the arguments are not valid JSON: {error}") from None
    return error_result(f'Invalid arguments for tool "{call.tool.name}":\n{render_issues(invalid.issues)}')


def _failed(call: Call, error: BaseException) -> CallResult | McpError:
    """What a handler's exception is to the client. The traceback goes to the log only."""
    error = _single(error)
    name = call.tool.name
    if isinstance(error, McpError):
        return error
    if isinstance(error, ToolError):
        log().debug("tool %s: %s", name, error)
        return error_result(str(error) or "ToolError")
    if not call.cancelled:
        log().error("tool %s failed", name, exc_info=error)
    if call.home.mask_errors:
        return error_result(f'Tool "{name}" failed. The reason is in the server\'s log.')
    return error_result(describe(error))


def describe(error: BaseException) -> str:
    """An exception's message; its type if it has none or one that says nothing without it."""
    kind = type(error).__name__
    if isinstance(error, BaseExceptionGroup):
        return "\n".join(describe(e) for e in error.exceptions)
    try:
        text = str(error)
    except Exception:
        return kind
    if isinstance(error, KeyError | SystemExit) or not text.strip():
        return f"{kind}: {text}" if text.strip() else kind
    return text


def _single(error: BaseException) -> BaseException:
    """What a TaskGroup wrapped, if it is one exception."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
