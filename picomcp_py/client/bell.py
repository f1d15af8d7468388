"""Waking one waiting task, again and again."""

from __future__ import annotations

import anyio


class Bell:
    """`ring` is called in the loop's thread; a ring that comes before the waiting isn't lost."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = anyio.Event()

    def ring(self) -> None:
        self._event.set()

    async def heard(self) -> None:
        """Return after a ring since the last time. What it was for, the waiting task looks up itself."""
        await self._event.wait()
        self._event = anyio.Event()
