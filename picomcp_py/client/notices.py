"""The notifications that belong to no request of ours: log messages and news such as tools/list_changed.

Rules:
1. A plain callback runs when its notification arrives, so before an answer that came later is given to its caller.
2. What an async callback returns is awaited by one task, in order. A callback may use the client.
3. A callback that raises is logged and costs nothing else.
"""

from __future__ import annotations

import inspect
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from .bell import Bell

log = logging.getLogger("picomcp_py")

OnLog = Callable[[str, Any, str | None], Any]
OnMessage = Callable[[str, dict[str, Any]], Any]

MAX_WAITING = 10_000
"""Async callbacks not yet begun. Tens of thousands of log lines wait only when the callback can't keep up at all."""


class Notices:
    """`on_log(level, data, logger)` and `on_message(method, params)`, plain or async."""

    def __init__(self, on_log: OnLog | None, on_message: OnMessage | None) -> None:
        self._on_log = on_log
        self._on_message = on_message
        self._waiting: deque[Awaitable[Any]] = deque()
        self._bell = Bell()
        self._settled = Bell()
        self._dropped = 0

    def receive(self, method: str, params: dict[str, Any]) -> None:
        if method == "notifications/message":
            if self._on_log is not None:
                logger = params.get("logger")
                level = str(params.get("level", "info"))
                self._call(self._on_log, level, params.get("data"), logger if isinstance(logger, str) else None)
        elif self._on_message is not None:
            self._call(self._on_message, method, params)

    def _call(self, callback: Callable[..., Any], *args: Any) -> None:
        try:
            outcome = callback(*args)
        except Exception:
            log.exception("a callback for the server's notifications failed")
            return
        if not inspect.isawaitable(outcome):
            return
        if len(self._waiting) >= MAX_WAITING:
            _discard(outcome)
            self._dropped += 1
            if self._dropped == 1:
                log.warning("callbacks for the server's notifications are too slow: some notifications are dropped")
            return
        self._waiting.append(outcome)
        self._bell.ring()

    async def run(self) -> None:
        """Await what async callbacks returned, until cancelled."""
        while True:
            while self._waiting:
                try:
                    await self._waiting[0]
                except Exception:
                    log.exception("a callback for the server's notifications failed")
                finally:
                    self._waiting.popleft()  # only now: until then it isn't settled
            self._settled.ring()
            await self._bell.heard()

    async def settled(self) -> None:
        """Return when no callback is waiting or under way."""
        while self._waiting:
            await self._settled.heard()

    def close(self) -> None:
        """Drop what is still waiting."""
        while self._waiting:
            _discard(self._waiting.popleft())


def _discard(outcome: Awaitable[Any]) -> None:
    if inspect.iscoroutine(outcome):
        outcome.close()  # or Python would warn that it was never awaited
