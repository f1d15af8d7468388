"""The bus: what changes in one worker process reaches the listeners of all workers behind one port.

change    what changed, and its bytes
bus       what a bus is; the one within a process
redis     the one across processes and machines, on Redis or Valkey
outbox    changes that wait for Redis
link      one process's threads and connections to Redis

A bus carries that something changed, never the change itself: who hears of it looks again. So a change told twice does
no harm, and one that may have been missed is told as "anything may have changed".

Not here: what a server does on hearing of a change, and the list of tools itself, which every worker holds for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .bus import Bus, LocalBus
from .change import Change

if TYPE_CHECKING:
    from .redis import RedisBus

__all__ = ["Bus", "Change", "LocalBus", "RedisBus"]


def __getattr__(name: str) -> Any:
    """RedisBus, imported when first asked for: most servers are one process, and threads cost import time."""
    if name == "RedisBus":
        from .redis import RedisBus

        return RedisBus
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
