"""All pages of a list, one after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from .errors import BadAnswer

MAX_PAGES = 1000
"""Pages of one list. A server with more has a fault in its cursors."""


async def all_pages(
    ask: Callable[..., Awaitable[dict[str, Any]]], method: str, member: str, *, timeout: float | None
) -> list[dict[str, Any]]:
    """The entries of all pages, as they were sent: `ask(method, params, timeout=...)` gets one page.

    Raises BadAnswer for a page without a list of objects in `member`, and for pages that don't end.
    """
    found: list[dict[str, Any]] = []
    params: dict[str, Any] = {}
    for _ in range(MAX_PAGES):
        page = await ask(method, params, timeout=timeout)
        entries = page.get(member)
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise BadAnswer(f"The answer to {method} has no list of {member}")
        found += entries
        cursor = page.get("nextCursor")
        if cursor is None:
            return found
        if cursor == params.get("cursor"):
            raise BadAnswer(f"The server's {method} goes round in circles: cursor {cursor!r:.60} leads to itself")
        params = {"cursor": cursor}
    raise BadAnswer(f"The server's {method} has more than {MAX_PAGES} pages")
