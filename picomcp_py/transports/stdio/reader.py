"""Ways of reading stdin: the event loop watches the descriptor, or a daemon thread reads it.

Rules
- The loop watches pipes, sockets and terminals. Regular files and /dev/null can't be watched (Linux refuses; kqueue
  never tells the end of a file), nor can anything on Windows: a thread reads those, and what the loop refuses.
- A read takes at most 64 KiB, so that one client's burst doesn't hold up the loop for long.
- Reading does not stop for a client that does not read: a paused reader would miss its cancel and its end.
- The thread calls os.read on a copy of the descriptor that it owns. (In sys.stdin.buffer a thread would hold a lock at
  exit, and Python aborts; a descriptor closed under a reading thread may be another file by its next read.)
- An error on reading is the end of the stream: a terminal that hung up, a reset connection.
"""

from __future__ import annotations

import os
import select
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from .claim import private_dup
from .loop import Loop

Way = Literal["auto", "thread"]

CHUNK = 64 * 1024  # a pipe holds this much on Linux
_AHEAD = 4  # chunks that a reading thread may be ahead of the loop: 256 KiB, then it waits


def read_stdin(
    loop: Loop, fd: int | None, feed: Callable[[bytes], None], ended: Callable[[], None], way: Way
) -> Callable[[], None]:
    """Calls `feed` with chunks of bytes, then `ended` once, both in the loop; gives a function that stops it.

    `fd` None is a stream that has ended.
    """
    if fd is None:
        loop.post(ended)
        return lambda: None
    if way == "thread" or not _watchable(fd):
        return _ThreadReader(loop, fd, feed, ended).stop
    return _WatchReader(loop, fd, feed, ended).stop


def _watchable(fd: int) -> bool:
    if sys.platform == "win32":
        return False
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd)


class _WatchReader:
    """Reads when the loop says that there is something."""

    def __init__(self, loop: Loop, fd: int, feed: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._loop = loop
        self._fd = fd
        self._feed = feed
        self._ended = ended
        self._stopped = False
        self._fallback: _ThreadReader | None = None
        self._unwatch = loop.watch(fd, "read", self._on_readable, self._on_refused)

    def _on_readable(self) -> None:
        try:
            chunk = os.read(self._fd, CHUNK)
        except BlockingIOError:  # O_NONBLOCK was found set, and somebody else was faster
            return
        except OSError:
            chunk = b""
        if chunk:
            self._feed(chunk)
        elif not self._stopped:
            self.stop()
            self._ended()

    def _on_refused(self, error: Exception) -> None:
        if not self._stopped:
            self._fallback = _ThreadReader(self._loop, self._fd, self._feed, self._ended)

    def stop(self) -> None:
        self._stopped = True
        self._unwatch()
        if self._fallback is not None:
            self._fallback.stop()


class _ThreadReader:
    """Reads in a daemon thread. `stop` ends it on POSIX; on Windows it stays in its read, and takes one more chunk."""

    def __init__(self, loop: Loop, fd: int, feed: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._loop = loop
        self._fd = private_dup(fd)
        self._feed = feed
        self._ended = ended
        self._stopped = False
        self._room = threading.Semaphore(_AHEAD)
        self._wake_read, self._wake_write = os.pipe()
        threading.Thread(target=self._run, name="picomcp-py stdin", daemon=True).start()

    def stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._room.release()
            os.close(self._wake_write)  # its other end becomes readable

    def _run(self) -> None:
        with suppress(RuntimeError):  # the loop has ended: nobody is there to read for
            while chunk := self._read():
                self._room.acquire()
                self._loop.post(self._take, chunk)
            if not self._stopped:
                self._loop.post(self._end)
        os.close(self._fd)
        os.close(self._wake_read)

    def _read(self) -> bytes:
        while self._wait():
            try:
                return os.read(self._fd, CHUNK)
            except BlockingIOError:  # O_NONBLOCK was found set
                continue
            except OSError:
                break
        return b""

    def _wait(self) -> bool:
        """Until there is something to read, or `stop`: then False."""
        if sys.platform == "linux":
            poll = select.poll()
            poll.register(self._fd, select.POLLIN)
            poll.register(self._wake_read, select.POLLIN)
            poll.poll()
        elif sys.platform != "win32":  # macOS: poll doesn't know devices
            select.select([self._fd, self._wake_read], [], [])
        return not self._stopped

    def _take(self, chunk: bytes) -> None:
        if not self._stopped:
            self._feed(chunk)
        self._room.release()

    def _end(self) -> None:
        if not self._stopped:
            self.stop()
            self._ended()
