"""The messages of one peer on a pipe: stdio, or two ends in memory. Both eras, message by message.

A request with the 2026-07-28 envelope is served as it stands; any other belongs to the connection's one handshake
session. Replies go out as they are ready. Rules:

1. `receive` never raises and never blocks. What is quick is answered inside it; what runs a handler gets a task.
2. A call is in the table of calls in flight before its task starts: an eager task may end inside its constructor. Who
   cancels a call takes it out: a task that never started doesn't run its `finally`.
3. While the client doesn't read, new calls wait; cancelling and the end of the input still work.
"""

from __future__ import annotations

from typing import Any

import anyio
import msgspec
from msgspec import UNSET

from .. import jsonrpc
from ..errors import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, McpError
from ..jsonrpc import Batch, Message, Refusal, RequestMessage, is_request
from ..log import log
from ..protocol.handshake import Session
from ..protocol.inbound import carries_envelope, is_stateless, open_quickly, open_request
from ..protocol.methods import ListenParams, Params, Request, decode_cancel
from ..protocol.subscriptions import LISTS
from ..revisions import BATCH
from .answers import encode_error, encode_outcome, new_call
from .asking import Asking
from .changes import Listen, Subscriber, listen
from .dispatch import Call, Caller, Outcome, Sink, Wire, run
from .runtime import Runtime

MAX_IN_FLIGHT = 4096
"""Calls accepted and not yet answered. A host has a handful; thousands mean that it doesn't wait for answers."""


