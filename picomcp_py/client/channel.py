"""Requests and their answers, over any link: the table of pending requests.

Rules:
1. `receive` never raises and never blocks. A line that is no message is counted, logged and passed over.
2. Who waits for a request is always told how it ended: by its answer, its timeout, or the end of the link.
3. A request that nobody waits for any more is cancelled at the server; its late answer is ignored.
4. Ids are integers from 1, never used twice. A request's progress token is its id.

Progress callbacks run in the task that waits for the request: in order, all of them before the answer is returned, and
what one raises ends the request.
"""

from __future__ import annotations

import inspect
import logging
import math
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import anyio
from anyio.lowlevel import checkpoint
from msgspec import UNSET

from .. import jsonrpc
from ..errors import METHOD_NOT_FOUND, McpError
from ..jsonrpc import Message, Refusal
from ..jsontext import decode_json
from .bell import Bell
from .errors import BadAnswer
from .notices import Notices

log = logging.getLogger("picomcp_py")

OnProgress = Callable[[float, float | None, str | None], Any]

Take = Callable[[str, dict[str, Any], bool], None]
"""Called with a notification's method and params, and whether it names the very subscription."""

SUBSCRIPTION_ID_KEY = "io.modelcontextprotocol/subscriptionId"
LISTEN = "subscriptions/listen"

SHOWN = 200
"""Characters of a line that could not be read, for the log."""


