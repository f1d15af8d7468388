"""The bus across processes and machines, on PUBLISH and SUBSCRIBE of Redis or Valkey.

    from picomcp_py.bus import RedisBus

    bus = RedisBus("redis://localhost:6379/0", channel="picomcp:notes")

Rules:

1. Subscribers in this process hear of a change at once and exactly once, whether or not Redis can be reached.
2. Those of other processes hear of it through Redis, mostly within a millisecond, sometimes twice.
3. Redis keeps no messages for those who aren't connected. After each (re)connection changes may have been missed, so
   subscribers are told that all three lists and any resource may have changed. The first connection is one too: let a
   server subscribe when it starts, not when its first client comes.
4. Threads, not an event loop: it works under asyncio, trio and from plain threads alike.
5. After a fork, the child makes threads and connections of its own when it first uses the bus, and listens for the
   subscribers that it has inherited.

Non-goals: Redis Cluster (a message there goes to all nodes anyway: give the URL of one), streams with a memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import ConfigError
from .bus import LocalBus
from .change import Change

if TYPE_CHECKING:
    import redis

    from .link import Link

SOCKET_SECONDS = 5.0
"""How long to wait for a connection or an answer, for a URL that doesn't say: `redis://host?socket_timeout=2`."""


class RedisBus:
    """A bus for all processes that use the same channel of the same Redis.

    `url` is `redis://`, `rediss://` (TLS) or `unix://`, with the options of `redis.Redis.from_url`. Or it is a
    `redis.Redis` client: then its timeouts and retries count, and closing it stays with whoever made it.

    `channel`: one for each server name, such as "picomcp:notes", when several servers share a Redis. The database
    number in the URL doesn't keep them apart: Redis has its channels in common to all databases.

    `max_pending`: how many changed resources wait while Redis can't be reached. Past that, their URIs are given up, and
    the others are told that any resource may have changed.

    `health_check_interval`: seconds of silence after which the connection is asked whether it is alive. It is given up
    when there is no answer for as long again.

    Raises ConfigError where the `redis` package is missing, and for an argument that can't work. That Redis can't be
    reached is no error: it is logged, and tried until it works.
    """

    def __init__(
        self,
        url: str | redis.Redis = "redis://localhost:6379/0",
        *,
        channel: str = "picomcp",
        max_pending: int = 1000,
        health_check_interval: float = 15.0,
    ) -> None:
        try:
            import redis
        except ImportError:
            raise ConfigError("RedisBus needs the redis package: pip install 'picomcp-py[redis]'") from None
        if not isinstance(url, str | redis.Redis):
            kind = f"{type(url).__module__}.{type(url).__name__}"
            raise ConfigError(f"RedisBus: url must be a URL or a redis.Redis (the synchronous client), not {kind}")
        if not isinstance(channel, str) or not channel:
            raise ConfigError('RedisBus: channel must be a name, such as "picomcp:notes"')
        if not isinstance(max_pending, int) or max_pending < 1:
            raise ConfigError("RedisBus: max_pending must be an int of 1 or more")
        if not isinstance(health_check_interval, int | float) or not health_check_interval > 0:
            raise ConfigError("RedisBus: health_check_interval must be a number of seconds above 0")
        self._url = url
        self._channel = channel
        self._max_pending = max_pending
        self._interval = health_check_interval
        self._local = LocalBus()
        self._closed = False
        # By process id. The parent's link stays here, unused: freeing it in the child would run redis-py's destructors
        # on locks whose holders didn't survive the fork.
        self._links: dict[int, tuple[Link, redis.Redis]] = {}
        self._link()  # a URL that can't be one fails here

    def publish(self, change: Change) -> None:
        """Tell subscribers here now, and those of other processes soon. Never waits, never raises."""
        if self._closed:
            return
        self._local.publish(change)
        self._link().send(change)

    def subscribe(self, receive: Callable[[Change], None]) -> Callable[[], None]:
        """Call `receive` with each change of any process. Returns the function that ends this.

        It is called in the thread that publishes, or in the bus's own.
        """
        unsubscribe = self._local.subscribe(receive)
        if not self._closed:
            self._link()
        return unsubscribe

    def close(self) -> None:
        """Send what waits, if Redis answers, and end threads and connections. Takes a second at most.

        A thread that is just then waiting for a Redis that hangs ends with the timeout of its connection.
        """
        self._closed = True
        self._local.close()
        if found := self._links.get(os.getpid()):
            link, client = found
            link.close()
            if client is not self._url:
                client.close()

    def _link(self) -> Link:
        """This process's link, which listens if there are subscribers."""
        pid = os.getpid()
        found = self._links.get(pid)
        if found is None:  # without a lock, which a fork could leave locked: the first one in counts, all are unused
            found = self._links.setdefault(pid, self._make_link())
        link = found[0]
        if self._local.has_subscribers():
            link.listen()
        return link

    def _make_link(self) -> tuple[Link, redis.Redis]:
        from .link import Link

        client = self._client()
        return Link(client, self._channel, self._local.publish, self._max_pending, self._interval), client

    def _client(self) -> redis.Redis:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        if not isinstance(self._url, str):
            return self._url
        # A connection that has gone stale is made anew at once; the link sees to longer outages.
        retry = Retry(NoBackoff(), 1)
        try:
            return redis.Redis.from_url(self._url, socket_timeout=SOCKET_SECONDS, retry=retry)
        except ValueError as error:
            raise ConfigError(f"RedisBus: the URL can't be used: {error}") from None