class Connection:
    """One peer. The transport calls `receive`, `oversized`, `room`, `finish` and `close`, all in the loop's thread."""

    def __init__(self, runtime: Runtime, wire: Wire) -> None:
        self.runtime = runtime
        self.wire = wire
        self.session = Session()
        self.calls: dict[jsonrpc.Id, Call] = {}
        self.waiting: dict[Call, None] = {}
        """In the order they came, until the client reads."""
        self.listens: dict[jsonrpc.Id, Listen] = {}
        """Open subscriptions/listen requests. They are answered when the server ends them."""
        self.subscriber: Subscriber | None = None
        """What the handshake session is told of, once the client has said that it is initialized."""
        self.asking = Asking(runtime.tasks)
        self._idle = runtime.tasks.waiter()
        self._finishing = False

    # ------------------------------------------------------------ what the transport calls

    def receive(self, data: bytes) -> None:
        """One message, as JSON text."""
        request = open_quickly(data)
        if request is None or not request.row.is_served(self.runtime.app.features, pushes=self.session.pushes):
            self.take(jsonrpc.decode(data), self.wire)
            return
        try:
            self._request(request, request.params, self.wire, self.wire)
        except Exception:
            self._blunder(request, self.wire)

    def take(self, message: Message | Batch | Refusal, wire: Wire) -> None:
        """One message, and where what belongs to it goes."""
        try:
            if isinstance(message, Message):
                self._message(message, wire, wire)
            elif isinstance(message, Refusal):
                self._refuse(message, wire)
            else:
                self._batch(message.items, wire)
        except Exception:
            self._blunder(message, wire)

    def _blunder(self, message: Message | Request | Batch | Refusal, wire: Wire) -> None:
        """After an exception that nothing should have raised: the peer is answered, and the next message served."""
        log().exception("a message could not be handled: this is a fault of picomcp_py")
        id = UNSET if isinstance(message, Batch) else message.id
        wire.answer(jsonrpc.failure(id, INTERNAL_ERROR, "Internal error"))

    def oversized(self, limit: int) -> None:
        """A message longer than the transport's limit, which has thrown it away."""
        self._refuse(Refusal(PARSE_ERROR, f"The message is longer than {limit} bytes and was not read"), self.wire)

    def room(self) -> None:
        """The client reads again."""
        while self.waiting and not self.wire.full:
            call = next(iter(self.waiting))
            del self.waiting[call]
            self.runtime.tasks.start(run, call)

    async def finish(self, seconds: float) -> None:
        """No more input: answer what was accepted, for at most `seconds`, then cancel the rest."""
        for opened in list(self.listens.values()):
            opened.close()
        if self.calls:
            self._finishing = True
            with anyio.move_on_after(seconds):
                await self._idle.wait()
        self.close("the client has closed its end")

    def close(self, reason: str) -> None:
        """The peer is gone: cancel everything; nothing more is sent."""
        for id in [*self.calls, *self.listens]:
            self._cancel(id, reason)
        if self.subscriber is not None:
            self.subscriber.end()
        self.asking.close()

    # ------------------------------------------------------------ messages

    def _message(self, message: Message, wire: Wire, sink: Sink) -> None:
        if not is_request(message):
            if message.method is UNSET:
                self.asking.take(message)
            elif message.method == "notifications/cancelled":
                self._cancelled(message)
            elif message.method == "notifications/initialized":
                self._follow_changes()
            return  # other notifications ask for nothing, known or not
        params = open_request(message, self.runtime.app.features, pushes=self.session.pushes)
        if isinstance(params, Refusal):
            self._refuse(params, sink)
        else:
            self._request(message, params, wire, sink)

    def _request(self, message: RequestMessage, params: Params, wire: Wire, sink: Sink) -> None:
        """A request that was opened."""
        if message.method == "initialize":
            self.session = Session()  # a new one: calls in progress keep what they began with
            if self.subscriber is not None:
                self.subscriber.end()
                self.subscriber = None
        caller: Caller = self.session
        if is_stateless(params):
            caller = params.meta
        elif (refusal := self.session.gate(message)) is not None:
            self._refuse(refusal, sink)
            return
        try:
            if isinstance(params, ListenParams):
                self._listen(message, params, wire)
            else:
                self._answer(message, params, caller, wire, sink)
        except McpError as error:
            sink.answer(encode_error(message.id, error, caller.revision))

    def _refuse(self, refusal: Refusal, sink: Sink) -> None:
        sink.answer(jsonrpc.failure(refusal.id, refusal.code, refusal.message, refusal.data))

    def _batch(self, items: list[bytes], wire: Wire) -> None:
        if self.session.revision != BATCH:
            text = f"Batches exist in {BATCH} only: send one message at a time"
            self._refuse(Refusal(INVALID_REQUEST, text), wire)
            return
        if not items:
            self._refuse(Refusal(INVALID_REQUEST, "The batch is empty"), wire)
            return
        messages = [jsonrpc.decode(item) for item in items]
        replies = BatchReplies(wire, sum(map(wants_reply, messages)))
        for message in messages:
            if isinstance(message, Batch):
                self._refuse(Refusal(INVALID_REQUEST, "A batch holds no batches"), replies)
            elif isinstance(message, Refusal):
                self._refuse(message, replies)
            elif is_request(message) and carries_envelope(message):
                text = "A request with the envelope of 2026-07-28 is sent alone, not in a batch"
                self._refuse(Refusal(INVALID_REQUEST, text, message.id), replies)
            elif message.method == "initialize" and is_request(message):
                self._refuse(Refusal(INVALID_REQUEST, "initialize is sent alone, not in a batch", message.id), replies)
            else:
                self._message(message, wire, replies)

    def _cancelled(self, message: Message) -> None:
        try:
            params = decode_cancel(message.params)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return  # the specification: malformed cancellations are ignored
        id = params.id
        if isinstance(id, float):  # 1.0 is the id 1
            id = int(id) if id.is_integer() else None
        if id is not None:
            self._cancel(id, params.reason if isinstance(params.reason, str) else "")

    def _cancel(self, id: jsonrpc.Id, reason: str) -> None:
        call = self.calls.get(id)
        if call is None:
            opened = self.listens.pop(id, None)
            if opened is not None:
                opened.end()
            return
        call.mark(reason)
        self._ended(call, None)
        self.runtime.tasks.cancel(call)
        call.fire()

    # ------------------------------------------------------------ calls

    def _answer(self, message: RequestMessage, params: Any, caller: Caller, wire: Wire, sink: Sink) -> None:
        id = message.id
        if id in self.calls or id in self.listens:
            raise self._taken(id)
        call = new_call(self.runtime, caller, message, params, wire, sink, self._ended)
        if type(call) is not Call:
            sink.answer(jsonrpc.reply(id, call))
            return
        if len(self.calls) >= MAX_IN_FLIGHT:
            raise McpError(INTERNAL_ERROR, f"{MAX_IN_FLIGHT} calls are in progress: wait for their answers")
        if caller is self.session:
            call.asking = self.asking
        self.calls[id] = call
        if wire.full:
            self.waiting[call] = None
        else:
            self.runtime.tasks.start(run, call)

    def _ended(self, call: Call, outcome: Outcome) -> None:
        """A call's outcome, or its cancellation: whichever comes first takes it out of the table."""
        id: Any = call.id
        if self.calls.get(id) is not call:
            return
        del self.calls[id]
        if self.waiting:
            self.waiting.pop(call, None)
        call.done = True
        if outcome is not None:
            call.sink.answer(encode_outcome(self.runtime, call, outcome))
        else:
            call.sink.skip()
        if self._finishing and not self.calls:
            self._idle.set()

    @staticmethod
    def _taken(id: jsonrpc.Id) -> McpError:
        return McpError(INVALID_REQUEST, f"Request {id!r:.60} is still in progress: ids in flight are unique")

    # ------------------------------------------------------------ changes

    def _follow_changes(self) -> None:
        """The handshake is over: from now on the session is told what changes."""
        if self.session.revision and self.session.pushes and self.subscriber is None:
            kinds = self.session.promised.intersection(LISTS)
            subscriber = Subscriber(self.runtime.hub, self.wire, kinds, self.session.followed, None)
            self.runtime.hub.add(subscriber)
            self.subscriber = subscriber

    def _listen(self, message: RequestMessage, params: ListenParams, wire: Wire) -> None:
        id = message.id
        if id in self.calls or id in self.listens:
            raise self._taken(id)

        def closing(result: dict[str, Any]) -> None:
            del self.listens[id]
            wire.answer(jsonrpc.reply(id, result))
            # Told twice over: the specification's page on cancellation asks for this, too.
            wire.send(jsonrpc.notification("notifications/cancelled", {"requestId": id}))

        self.listens[id] = listen(self.runtime.hub, self.runtime.app.features, id, params.notifications, wire, closing)


class BatchReplies:
    """A sink for the answers to a batch, which go on as one array when the last is there."""

    def __init__(self, sink: Sink, expected: int) -> None:
        self._sink = sink
        self._missing = expected
        self._replies: list[bytes] = []

    def answer(self, data: bytes) -> None:
        self._replies.append(data)
        self.skip()

    def skip(self) -> None:
        """One answer less to wait for."""
        self._missing -= 1
        if self._missing == 0:
            if self._replies:
                self._sink.answer(b"[" + b",".join(self._replies) + b"]")
            else:
                self._sink.skip()


def wants_reply(message: Message | Refusal | Batch) -> bool:
    """Whether a message is answered: a request is, and what is no message."""
    return not isinstance(message, Message) or is_request(message)
