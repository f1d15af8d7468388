"""What a server offers: ordered collections that refuse duplicates, and their pages.

Rules:
1. Lists come in the order of registration. A replaced entry keeps its place.
2. A cursor names the last entry of a page by its number, which is never used twice: pages stay complete while entries
   come and go (https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).
3. Whatever is computed from a collection and kept goes when the collection changes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Generic, Protocol, TypeVar

from ..errors import INVALID_PARAMS, ConfigError, McpError


class Named(Protocol):
    name: str


Entry = TypeVar("Entry", bound=Named)
Kept = TypeVar("Kept")


class Registry(Generic[Entry]):
    """One ordered collection, by name. `kind` is its singular, for messages: "tool". `changed` is called after each
    change, in the thread that made it.
    """

    def __init__(self, kind: str, changed: Callable[[], None] | None = None) -> None:
        self.kind = kind
        self._changed = changed
        self._entries: dict[str, Entry] = {}
        self._numbers: dict[str, int] = {}
        self._last = 0
        self._kept: dict[Hashable, object] = {}
        self.get = self._entries.get

    def __iter__(self) -> Iterator[Entry]:
        return iter(list(self._entries.values()))

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def names(self) -> list[str]:
        return list(self._entries)

    def add(self, entry: Entry, *, replace: bool = False) -> None:
        """Raises ConfigError for a name that is taken, unless it may be replaced."""
        if not replace:
            self.refuse_duplicate(entry.name)
        if entry.name not in self._entries:
            self._last += 1
            self._numbers[entry.name] = self._last
        self._entries[entry.name] = entry
        self._change()

    def refuse_duplicate(self, name: str) -> None:
        """ConfigError if the name is taken."""
        if name in self._entries:
            raise ConfigError(
                f'{self.kind} "{name}" is already registered: give it another name, remove the first one, '
                'or make the server with "onDuplicate": "replace"'
            )

    def remove(self, name: str) -> None:
        """Raises KeyError when there is none of that name."""
        del self._entries[name]
        del self._numbers[name]
        self._change()

    def _change(self) -> None:
        self._kept = {}
        if self._changed is not None:
            self._changed()

    def page(self, cursor: str | None, size: int | None) -> tuple[list[Entry], str | None]:
        """The entries after `cursor`, at most `size`, and the next cursor or None. McpError -32602 for a bad cursor."""
        rest = self.after(cursor)
        if size is None or len(rest) <= size:
            return [entry for _, entry in rest], None
        return [entry for _, entry in rest[:size]], self.cursor(rest[size - 1][0])

    def after(self, cursor: str | None) -> list[tuple[int, Entry]]:
        """All entries after `cursor`, with their numbers: one may be removed in another thread meanwhile. McpError
        -32602 for a bad cursor.
        """
        after = 0 if cursor is None else _number(self.kind, cursor)
        numbers = self._numbers
        found = [(numbers.get(entry.name, 0), entry) for entry in list(self._entries.values())]
        return [numbered for numbered in found if numbered[0] > after]

    def cursor(self, number: int) -> str:
        """What names the place after the entry of that number."""
        return _cursor(self.kind, number)

    def number(self, entry: Entry) -> int:
        """Where an entry stands, 0 once it is removed. They rise, and are never used twice."""
        return self._numbers.get(entry.name, 0)

    def keep(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What `make` gave for this key the first time since the last change."""
        of_now = self._kept  # after a change meanwhile, in another thread, nobody looks into this dict any more
        kept = of_now.get(key)
        if kept is None:
            if len(of_now) >= KEPT:
                of_now.clear()
            kept = of_now[key] = make()
        return kept  # type: ignore[return-value]  # the key stands for one type


KEPT = 256
"""Encoded pages kept at most: a client that makes up cursors must not fill the memory."""


def bad_cursor() -> McpError:
    return McpError(INVALID_PARAMS, "Invalid cursor: start again without one")


def seal_cursor(text: str) -> str:
    """A cursor that names a place; clients see no meaning in it."""
    import base64  # few lists have a second page

    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def open_cursor(cursor: str) -> str:
    """The text of `seal_cursor`. McpError -32602 for what it never made."""
    import base64
    import binascii

    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        raise bad_cursor() from None
    if seal_cursor(text) != cursor:
        raise bad_cursor()
    return text


def _cursor(kind: str, number: int) -> str:
    return seal_cursor(f"{kind}:{number}")


def _number(kind: str, cursor: str) -> int:
    head, _, number = open_cursor(cursor).partition(":")
    if head != kind or not number.isdigit() or len(number) > 18 or _cursor(kind, int(number)) != cursor:
        raise bad_cursor()
    return int(number)
