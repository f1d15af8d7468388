"""Changes on their way to Redis: a queue that is bounded without losing anything.

Rules:

1. A change that already waits is not put again: who hears of it looks at how things are then.
2. Past `limit` URIs, all of them become one change: "any resource may have changed". So a long outage costs the others
   some reading, never a change.
3. Not thread-safe: the link holds its lock.
"""

from __future__ import annotations

from .change import Change

_ANY_RESOURCE = Change("resource")


class Outbox:
    """A queue of changes, each of them once. It has a length."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._changes: dict[Change, None] = {}
        self._uris = 0

    def __len__(self) -> int:
        return len(self._changes)

    def put(self, change: Change) -> bool:
        """At the end. Whether this went past the limit, and the URIs were given up."""
        if change in self._changes:
            return False
        if change.uri is None:
            self._changes[change] = None
            return False
        if _ANY_RESOURCE in self._changes:
            return False
        self._changes[change] = None
        self._uris += 1
        if self._uris <= self.limit:
            return False
        self._changes = {waiting: None for waiting in self._changes if waiting.uri is None}
        self._changes[_ANY_RESOURCE] = None
        self._uris = 0
        return True

    def take(self) -> Change:
        """The oldest, which is then no longer here: the same change published meanwhile must be sent again."""
        change = next(iter(self._changes))
        del self._changes[change]
        self._uris -= change.uri is not None
        return change
