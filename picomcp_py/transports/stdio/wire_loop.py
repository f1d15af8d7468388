"""Writing to stdout from the event loop, with a `write` that never blocks.

Rules
- A reply is one write of its bytes and LF, at once: that is the fast path, and nothing else happens on it.
- What did not fit waits until the loop says that there is room; then what piled up is joined.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from .loop import Loop
from .wire import HIGH_WATER, JOIN, MAX_UNSENT, Wire


class LoopWire(Wire):
    """`write` gives the number of bytes taken, or raises BlockingIOError; `release` closes what it writes to."""

    def __init__(
        self,
        loop: Loop,
        fd: int,
        write: Callable[[bytes | memoryview], int],
        lost: Callable[[str], None],
        below: Callable[[], None],
        release: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(lost, below)
        self._loop = loop
        self._fd = fd
        self._write = write
        self._release = release
        self._head: memoryview | None = None  # begun, or joined and next
        self._waiting: deque[bytes] = deque()
        self._unsent = 0
        self._unwatch: Callable[[], None] | None = None

    @property
    def unsent(self) -> int:
        return self._unsent

    def send(self, data: bytes) -> None:
        if self._closed:
            return
        line = data + b"\n"
        if self._unsent:
            self._waiting.append(line)
            self._count(len(line))
            return
        try:
            sent = self._write(line)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            # Known at once, told from the loop: the caller is in the middle of something.
            self._loop.post(self._fail, error)
            self._unsent += len(line)
            self._waiting.append(line)
            return
        if sent != len(line):
            self._head = memoryview(line)[sent:]
            self._count(len(line) - sent)
            self._unwatch = self._loop.watch(self._fd, "write", self._on_writable, self._fail)

    answer = send

    def _count(self, size: int) -> None:
        self._unsent += size
        if self._unsent > HIGH_WATER:
            self.full = True
            if self._unsent > MAX_UNSENT:
                self._loop.post(self._fail, BufferError(f"the client has left {self._unsent} bytes unread"))

    def _on_writable(self) -> None:
        if self._closed:
            return
        head = self._head or self._take()
        try:
            sent = self._write(head)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self._fail(error)
            return
        self._head = head[sent:]
        self._unsent -= sent
        if not self._unsent:
            self._stop_watching()
            self._set_empty()
        self._on_low()

    def _take(self) -> memoryview:
        size = 0
        lines: list[bytes] = []
        while self._waiting and size < JOIN:
            lines.append(self._waiting.popleft())
            size += len(lines[-1])
        return memoryview(lines[0] if len(lines) == 1 else b"".join(lines))

    def _stop_watching(self) -> None:
        self._head = None
        if self._unwatch is not None:
            self._unwatch()
            self._unwatch = None

    def close(self) -> None:
        if not self._closed:
            super().close()
            self._stop_watching()
            self._waiting.clear()
            self._unsent = 0
            if self._release is not None:
                self._release()
