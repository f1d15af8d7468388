"""Sessions of the handshake era over HTTP: who has initialized, and the streams that belong to them.

Rules:
1. Only an `initialize` that was answered makes a session: a refused request leaves nothing behind.
2. Sessions that nobody uses end: after `sessionIdleSeconds`, or when there are `maxSessions` and a new one comes, the
   one unused for longest. A session with a call or a stream in progress is in use.
3. The id is a random secret, but no proof of who the client is (MCP, basic/security_best_practices).
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping

from ...revisions import has
from ...running.connection import Connection
from ...running.runtime import Runtime
from .event_store import EventStore
from .options import HttpOptions
from .stream import Stream

STANDALONE = "get"
"""The name of the stream for what belongs to no request."""


class HttpSession:
    """A connection of one client over many requests."""

    def __init__(self, runtime: Runtime, store: EventStore | None, keep_alive: float | None) -> None:
        self.id = secrets.token_urlsafe(24)
        self.store = store
        self.standalone = Stream(STANDALONE, store, {}, keep_alive=keep_alive)
        self.streams: dict[str, Stream] = {STANDALONE: self.standalone}
        self.connection = Connection(runtime, self.standalone)
        self.used = 0.0  # seconds on the loop's clock
        self._carriers = 0
        self._last = 0
        self._keep_alive = keep_alive

    @property
    def busy(self) -> bool:
        return bool(self.connection.calls) or self._carriers > 0

    def __enter__(self) -> None:
        """A request of the session is open."""
        self._carriers += 1

    def __exit__(self, *_: object) -> None:
        self._carriers -= 1

    def stream(self, headers: Mapping[bytes, bytes], streamed: bool) -> Stream:
        """A stream for one POST, which has one answer."""
        self._last += 1
        stream = Stream(
            f"s{self._last}",
            self.store,
            headers,
            expected=1,
            streamed=streamed,
            primed=has(self.connection.session.revision, "stream.priming"),
            keep_alive=self._keep_alive,
        )
        stream.on_end = lambda: self.streams.pop(stream.name, None)
        self.streams[stream.name] = stream
        return stream

    def end(self) -> None:
        self.connection.close("the session has ended")
        for stream in list(self.streams.values()):
            stream.end()
        if self.store is not None:
            self.store.close()


class Sessions:
    """The sessions of one loop, the longest unused first."""

    def __init__(self, options: HttpOptions, now: Callable[[], float]) -> None:
        self._now = now
        self._limit = options.max_sessions
        self._idle = options.session_idle_seconds
        self._make_store = options.event_store
        self._keep_alive = options.keep_alive_seconds
        self._sessions: OrderedDict[str, HttpSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def new(self, runtime: Runtime) -> HttpSession:
        """A session that isn't registered yet."""
        store = self._make_store() if self._make_store is not None else None
        return HttpSession(runtime, store, self._keep_alive)

    def add(self, session: HttpSession) -> bool:
        """Register a session; False when there are too many that are in use."""
        self._expire()
        if len(self._sessions) >= self._limit and not self._evict():
            return False
        session.used = self._now()
        self._sessions[session.id] = session
        return True

    def get(self, id: str) -> HttpSession | None:
        """The session of that id, which counts as used now."""
        self._expire()
        session = self._sessions.get(id)
        if session is not None:
            session.used = self._now()
            self._sessions.move_to_end(id)
        return session

    def end(self, id: str) -> None:
        session = self._sessions.pop(id, None)
        if session is not None:
            session.end()

    def close(self) -> None:
        for id in list(self._sessions):
            self.end(id)

    def _expire(self) -> None:
        now = self._now()
        for id, session in list(self._sessions.items()):
            if now - session.used < self._idle:
                break  # the others were used later
            if session.busy:
                session.used = now
                self._sessions.move_to_end(id)
            else:
                self.end(id)

    def _evict(self) -> bool:
        for id, session in self._sessions.items():
            if not session.busy:
                self.end(id)
                return True
        return False
