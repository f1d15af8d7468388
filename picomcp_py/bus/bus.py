"""What a bus is, and the bus within one process.

Rules, for every bus:

1. `publish` is called from any thread or event loop. It never waits for a network, and never raises.
2. Subscribers of the bus that publishes hear of the change before `publish` returns, and exactly once.
3. What a subscriber raises is logged; the others are called all the same.

No lock is held while subscribers are called: they may publish, subscribe and unsubscribe.

Non-goals: keeping changes for those who come later, and order between threads that publish at the same time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..log import log
from .change import Change


class Bus(Protocol):
    """Tells every subscriber of each change. A bus of your own has these three methods.

    Whoever makes a bus closes it: a server only uses it, and others may use it too.
    """

    def publish(self, change: Change) -> None:
        """Tell all subscribers: those of this bus now, those of other processes soon."""

    def subscribe(self, receive: Callable[[Change], None]) -> Callable[[], None]:
        """Call `receive` with each change from now on. Returns the function that ends this, which may be called twice.

        `receive` is called from any thread and must be quick, since other subscribers wait for it. A `publish` that is
        underway in another thread may still call it once after it was unsubscribed.
        """

    def close(self) -> None:
        """Let go of subscribers, threads and connections. After that nothing is told, and no method raises."""


class LocalBus:
    """The bus within one process, for a server with one worker: calls every subscriber in the publishing thread."""

    def __init__(self) -> None:
        # Without a lock, which a fork could leave locked for ever: each of these operations on a dict is atomic.
        self._subscribers: dict[object, Callable[[Change], None]] = {}
        self._closed = False

    def publish(self, change: Change) -> None:
        for receive in self._subscribers.copy().values():
            try:
                receive(change)
            except KeyboardInterrupt:
                raise
            except BaseException:  # SystemExit too: it would end a thread that others rely on
                log().exception("a subscriber of the bus failed on %r; the others were told", change)

    def subscribe(self, receive: Callable[[Change], None]) -> Callable[[], None]:
        key = object()
        self._subscribers[key] = receive
        if self._closed:
            self._subscribers.clear()
        return lambda: _forget(self._subscribers, key)

    def close(self) -> None:
        self._closed = True
        self._subscribers.clear()

    def has_subscribers(self) -> bool:
        """Whether anyone is told."""
        return bool(self._subscribers)


def _forget(subscribers: dict[object, Callable[[Change], None]], key: object) -> None:
    subscribers.pop(key, None)
