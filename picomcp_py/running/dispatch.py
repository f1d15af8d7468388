"""One call: validate the arguments, run the handler, convert what it gave; answer once, or never.

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
from collections.abc import Awaitable, Callable, Mapping
from types import CoroutineType
from typing import Any, NamedTuple, Protocol, TypeAlias

from msgspec import UNSET, Raw, UnsetType

from .. import jsonrpc
from ..errors import INVALID_PARAMS, PARSE_ERROR, McpError, sentence
from ..jsonrpc import WithMeta
from ..jsontext import OutOfRange, decode_json, encode_json
from ..log import log
from ..offered.job import Job, Later
from ..offered.job import Outcome as Answer
from ..offered.result import CallResult
from ..protocol.methods import LOG_LEVELS, Meta
from ..revisions import SINCE
from ..schemas.schema import Invalid, Valid
from .asking import Asking
from .backend import Tasks
from .context import Context, RequestInfo
from .failure import failed
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
    closed: bool
    """Whether the loop's part of the server has ended."""

    async def read_for(self, call: Call, uri: str) -> dict[str, Any]:
        """The resources/read result that a handler asks for. Raises McpError."""
        ...


class Caller(Protocol):
    """Who sent a request: the session in the handshake era, the request's own envelope since. Without a log level
    it wants no log messages.
    """

    @property
    def revision(self) -> str: ...
    @property
    def log_level(self) -> str | None: ...
    @property
    def client_info(self) -> dict[str, Any]: ...
    @property
    def client_capabilities(self) -> dict[str, Any]: ...


class Notice(NamedTuple):
    """A notification, encoded in the thread of the handler that made it; `progress` is its value if it is one."""

    data: bytes
    progress: float | None


LARGE = 256 * 1024
"""Arguments from this size on are validated in a worker thread: a JSON Schema takes a second for a megabyte."""

Outcome: TypeAlias = Answer | None
"""How a call ended: a result (tool errors too), a protocol error, or None: cancelled, nothing is answered."""


MAX_NESTED = 16
"""Calls one inside of the other, each reading a resource for the one before. More is a resource that reads itself."""


