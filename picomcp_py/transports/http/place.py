"""What one event loop serves with: the server's Runtime there, the sweeper, and the sessions."""

from __future__ import annotations

from ...running.connection import Connection
from ...running.runtime import Runtime
from .options import HttpOptions
from .sessions import Sessions
from .sweep import Sweeper


class Place:
    """One loop's part of an application."""

    def __init__(self, runtime: Runtime, options: HttpOptions) -> None:
        self.runtime = runtime
        self.options = options
        self.sweeper = Sweeper(runtime.tasks)
        self.sessions = Sessions(options, runtime.tasks.now)
        self.pairs: dict[str, Connection] = {}
        """Clients of the 2024-11-05 transport, by their session id."""
