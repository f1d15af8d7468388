"""Writing to stdout in a daemon thread, where nothing but a blocking write is to be had.

Rules
- The thread writes to a copy of the descriptor that it owns and closes: it may still be inside of a write when the
  session is over, and holds up neither that nor the exit of the process.
- What piled up is joined, and written in pieces, so that the end is noticed between two of them.
"""

from __future__ import annotations

import os
import queue
import select
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from .claim import private_dup
from .loop import Loop
from .wire import HIGH_WATER, JOIN, LOW_WATER, MAX_UNSENT, Wire

_PIECE = 64 * 1024  # bytes: a pipe holds as much on Linux and macOS


class ThreadWire(Wire):
    """The two counters only grow, and each has one thread that writes it, so they need no lock."""

    def __init__(self, loop: Loop, fd: int, lost: Callable[[str], None], below: Callable[[], None]) -> None:
        super().__init__(lost, below)
        self._loop = loop
        self._fd = private_dup(fd)
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._accepted = 0
        self._written = 0
        threading.Thread(target=self._run, name="picomcp-py stdout", daemon=True).start()

    @property
    def unsent(self) -> int:
        return self._accepted - self._written

    def send(self, data: bytes) -> None:
        if self._closed:
            return
        line = data + b"\n"
        self._accepted += len(line)
        if not self.full and self._accepted - self._written > HIGH_WATER:
            self.full = True  # before the line is handed over: the thread looks after each write
        if self._accepted - self._written > MAX_UNSENT:
            self._loop.post(self._fail, BufferError(f"the client has left {self.unsent} bytes unread"))
        self._lines.put(line)

    answer = send

    def close(self) -> None:
        if not self._closed:
            super().close()
            self._lines.put(None)

    def _run(self) -> None:
        with suppress(RuntimeError):  # the loop has ended: nobody is there to be told
            try:
                while (batch := self._take()) and not self._closed:
                    self._write(batch)
            except OSError as error:
                self._loop.post(self._fail, error)
        os.close(self._fd)

    def _take(self) -> bytes:
        """What waits, joined; empty at the end."""
        size = 0
        lines: list[bytes] = []
        line = self._lines.get()
        with suppress(queue.Empty):
            while line is not None:
                lines.append(line)
                size += len(line)
                if size >= JOIN:
                    break
                line = self._lines.get_nowait()
        return b"".join(lines)

    def _write(self, batch: bytes) -> None:
        rest = memoryview(batch)
        while rest and not self._closed:
            try:
                sent = os.write(self._fd, rest[:_PIECE])
            except BlockingIOError:  # O_NONBLOCK was found set
                _wait_writable(self._fd)
                continue
            rest = rest[sent:]
            self._written += sent
            unsent = self.unsent
            if self.full and unsent < LOW_WATER:
                self._loop.post(self._on_low)
            if self._empty is not None and not unsent:
                self._loop.post(self._set_empty)


def _wait_writable(fd: int) -> None:
    """At most a second, so that the thread notices the end."""
    if sys.platform != "win32":
        poll = select.poll()
        poll.register(fd, select.POLLOUT)
        poll.poll(1000)
    else:
        select.select([], [fd], [], 1.0)
