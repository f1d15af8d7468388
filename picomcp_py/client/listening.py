"""Listening for changes, in both eras.

2026-07-28 (schema, SubscriptionsListenRequest): one `subscriptions/listen`, whose answer is the end of it. Its first
message acknowledges it and says what of it the server takes.
Handshake era: changes of lists come unasked, on the connection or the session's GET stream; each resource is
subscribed to (2025-11-25, server/resources#subscriptions), once for all that listen for it.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import anyio

from ..errors import McpError
from .changes import Changes, Kind
from .channel import LISTEN, Channel, Pending
from .eras import Agreement, Self
from .errors import BadAnswer

log = logging.getLogger("picomcp_py")

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"

MEMBERS: dict[str, Kind] = {
    "toolsListChanged": "tools",
    "promptsListChanged": "prompts",
    "resourcesListChanged": "resources",
}

PATIENCE = 2.0
"""Seconds for a server to confirm that resources are no longer subscribed to."""


class Listening:
    """The listening of one client."""

    def __init__(self) -> None:
        self._listeners: Counter[str] = Counter()
        self._confirmed: set[str] = set()
        self._order = anyio.Lock()  # over HTTP an `unsubscribe` could overtake the next `subscribe`

    @asynccontextmanager
    async def open(
        self,
        channel: Channel,
        agreed: Agreement,
        me: Self,
        kinds: list[Kind],
        uris: list[str],
        timeout: float | None,
    ) -> AsyncIterator[Changes]:
        """Entered once the server has confirmed. Raises McpError, BadAnswer, ServerUnavailable, TimeoutError."""
        changes = Changes(kinds, uris)
        way = _Stateless(channel, agreed, me) if agreed.stateless else _Session(self, channel, agreed)
        try:
            with anyio.move_on_after(timeout) as scope:
                await way.start(changes, kinds, uris)
            if scope.cancelled_caught:
                raise TimeoutError(f"The server did not confirm in {timeout:g} s that it tells of changes")
            yield changes
        finally:
            await way.stop()

    async def subscribe(self, channel: Channel, uri: str, taken: list[str]) -> None:
        """Add the URI to `taken` as soon as it has to be undone."""
        async with self._order:
            self._listeners[uri] += 1
            taken.append(uri)
            if uri in self._confirmed:
                return
            try:
                await channel.request("resources/subscribe", {"uri": uri})
            except McpError:
                taken.pop()
                self._leave(uri)
                raise
            self._confirmed.add(uri)

    async def unsubscribe(self, channel: Channel, uri: str) -> None:
        async with self._order:
            if self._leave(uri):
                await channel.request("resources/unsubscribe", {"uri": uri})

    def _leave(self, uri: str) -> bool:
        """Whether it was the last listener."""
        self._listeners[uri] -= 1
        if self._listeners[uri]:
            return False
        del self._listeners[uri]
        self._confirmed.discard(uri)
        return True


class _Stateless:
    """A `subscriptions/listen`."""

    def __init__(self, channel: Channel, agreed: Agreement, me: Self) -> None:
        self._channel = channel
        self._agreed = agreed
        self._me = me
        self._watch: Pending | None = None
        self._granted: Any = None

    async def start(self, changes: Changes, kinds: list[Kind], uris: list[str]) -> None:
        wanted: dict[str, Any] = {member: True for member, kind in MEMBERS.items() if kind in kinds}
        if uris:
            wanted["resourceSubscriptions"] = uris

        def take(method: str, params: dict[str, Any], tagged: bool) -> None:
            if method != ACKNOWLEDGED:
                changes._add(method, params, tagged)
            elif tagged:
                self._granted = params.get("notifications", ())
                if self._watch is not None:
                    self._watch.bell.ring()

        await self._channel.room()
        watch = self._watch = self._channel.watch(take, self._agreed.dress({"notifications": wanted}, self._me))
        changes._pending = watch
        while self._granted is None and not watch.done:
            await watch.bell.heard()
        if self._granted is None:
            watch.result()
            raise BadAnswer(f"The server ended {LISTEN} without having acknowledged it")
        if not isinstance(self._granted, dict):
            raise BadAnswer(f"The server's acknowledgement of {LISTEN} doesn't say for which notifications it is")
        changes.kinds = frozenset(kind for member, kind in MEMBERS.items() if self._granted.get(member) is True)
        taken = self._granted.get("resourceSubscriptions")
        changes.uris = frozenset(uris).intersection(taken if isinstance(taken, list) else ())

    async def stop(self) -> None:
        if self._watch is not None:
            self._channel.unwatch(self._watch, "the client no longer listens")


class _Session:
    """A watch on the connection, and a subscription for each resource."""

    def __init__(self, listening: Listening, channel: Channel, agreed: Agreement) -> None:
        self._listening = listening
        self._channel = channel
        self._capabilities = agreed.capabilities
        self._watch: Pending | None = None
        self._taken: list[str] = []

    async def start(self, changes: Changes, kinds: list[Kind], uris: list[str]) -> None:
        self._watch = changes._pending = self._channel.watch(changes._add)
        await self._channel.hears()
        if self._declares("resources", "subscribe"):
            for uri in dict.fromkeys(uris):
                await self._listening.subscribe(self._channel, uri, self._taken)
        changes.kinds = frozenset(kind for kind in kinds if self._declares(kind, "listChanged"))
        changes.uris = frozenset(self._taken)

    def _declares(self, capability: str, member: str) -> bool:
        declared = self._capabilities.get(capability)
        return isinstance(declared, dict) and declared.get(member) is True

    async def stop(self) -> None:
        if self._watch is None:
            return
        self._channel.unwatch(self._watch, "the client no longer listens")
        with anyio.move_on_after(PATIENCE, shield=True):
            await self._unsubscribe(self._taken)

    async def _unsubscribe(self, uris: Iterable[str]) -> None:
        for uri in uris:
            try:
                await self._listening.unsubscribe(self._channel, uri)
            except (McpError, BadAnswer, ConnectionError) as error:
                log.debug("the server was not told that nobody listens for %.200s any more: %s", uri, error)
