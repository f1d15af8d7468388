"""Telling clients what has changed: the subscribers of one event loop, and what each is told.

A subscriber is a `subscriptions/listen` of 2026-07-28, or a session of the handshake era. Rules:

1. Each change that a subscriber wants is told once, in the order of publishing.
2. A client that doesn't read costs bounded memory: what its wire can't take waits here, and what waits already is not
   added again. A list can have changed once or ten times: the client fetches it anew either way.
3. Nothing is told that wasn't asked for, and nothing after the end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from msgspec import UNSET

from .. import jsonrpc
from ..bus import Change
from ..errors import INTERNAL_ERROR, INVALID_PARAMS, McpError
from ..protocol.handshake import MAX_FOLLOWED, MAX_FOLLOWED_TEXT
from ..protocol.methods import SUBSCRIPTION_KEY, Wanted
from ..protocol.subscriptions import honoured
from .backend import Tasks
from .dispatch import Wire

MAX_LISTENS = 4096
"""Open listens in one event loop. Each costs some 5 KB and the URIs it follows. Sessions don't count: each transport
bounds its own."""

METHOD = {
    "tools": "notifications/tools/list_changed",
    "prompts": "notifications/prompts/list_changed",
    "resources": "notifications/resources/list_changed",
    "resource": "notifications/resources/updated",
}


class Subscriber:
    """One client's wishes, and the wire that they are told on.

    `tag` is the id of the listen request, which every notification carries; None in the handshake era. `uris` is a
    set that may change.
    """

    def __init__(
        self, hub: Hub, wire: Wire, kinds: Iterable[str], uris: Collection[str], tag: jsonrpc.Id | None
    ) -> None:
        self.kinds = frozenset(kinds)
        self.uris = uris
        self.ended = False
        self.handle: Any = None  # what Tasks keeps of the flush
        self._hub = hub
        self._wire = wire
        self._meta = None if tag is None else {SUBSCRIPTION_KEY: tag}
        self._pending: dict[Change, None] = {}

    def tell(self, change: Change) -> None:
        """Pass a change on, if it is wanted; at once or when the client reads again."""
        if change.kind != "resource":
            if change.kind in self.kinds:
                self._tell(change)
        elif change.uri is None:  # any may have changed
            for uri in list(self.uris):
                self._tell(Change("resource", uri))
        elif change.uri in self.uris:
            self._tell(change)

    def _tell(self, change: Change) -> None:
        if self._pending:
            self._pending[change] = None
        elif self._wire.full:
            self._pending[change] = None
            self._hub.tasks.start(_flush, self)
        else:
            self._send(change)

    def _send(self, change: Change) -> None:
        params: dict[str, Any] = {}
        if change.uri is not None:
            params["uri"] = change.uri
        if self._meta is not None:
            params["_meta"] = self._meta
        self._wire.send(jsonrpc.notification(METHOD[change.kind], params or UNSET))

    async def flush(self) -> None:
        """Send what waits, as the client reads it."""
        while self._pending and not self.ended:
            await self._wire.room()
            if self._wire.full:  # it has ended
                self._pending.clear()
            while self._pending and not self._wire.full and not self.ended:
                change = next(iter(self._pending))
                del self._pending[change]
                self._send(change)

    def end(self) -> None:
        """Nothing more is told."""
        self.ended = True
        self._pending.clear()
        self._hub.remove(self)
        self._hub.tasks.cancel(self)  # the flush, if it waits


class Listen(Subscriber):
    """A `subscriptions/listen` in progress. `closing` is called with its result when the server ends it."""

    def __init__(
        self,
        hub: Hub,
        wire: Wire,
        kinds: Iterable[str],
        uris: Collection[str],
        tag: jsonrpc.Id,
        closing: Callable[[dict[str, Any]], None],
    ) -> None:
        super().__init__(hub, wire, kinds, uris, tag)
        self._closing = closing

    def close(self) -> None:
        """The server ends it: the client is told so, and nothing after that."""
        self.end()
        self._closing({"resultType": "complete", "_meta": self._meta})


class Hub:
    """The subscribers of one event loop."""

    def __init__(self, tasks: Tasks) -> None:
        self.tasks = tasks
        self.closed = False
        self.listens = 0
        self._subscribers: dict[Subscriber, None] = {}

    def __len__(self) -> int:
        return len(self._subscribers)

    def add(self, subscriber: Subscriber) -> None:
        """From now on it is told."""
        self._subscribers[subscriber] = None
        self.listens += isinstance(subscriber, Listen)

    def remove(self, subscriber: Subscriber) -> None:
        if subscriber in self._subscribers:
            del self._subscribers[subscriber]
            self.listens -= isinstance(subscriber, Listen)

    def tell(self, change: Change) -> None:
        """In the loop's thread."""
        for subscriber in list(self._subscribers):
            if not subscriber.ended:  # by what another was told: a wire in memory is heard at once
                subscriber.tell(change)

    def close(self) -> None:
        """End the listens, each with its result, and take no more. Sessions have an end of their own."""
        self.closed = True
        for subscriber in list(self._subscribers):
            if isinstance(subscriber, Listen) and not subscriber.ended:  # as above
                subscriber.close()


def listen(
    hub: Hub,
    features: Collection[str],
    id: jsonrpc.Id,
    wanted: Wanted,
    wire: Wire,
    closing: Callable[[dict[str, Any]], None],
) -> Listen:
    """Subscribe, then acknowledge what is honoured: what changes meanwhile comes after it. Raises McpError."""
    asked = wanted.resource_subscriptions or ()
    if len(asked) > MAX_FOLLOWED or sum(map(len, asked)) > MAX_FOLLOWED_TEXT:
        most = f"{MAX_FOLLOWED} items" if len(asked) > MAX_FOLLOWED else f"{MAX_FOLLOWED_TEXT} characters"
        text = f"Invalid params for subscriptions/listen: resourceSubscriptions has more than {most}"
        raise McpError(INVALID_PARAMS, text)
    if hub.closed:
        raise McpError(INTERNAL_ERROR, "The server is stopping")
    kinds, uris, told = honoured(wanted, features)
    if hub.listens >= MAX_LISTENS:
        raise McpError(INTERNAL_ERROR, f"{MAX_LISTENS} clients are listening: try again later")
    opened = Listen(hub, wire, kinds, uris, id, closing)
    hub.add(opened)
    params = {"_meta": {SUBSCRIPTION_KEY: id}, "notifications": told}
    wire.send(jsonrpc.notification("notifications/subscriptions/acknowledged", params))
    return opened


async def _flush(subscriber: Subscriber) -> None:
    await subscriber.flush()
