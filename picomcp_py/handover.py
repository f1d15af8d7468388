"""How a program that only wants a file's server gets it, although the file calls `server.serve()`.

While somebody collects, `serve()` and `serve_async()` hand the server over with their options and return at once; so a
file works with the command line whether or not its `serve()` stands under `if __name__ == "__main__"`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

_collected: list[Offer] | None = None


class Offer(Struct, frozen=True):
    """A server that was about to serve, and the checked options of that call."""

    server: Any
    options: Any
    """Of stdio a dict, of HTTP HttpOptions."""


@contextmanager
def collecting() -> Iterator[list[Offer]]:
    """Gives the list that servers are handed over to while this is open. One at a time in a process."""
    global _collected
    before, _collected = _collected, []
    try:
        yield _collected
    finally:
        _collected = before


def hand_over(server: Any, options: Any) -> bool:
    """Whether somebody collects servers: then it has this one, and there is nothing to serve."""
    if _collected is None:
        return False
    _collected.append(Offer(server, options))
    return True
