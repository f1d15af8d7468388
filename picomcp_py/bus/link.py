"""One process's link to Redis: a thread that publishes, a thread that listens, and the connections they need.

Rules:

1. Threads start when first needed, so do connections. They are daemons, and block in Redis or on a condition.
2. Neither thread ends before `close`: whatever fails is tried again, after 0.1 s first and 5 s at most. One warning an
   outage, however long it is and whichever thread sees it, and one line when it is over.
3. Whenever Redis confirms a subscription, changes published before that may have been missed: everything is told as
   changed. redis-py subscribes again by itself after it has reconnected, which shows only in this confirmation.
4. A message carries the random name of the link that sent it; the link passes over its own. What is too long or no
   message is ignored: anyone can publish on a channel.
5. A connection on which nothing was heard for `health_check_interval` seconds is asked with PING. Without an answer
   for as long again it is broken: a machine that vanished closes no connection.

Non-goals: exactly once for other processes. A PUBLISH whose answer was lost is sent again.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Raw, Struct
from redis import Redis
from redis.backoff import EqualJitterBackoff
from redis.client import PubSub

from ..jsontext import encode_json
from ..log import log
from .change import EVERYTHING, Change
from .outbox import Outbox

MAX_MESSAGE = 65_536
"""Bytes of a message. A change is a URI and some 80 bytes; a longer URI is sent as "any resource may have changed"."""

POLL_SECONDS = 0.5
"""How long the listening thread waits before it looks whether it should end: half of what `close` waits for it."""

CLOSE_SECONDS = 1.0
"""How long `close` waits for the threads: to send what is left, and not to hold up an exit if Redis hangs."""

_BACKOFF = EqualJitterBackoff(cap=5.0, base=0.1)  # with jitter: all workers lose Redis at the same moment


class _Message(Struct, gc=False):
    origin: str
    change: Raw


_decoder = msgspec.json.Decoder(_Message)


class Link:
    """Sends changes to a channel, and calls `deliver` with those of others, from a thread of its own."""

    def __init__(
        self,
        client: Redis,
        channel: str,
        deliver: Callable[[Change], None],
        max_pending: int,
        health_check_interval: float,
    ) -> None:
        self._client = client
        self._channel = channel
        self._deliver = deliver
        self._interval = health_check_interval
        self._origin = secrets.token_hex(8)
        self._outbox = Outbox(max_pending)
        self._changed = threading.Condition()  # the outbox has something, or it is closed; its lock guards all below
        self._threads: dict[str, threading.Thread] = {}
        self._broken: set[str] = set()  # which threads can't do their work
        self._failures = 0  # to subscribe, one after the other
        self._closed = False

    def listen(self) -> None:
        """Call `deliver` from now on, until it is closed."""
        with self._changed:
            self._start("listen", self._listen)

    def send(self, change: Change) -> None:
        """Tell the others, as soon as Redis can be reached."""
        with self._changed:
            if self._closed:
                return
            self._put(change)
            self._start("publish", self._publish)
            self._changed.notify_all()

    def close(self) -> None:
        """Send what waits, if Redis answers, and end the threads."""
        with self._changed:
            self._closed = True
            threads = list(self._threads.values())
            self._changed.notify_all()
        deadline = time.monotonic() + CLOSE_SECONDS
        for thread in threads:
            if thread is not threading.current_thread():  # a subscriber may close the bus
                thread.join(max(0.0, deadline - time.monotonic()))

    def _start(self, task: str, run: Callable[[], None]) -> None:
        """Under the lock. Where the system gives no thread, the next change asks for it again."""
        if self._closed or task in self._threads:
            return
        thread = threading.Thread(target=run, name=f"picomcp_py bus {task}", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            log().warning("no thread to %s on Redis (%s): changes stay in this process for now", task, error)
        else:
            self._threads[task] = thread

    # Publishing

    def _publish(self) -> None:
        failures = 0
        while (change := self._next()) is not None:
            try:
                self._client.publish(self._channel, self._encode(change))
            except Exception as error:  # a refusal of the server, a name that doesn't resolve: the thread must live
                failures += 1
                self._lost("publish", error)
                with self._changed:
                    self._put(change)
                if self._pause(failures):
                    log().warning(
                        "closed without Redis: changes that other processes were not told of: %d", len(self._outbox)
                    )
                    return
            else:
                failures = 0
                self._regained("publish")

    def _put(self, change: Change) -> None:
        """Under the lock."""
        if self._outbox.put(change):
            log().warning(
                "more than %d changed resources wait for Redis: "
                "other processes will be told that any resource may have changed",
                self._outbox.limit,
            )

    def _next(self) -> Change | None:
        """The next change to send. None when it is closed and all are sent."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._outbox)
            return self._outbox.take() if self._outbox else None

    def _encode(self, change: Change) -> bytes:
        message = encode_json(_Message(self._origin, Raw(change.encode())))
        return message if len(message) <= MAX_MESSAGE else self._encode(Change("resource"))

    # Listening

    def _listen(self) -> None:
        while True:
            pubsub: PubSub = self._client.pubsub()  # type: ignore[no-untyped-call, unused-ignore] # some versions of redis
            try:
                pubsub.subscribe(self._channel)
                self._receive(pubsub)
                return
            except Exception as error:
                self._failures += 1
                self._lost("listen", error)
            finally:
                pubsub.close()
            if self._pause(self._failures):
                return

    def _receive(self, pubsub: PubSub) -> None:
        """Until it is closed. Raises when the connection is broken."""
        heard = time.monotonic()
        asked: float | None = None
        while not self._closed:
            message = pubsub.get_message(timeout=min(POLL_SECONDS, self._interval))
            now = time.monotonic()
            if message is not None:
                heard, asked = now, None
                self._take(message)
            elif asked is None and now - heard >= self._interval:
                pubsub.ping()
                asked = now
            elif asked is not None and now - asked >= self._interval:
                raise TimeoutError(f"no answer to a PING for {self._interval:g} seconds")

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            self._failures = 0
            self._regained("listen")
            for change in EVERYTHING:
                self._deliver(change)
        elif message["type"] == "message":
            data = self._as_bytes(message["data"])
            origin, foreign = _decode(data)
            if foreign is None:
                log().debug("ignored what is no change on the channel %s: %d bytes", self._channel, len(data))
            elif origin != self._origin:
                self._deliver(foreign)

    def _as_bytes(self, data: Any) -> bytes:
        """A client with decode_responses=True has made text of it, from its own encoding."""
        encoder: Any = self._client.get_encoder()
        encoded: bytes = encoder.encode(data)
        return encoded

    # Outages

    def _lost(self, task: str, error: Exception) -> None:
        with self._changed:
            first = not self._broken
            self._broken.add(task)
        if first:  # the text of redis-py's errors has the host, never the password
            log().warning(
                "can't %s on Redis (%s: %s): until that works again, changes don't pass between processes",
                task,
                type(error).__name__,
                error,
            )

    def _regained(self, task: str) -> None:
        with self._changed:
            last = self._broken == {task}
            self._broken.discard(task)
        if last:
            log().info("Redis is back: changes pass between processes again")

    def _pause(self, failures: int) -> bool:
        """Wait before the next try. Whether it was closed."""
        delay = _BACKOFF.compute(min(failures - 1, 10))  # redis-py overflows on the thousandth
        with self._changed:
            return self._changed.wait_for(lambda: self._closed, delay)


def _decode(data: bytes) -> tuple[str, Change | None]:
    if len(data) > MAX_MESSAGE:
        return "", None
    try:
        message = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return "", None
    return message.origin, Change.decode(bytes(message.change))
