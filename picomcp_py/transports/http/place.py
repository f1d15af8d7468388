"""What one event loop serves with: the server's Runtime there, the sweeper, and the sessions."""

from __future__ import annotations

from ...running.connection import Connection
from ...running.runtime import Runtime
from .options import HttpOptions
from .sessions import Sessions
from .stream import Stream
from .sweep import Sweeper


class Place:
    """One loop's part of an application."""

    def __init__(self, runtime: Runtime, options: HttpOptions) -> None:
        self.runtime = runtime
        self.options = options
        self.sweeper = Sweeper(runtime.tasks)
        self.sessions = Sessions(options, runtime.tasks.now)
        self.pairs: dict[str, tuple[Connection, Stream]] = {}
        """Clients of the 2024-11-05 transport, by their session id."""
        runtime.at_end.append(self._close)

    def _close(self) -> None:
        """Nothing will come any more on streams that stay: their clients are to notice."""
        self.sessions.close()
        for _, stream in list(self.pairs.values()):
            stream.end()
