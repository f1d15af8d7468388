"""What a server tells of its changes, waiting to be read.

Rules:
1. A change that waits already is not added again: who reads late reads once what happened often.
2. No kind is ever lost, and what waits is bounded: when more than MAX_PARTS parts of the asked resources wait, the
   resources themselves take their place.
3. What had come before the end is read before the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from anyio.lowlevel import checkpoint
from msgspec import Struct

from .channel import Pending

Kind = Literal["tools", "prompts", "resources", "resource"]

KINDS: dict[str, Kind] = {
    "notifications/tools/list_changed": "tools",
    "notifications/prompts/list_changed": "prompts",
    "notifications/resources/list_changed": "resources",
    "notifications/resources/updated": "resource",
}

MAX_PARTS = 1000
"""URIs that wait and were not asked for: servers may name a part of the resource that was (2025-11-25,
ResourceUpdatedNotification)."""


class Change(Struct, frozen=True):
    """Something at the server is no longer what it was. What it is now, the reader asks for."""

    kind: Kind
    """"tools", "prompts", "resources": the list of them. "resource": what one of them holds."""
    uri: str = ""
    """Of the resource, for the kind "resource"."""


class Changes:
    """`async for change in changes`, for one reader at a time. It ends when the server or the connection does."""

    def __init__(self, kinds: Iterable[Kind], uris: Iterable[str]) -> None:
        self._asked = frozenset(kinds)
        self._asked_uris = tuple(dict.fromkeys(uris))
        self._waiting: dict[Change, None] = {}
        self._pending: Pending | None = None
        self.kinds: frozenset[str] = frozenset()
        """The lists whose changes the server says it tells of, among those asked for: "tools", "prompts", ..."""
        self.uris: frozenset[str] = frozenset()
        """The URIs that the server has taken, among those asked for."""

    @property
    def failure(self) -> Exception | None:
        """What broke the connection; None while there is one, and after an end in order."""
        answer = self._pending.answer if self._pending is not None else None
        return answer if isinstance(answer, Exception) else None

    def __aiter__(self) -> Changes:
        return self

    async def __anext__(self) -> Change:
        await checkpoint()
        pending = self._pending
        while not self._waiting:
            if pending is None or pending.done:
                raise StopAsyncIteration
            await pending.bell.heard()
        change = next(iter(self._waiting))
        del self._waiting[change]
        return change

    def _add(self, method: str, params: dict[str, Any], tagged: bool) -> None:
        """Add what a notification tells, if it was asked for. `tagged`: the server says itself that it was."""
        kind = KINDS.get(method)
        uri = params.get("uri")
        if kind is None:
            return
        if kind != "resource":
            if kind in self._asked:
                self._put(Change(kind))
        elif (
            isinstance(uri, str) and self._asked_uris and (tagged or any(_is_part(uri, of) for of in self._asked_uris))
        ):
            self._put(Change(kind, uri))

    def _put(self, change: Change) -> None:
        if change not in self._waiting and len(self._waiting) >= MAX_PARTS + len(self._asked_uris) + len(KINDS):
            lists = [waiting for waiting in self._waiting if waiting.kind != "resource"]
            self._waiting = dict.fromkeys([*lists, *(Change("resource", uri) for uri in self._asked_uris)])
            if change.kind == "resource":
                return  # it is one of them, or a part of one
        self._waiting[change] = None
        if self._pending is not None:
            self._pending.bell.ring()


def _is_part(uri: str, of: str) -> bool:
    """Whether it is that URI, or one below it."""
    return uri.startswith(of) and (len(uri) == len(of) or of.endswith("/") or uri[len(of)] in "/?#")
