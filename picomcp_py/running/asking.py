"""Requests of the server's own, in the handshake era: they go out on the wire of the call that asks, and the client's
response comes back on its own (MCP 2025-11-25, basic/transports#sending-messages-to-the-server).

At 2026-07-28 a server sends no requests; what asks there returns to the client instead, and isn't here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Struct

from .. import jsonrpc
from ..errors import INTERNAL_ERROR, Aborted, McpError
from ..jsonrpc import Message
from ..jsontext import decode_json
from .backend import Tasks, Waiter

if TYPE_CHECKING:
    from .dispatch import Wire


class _Error(Struct):
    code: int = INTERNAL_ERROR
    message: str = "The client gave no reason"
    data: Any = None


class _Question:
    __slots__ = ("answer", "waiter")

    def __init__(self, waiter: Waiter) -> None:
        self.waiter = waiter
        self.answer: Message | None = None


class Asking:
    """The open requests of one connection."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._open: dict[jsonrpc.Id, _Question] = {}
        self._last = 0

    async def ask(self, wire: Wire, method: str, params: Any = UNSET) -> Any:
        """The client's result. Raises McpError for its error, Aborted when the connection ends first.

        Cancelling this tells the client, too.
        """
        self._last += 1
        id = f"server-{self._last}"  # strings: clients number theirs
        question = self._open[id] = _Question(self._tasks.waiter())
        wire.send(jsonrpc.request(id, method, params))
        try:
            await question.waiter.wait()
        except BaseException:
            wire.send(jsonrpc.notification("notifications/cancelled", {"requestId": id}))
            raise
        finally:
            del self._open[id]
        answer = question.answer
        if answer is None:
            raise Aborted("the connection has ended")
        if answer.error is not UNSET:
            try:
                error = msgspec.json.decode(answer.error, type=_Error)
            except (msgspec.DecodeError, UnicodeDecodeError):
                error = _Error()
            raise McpError(error.code, error.message, error.data)
        return decode_json(bytes(answer.result)) if answer.result is not UNSET else {}

    def take(self, message: Message) -> None:
        """A response; ignored if nothing of that id is open."""
        question = None if message.id is UNSET else self._open.get(message.id)
        if question is not None and question.answer is None:
            question.answer = message
            question.waiter.set()

    def close(self) -> None:
        for question in self._open.values():
            question.waiter.set()
