"""SIGINT and SIGTERM (on Windows also Ctrl-Break) as calls into the event loop, for the time of a session.

Rules
- Only in the main thread, where Python allows it; elsewhere the process's own handling stays.
- A signal that was ignored stays ignored: the shell starts background jobs so.
- The third one takes its default effect, at once: the loop may be held by a handler that blocks.
- The handlers found are put back, unless somebody put in others meanwhile. asyncio's `remove_signal_handler` would
  leave Python's defaults instead of what was there, and does not exist on Windows, so plain `signal.signal` is used;
  both backends wake up from it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGBREAK")
_PATIENCE = 2  # the first asks, the second insists


@contextmanager
def signals_to(post: Callable[..., None], on_signal: Callable[[int], None]) -> Iterator[None]:
    """Calls `on_signal(number)` through `post` (called from a signal handler) for the first two signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    count = 0

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal count
        count += 1
        if count > _PATIENCE:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
            return
        with suppress(RuntimeError):  # the loop has just ended
            post(on_signal, number)

    found: dict[int, Any] = {}
    try:
        for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
            before = signal.getsignal(number)
            if before is not signal.SIG_IGN:
                signal.signal(number, handle)
                found[number] = before
        yield
    finally:
        for number, before in found.items():
            if signal.getsignal(number) is handle:
                # None: it was set from C, which Python can't put back.
                signal.signal(number, signal.SIG_DFL if before is None else before)