class Call:
    """A job in progress for a request. `end(call, outcome)` is called once, in the loop's thread."""

    # On the class until something happens, which is rare. What is set for each call belongs to `__init__`: the
    # interpreter is slow at instance attributes that hide one of the class.
    asking: Asking | None = None
    cancelled = False
    reason = ""
    last_progress = -math.inf
    depth = 0
    """How many calls it is inside of."""
    holds_worker = False
    """Whether one of these may wait for it in a worker thread."""
    _signal: Signal | None = None
    _meta: dict[str, Any] | None = None

    def __init__(
        self,
        home: Home,
        wire: Wire,
        sink: Sink,
        end: Callable[[Call, Outcome], None],
        caller: Caller,
        job: Job,
        id: jsonrpc.Id | None,
        arguments: bytes,
        message: WithMeta,
        meta: Meta | UnsetType | None,
    ) -> None:
        self.home = home
        self.wire = wire
        self.sink = sink
        self.end = end
        self.caller = caller
        self.job = job
        self.id = id
        self.arguments = arguments
        self.message = message
        self.token = meta.progress_token if meta else None
        self.handle: Any = None
        """What Tasks keeps of it."""
        self.guest = False
        """Whether its task is somebody else's: Tasks keeps this."""
        self.done = False

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
        if self._meta is None:
            raw = bytes(self.message.meta_text())
            meta = decode_json(raw) if raw else None
            self._meta = meta if isinstance(meta, dict) else {}
        return self._meta

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

    def mark(self, reason: str) -> None:
        """Nobody waits any more: nothing is sent from here on. In the loop's thread."""
        self.reason = reason
        self.cancelled = True

    def fire(self) -> None:
        """Tell the handler, after `mark`. Cancelling its task is the caller's."""
        if self._signal is not None:
            self._signal._abort(self.reason)

    def expire(self) -> None:
        """The job's timeout has passed: answer so at once, and end the handler."""
        job = self.job
        log().warning("%s timed out after %g s", job.label, job.timeout)
        self.done = True
        self.end(self, job.fail(f"{sentence(job.label)} timed out after {job.timeout:g} seconds."))
        self.mark("timeout")
        self.fire()
        self.home.tasks.cancel(self)

    def lost(self) -> None:
        """The task was cancelled before it began."""
        if not self.done:
            self.done = True
            self.end(self, None)

    def progress(self, progress: float, total: float | None, message: str | None) -> Notice | None:
        """A notifications/progress, or None when nobody asked for it."""
        for name, number in (("progress", progress), ("total", total)):
            if number is None and name == "total":
                continue
            if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
                raise ValueError(f"ctx.progress: {name} must be a finite int or float, not {number!r:.40}")
        if message is not None and not isinstance(message, str):
            raise TypeError(f"ctx.progress: message must be a string, not {type(message).__name__}")
        if self.token is UNSET or self.token is None:
            return None
        params: dict[str, Any] = {"progressToken": self.token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None and self.caller.revision >= SINCE["progress.message"]:
            params["message"] = message
        return Notice(jsonrpc.notification("notifications/progress", params), progress)

    def log(self, level: str, data: Any, logger: str | None) -> Notice | None:
        """A notifications/message, or None when the client doesn't want this level."""
        if level not in LOG_LEVELS:
            raise ValueError(f"ctx.log: unknown level {level!r:.40}: use one of {', '.join(LOG_LEVELS)}")
        if logger is not None and not isinstance(logger, str):
            raise TypeError(f"ctx.log: logger must be a string, not {type(logger).__name__}")
        wanted = self.caller.log_level
        if not wanted or LOG_LEVELS.index(level) < LOG_LEVELS.index(wanted):
            return None
        params: dict[str, Any] = {"level": level, "data": Raw(encode_json(data))}
        if logger is not None:
            params["logger"] = logger
        return Notice(jsonrpc.notification("notifications/message", params), None)

    def notify(self, notice: Notice | None) -> None:
        """Send what `progress` or `log` made, in the loop's thread."""
        if notice is None or self.done or self.cancelled:
            return
        if notice.progress is not None:
            if notice.progress <= self.last_progress:
                return
            self.last_progress = notice.progress
        self.wire.send(notice.data)


class InnerCall(Call):
    """What the handler of another call waits for, on behalf of the same client: it asks and tells it nothing."""

    def __init__(
        self, outer: Call, home: Home, wire: Wire, end: Callable[[Call, Outcome], None], job: Job, arguments: bytes
    ) -> None:
        super().__init__(home, wire, wire, end, outer.caller, job, None, arguments, outer.message, None)
        self.depth = outer.depth + 1
        self.holds_worker = outer.holds_worker or outer.job.threaded


def checked_arguments(raw: bytes, method: str = "tools/call") -> bytes:
    """The arguments of a call, {} for absent ones. Raises McpError -32602 for what is no object."""
    if not raw or raw == b"null":
        return b"{}"
    if not raw.startswith(b"{"):
        raise McpError(INVALID_PARAMS, f"Invalid params for {method}: arguments must be an object")
    return raw


async def run(call: Call) -> None:
    """The body of a call's task. The common case is all here: a coroutine more costs as much as validating."""
    outcome: Outcome = None
    job = call.job
    try:
        value: Any = {}
        if job.check is not None:
            if len(call.arguments) < LARGE or not job.movable:
                checked = job.check(call.arguments)
            else:
                checked = (await run_in_thread(call.home.tasks, job.check, call.arguments)).result()
            if type(checked) is not Valid:
                if not isinstance(checked, Valid | Invalid):
                    checked = await checked
                if isinstance(checked, Invalid):
                    outcome = _refuse_arguments(call, checked)
                    return
            value = checked.value
        if not job.plain:
            outcome = await _run_otherwise(call, job.arguments(value, Context(call)))
            return
        returned = job.run(value) if job.input_only else job.run(*job.arguments(value, Context(call)))
        if type(returned) is CoroutineType or hasattr(returned, "__await__"):
            returned = await returned
        result = job.finish(returned)
        outcome = result if type(result) is CallResult else await _settle(call, result)
    except BaseException as error:
        if call.home.tasks.interrupts(error, call):
            if not call.cancelled:
                call.mark("the server is stopping")
                call.fire()
            raise
        outcome = failed(job, error, masked=call.home.mask_errors, expected=call.cancelled)
    finally:
        call.done = True
        call.end(call, None if call.cancelled else outcome)


async def _run_otherwise(call: Call, args: tuple[Any, ...]) -> Answer:
    """A handler with a timeout, in a thread, or both. The timeout includes making the result: a disk may hang."""
    job = call.job
    stop = call.home.tasks.later(job.timeout, call.expire) if job.timeout is not None else None
    try:
        returned = await _in_thread(call, args) if job.threaded else job.run(*args)
        return await _settle(call, job.finish(await returned if hasattr(returned, "__await__") else returned))
    finally:
        if stop is not None:
            stop()


async def _settle(call: Call, result: Answer | Awaitable[Answer] | Later) -> Answer:
    """What `finish` gave, once it is there."""
    if isinstance(result, Later):
        done: Answer = (await run_in_thread(call.home.tasks, result.work, awaited=call.holds_worker)).result()
        return done
    return await result if hasattr(result, "__await__") else result


async def _in_thread(call: Call, args: tuple[Any, ...]) -> Any:
    work = await run_in_thread(call.home.tasks, call.job.run, *args, awaited=call.holds_worker)
    if isinstance(work.error, RuntimeError) and str(work.error) == "no running event loop":
        raise RuntimeError(_NO_LOOP) from work.error
    returned = work.result()
    if hasattr(returned, "__await__"):  # go on with the variables that the thread has set
        for var in work.context:
            if var.name != "current_async_library_cvar" and var.get(_MISSING) is not work.context[var]:
                var.set(work.context[var])
    return returned


_MISSING = object()
_NO_LOOP = (
    "no running event loop: a plain def handler runs in a worker thread. Make it async def, or set "
    '"thread": False to run it in the loop\'s thread'
)


def _refuse_arguments(call: Call, invalid: Invalid) -> Answer:
    try:
        decode_json(call.arguments)
    except OutOfRange:
        pass  # good JSON: the issues tell
    except ValueError as error:
        raise McpError(PARSE_ERROR, f"Parse error: the arguments are not valid JSON: {error}") from None
    return call.job.refuse(invalid.issues)