class Link(Protocol):
    """The way to the server."""

    def send(self, data: bytes) -> None:
        """One message. Never blocks and raises nothing; a server that is gone is told to `Channel.close`."""

    async def room(self) -> None:
        """Returns when little enough waits to be sent."""

    def keep_tools(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The listed tools that can be called over this link; it may note what it needs for calling them."""

    def knows_tool(self, name: str) -> bool:
        """Whether all is known that is needed for calling the tool."""

    async def hears(self) -> None:
        """In the handshake era: returns once the server has a way for what belongs to no request. Raises HttpError."""


class PlainLink:
    """The part of a Link that is the same wherever a message is all that is sent."""

    def keep_tools(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return tools

    def knows_tool(self, name: str) -> bool:
        return True

    async def hears(self) -> None:
        """From the beginning: it is the way of the answers too."""


class Pending:
    """A request that was sent. `answer` is its result, or the exception it ended with."""

    __slots__ = ("answer", "bell", "done", "id", "method", "progress")

    def __init__(self, id: int, method: str, bell: Bell) -> None:
        self.id = id
        self.method = method
        self.bell = bell
        self.progress: deque[dict[str, Any]] = deque()
        self.answer: dict[str, Any] | Exception | None = None
        self.done = False

    def end(self, answer: dict[str, Any] | Exception) -> None:
        self.answer = answer
        self.done = True
        self.bell.ring()

    def result(self) -> dict[str, Any]:
        """The answer, once there is one; raises what it ended with."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]  # done


class Channel:
    """One connection to a server. The link calls `receive` and `close`, in the loop's thread."""

    def __init__(self, notices: Notices) -> None:
        self.noise = 0
        """Lines that were no message."""
        self._notices = notices
        self._link: Link | None = None
        self._pending: dict[Any, Pending] = {}
        self._watches: dict[int, tuple[Pending, Take]] = {}
        self._last_id = 0
        self._closed: Callable[[str], Exception] | None = None

    def connect(self, link: Link) -> None:
        self._link = link

    def close(self, failure: Callable[[str], Exception]) -> None:
        """No answer comes any more. `failure(method)` makes the exception for each request; the first call counts."""
        if self._closed is not None:
            return
        self._closed = failure
        for pending in self._pending.values():
            pending.end(failure(pending.method))
        self._pending.clear()
        self.deafen(failure)

    def deafen(self, failure: Callable[[str], Exception]) -> None:
        """No notification comes any more: whoever watches for them is told."""
        for watch, _ in self._watches.values():
            if not watch.done:
                watch.end(failure(watch.method))

    # ------------------------------------------------------------ sending

    async def request(
        self,
        method: str,
        params: dict[str, Any],
        *,
        on_progress: OnProgress | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Send a request and wait for its result. Raises McpError, BadAnswer, ServerUnavailable, TimeoutError."""
        pending: Pending | None = None
        deadline = math.inf if timeout is None else anyio.current_time() + timeout
        with anyio.CancelScope(deadline=deadline) as scope:
            try:
                await self._open_link(method).room()
                pending = self.begin(method, params, track=on_progress is not None)
                await self._follow(pending, on_progress)
            except BaseException:
                if pending is not None:
                    late = scope.cancel_called
                    self.cancel(pending, f"no answer in {timeout:g} s" if late else "the caller no longer waits")
                raise
        if scope.cancelled_caught:
            raise TimeoutError(f"{method} was not answered in {timeout:g} s and was cancelled")
        return pending.result()  # type: ignore[union-attr]  # not cancelled: it was begun

    def begin(self, method: str, params: dict[str, Any], *, bell: Bell | None = None, track: bool = False) -> Pending:
        """Send a request, for `result` or `cancel` later. With `track` it carries a progress token."""
        link = self._open_link(method)
        id = self._last_id + 1
        if track:
            params = {**params, "_meta": {**(params.get("_meta") or {}), "progressToken": id}}
        data = jsonrpc.request(id, method, params or UNSET)
        self._last_id = id
        pending = self._pending[id] = Pending(id, method, bell or Bell())
        link.send(data)
        return pending

    def watch(self, take: Take, params: dict[str, Any] | None = None) -> Pending:
        """Give `take` the notifications of changes, until `unwatch`.

        With `params` a `subscriptions/listen` is sent, and the Pending ends with its answer; without, with the
        connection. Notifications that name a subscription are for that one only, others for every one.
        """
        link = self._open_link(LISTEN)
        id = self._last_id + 1
        data = None if params is None else jsonrpc.request(id, LISTEN, params)
        self._last_id = id
        watch = Pending(id, LISTEN, Bell())
        self._watches[id] = watch, take  # before the sending: in memory the first ones come meanwhile
        if data is not None:
            self._pending[id] = watch
            link.send(data)
        return watch

    def unwatch(self, watch: Pending, reason: str) -> None:
        """The end of `watch`; a request that is pending is cancelled."""
        self._watches.pop(watch.id, None)
        self.cancel(watch, reason)
        if not watch.done:
            watch.end({})

    async def hears(self) -> None:
        """Returns once notifications can come that belong to no request. Raises HttpError where none can."""
        await self._open_link(LISTEN).hears()

    def cancel(self, pending: Pending, reason: str) -> None:
        """Stop waiting, and tell the server so. Does nothing once the request has ended."""
        waited = self.forget(pending)
        # MCP 2025-11-25, basic/utilities/cancellation: `initialize` must not be cancelled.
        if waited and pending.method != "initialize" and self._link is not None and self._closed is None:
            params = {"requestId": pending.id, "reason": reason}
            self._link.send(jsonrpc.notification("notifications/cancelled", params))

    def leave(self) -> None:
        """The client goes: cancel what is pending, so that the server need not finish it first."""
        for pending in list(self._pending.values()):
            self.cancel(pending, "the client is leaving")
            pending.end(_left(pending.method))
        self.close(_left)

    def forget(self, pending: Pending) -> bool:
        """Stop waiting. Whether the request was still pending."""
        return self._pending.pop(pending.id, None) is not None

    def waits(self, id: Any) -> bool:
        """Whether the request is still pending."""
        return id in self._pending

    def fail(self, id: Any, failure: Callable[[str], Exception]) -> None:
        """End one pending request; `failure(method)` makes the exception. Does nothing once it has ended."""
        pending = self._pending.pop(id, None)
        if pending is not None:
            pending.end(failure(pending.method))

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._open_link(method).send(jsonrpc.notification(method, params or UNSET))

    async def room(self) -> None:
        if self._link is not None:
            await self._link.room()

    def _open_link(self, method: str) -> Link:
        if self._closed is not None:
            raise self._closed(method)
        if self._link is None:
            raise RuntimeError("The client is not connected")
        return self._link

    async def _follow(self, pending: Pending, on_progress: OnProgress | None) -> None:
        if pending.done:
            await checkpoint()  # answered at once, in memory: other tasks must still get their turn
        while True:
            while pending.progress:
                await _tell(on_progress, pending.progress.popleft())
            if pending.done:
                return
            await pending.bell.heard()

    # ------------------------------------------------------------ receiving

    def receive(self, data: bytes) -> None:
        """One message of the server, as JSON text."""
        message = jsonrpc.decode(data)
        try:
            if type(message) is Message:
                self._message(message)
            elif type(message) is Refusal:
                self._unreadable(message, data)
            else:
                for item in message.items:  # type: ignore[union-attr]  # a Batch
                    self.receive(item)
        except Exception:
            log.exception("a message of the server could not be handled: this is a fault of picomcp_py")

    def _message(self, message: Message) -> None:
        if message.method is UNSET:
            self._answered(message)
        elif message.id is UNSET:
            self._noticed(message)
        else:
            self._asked(message)

    def _answered(self, message: Message) -> None:
        pending = self._pending.pop(message.id, None) if message.id is not UNSET else None
        if pending is not None:
            pending.end(_read_answer(pending.method, message))
        elif message.id is UNSET:
            log.warning("the server sent an error that belongs to no request: %s", _shown(bytes(message.error or b"")))
        elif not (isinstance(message.id, int) and 0 < message.id <= self._last_id):
            log.warning("the server answered a request that was never sent: id %.60r", message.id)

    def _noticed(self, message: Message) -> None:
        params = _read_params(message)
        if params is None:
            log.warning("the params of the server's %.60s could not be read", message.method)
        elif message.method == "notifications/progress":
            token = params.get("progressToken")
            pending = self._pending.get(token) if isinstance(token, int) else None
            if pending is not None and pending.method != LISTEN:  # of which nobody would read it
                pending.progress.append(params)
                pending.bell.ring()
        elif message.method == "notifications/cancelled":
            self._cancelled(params.get("requestId"))
        elif not (self._watches and self._watched(str(message.method), params)):
            self._notices.receive(str(message.method), params)

    def _cancelled(self, id: Any) -> None:
        # Of a request of ours a server may end listening only, and only on stdio (2026-07-28, CancelledNotification).
        # Requests of its own are answered at once.
        pending = self._pending.get(id) if isinstance(id, int) else None
        if pending is not None and pending.method == LISTEN:
            self.forget(pending)
            pending.end({})

    def _watched(self, method: str, params: dict[str, Any]) -> bool:
        """Whether the notification names a subscription of ours, and so is nobody else's."""
        meta = params.get("_meta")
        named = meta.get(SUBSCRIPTION_ID_KEY) if isinstance(meta, dict) else None
        if type(named) is int and named in self._watches:
            self._watches[named][1](method, params, True)
            return True
        for _, take in self._watches.values():
            take(method, params, False)
        return False

    def _asked(self, message: Message) -> None:
        if self._link is None:
            return
        if message.method == "ping":
            self._link.send(jsonrpc.reply(message.id, {}))  # type: ignore[arg-type]  # a request has an id
        else:
            text = f"Method not found: {message.method} (this client has no handler for it)"
            self._link.send(jsonrpc.failure(message.id, METHOD_NOT_FOUND, text))

    def _unreadable(self, refusal: Refusal, data: bytes) -> None:
        pending = self._pending.pop(refusal.id, None) if refusal.id is not UNSET else None
        if pending is not None:
            pending.end(BadAnswer(f"The answer to {pending.method} can't be read: {refusal.message}"))
            return
        self.noise += 1
        log.warning("the server sent what is no MCP message (%s): %s", refusal.message, _shown(data))


def _left(method: str) -> Exception:
    return ConnectionError(f"The client was left while {method} was waiting for its answer")


async def _tell(on_progress: OnProgress | None, params: dict[str, Any]) -> None:
    if on_progress is None:
        return
    outcome = on_progress(params.get("progress", 0), params.get("total"), params.get("message"))
    if inspect.isawaitable(outcome):
        await outcome


def _read_answer(method: str, message: Message) -> dict[str, Any] | Exception:
    try:
        value = decode_json(message.error if message.error is not UNSET else message.result)  # type: ignore[arg-type]
    except ValueError as error:
        return BadAnswer(f"The answer to {method} can't be read: {error}")
    if not isinstance(value, dict):
        return BadAnswer(f"The answer to {method} is {type(value).__name__}, not an object")
    if message.error is UNSET:
        return value
    code, text = value.get("code"), value.get("message")
    if isinstance(code, bool) or not isinstance(code, int) or not isinstance(text, str):
        return BadAnswer(f"The error that answers {method} has no code and message: {_shown(bytes(message.error))}")
    return McpError(code, text, value.get("data"))


def _read_params(message: Message) -> dict[str, Any] | None:
    try:
        params = decode_json(message.params) if bytes(message.params) else {}
    except ValueError:
        return None
    return params if isinstance(params, dict) else None


def _shown(data: bytes) -> str:
    text = data[: 4 * SHOWN].decode("utf-8", "replace")
    return ascii(text if len(text) <= SHOWN else text[:SHOWN] + "...")
