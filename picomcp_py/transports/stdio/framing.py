"""Bytes into lines: the framing of MCP's stdio transport.

Messages are delimited by newlines and hold none (MCP 2025-11-25, basic/transports#stdio).

Rules
- A line ends at LF; one CR before it is dropped. Blank lines are ignored. Text after the last LF is a line when the
  stream ends. A UTF-8 byte-order mark at the start of the stream is dropped (RFC 8259 section 8.1 allows it).
- However a line is cut into chunks, it costs time in proportion to its length, and no more memory than twice the limit.
- A line over the limit is told once, as soon as it is too long; its bytes are thrown away up to the next LF.
- What `receive` raises is logged and costs no other line.

Non-goals: what a line says. Bytes that are no UTF-8 or no JSON are passed on.
"""

from __future__ import annotations

from collections.abc import Callable

from ...log import log

_BOM = b"\xef\xbb\xbf"
_SLACK = len(_BOM) + 1  # bytes of an unfinished line that may still be dropped: the mark and a CR


class LineFramer:
    """Feeds whole lines (bytes, without LF and CR) to `receive`; calls `oversized(max_line)` for one over the limit.

    `max_line` is in bytes and does not count the line's end.
    """

    def __init__(self, receive: Callable[[bytes], None], oversized: Callable[[int], None], max_line: int) -> None:
        self._receive = receive
        self._oversized = oversized
        self._max_line = max_line
        self._partial = bytearray()  # grows in amortised linear time, whatever the size of the pieces
        self._discarding = False
        self._started = False

    def feed(self, chunk: bytes) -> None:
        """Takes the next bytes of the stream, at least one."""
        if not self._partial and not self._discarding:
            if chunk.find(b"\n") == len(chunk) - 1:  # nearly always: one message, whole
                self._deliver(chunk[:-1])
                return
            lines = chunk.split(b"\n")
        else:
            head, newline, tail = chunk.partition(b"\n")
            self._keep(head)
            if not newline:
                return
            self._end_partial()
            lines = tail.split(b"\n")
        rest = lines.pop()
        for line in lines:
            self._deliver(line)
        if rest:
            self._keep(rest)

    def finish(self) -> None:
        """The stream has ended: what is left is the last line."""
        self._end_partial()

    def _keep(self, piece: bytes) -> None:
        if self._discarding:
            return
        self._partial += piece
        if len(self._partial) > self._max_line + _SLACK:
            self._partial = bytearray()
            self._discarding = True
            self._started = True
            self._reject()

    def _end_partial(self) -> None:
        if self._discarding:
            self._discarding = False
            return
        line = bytes(self._partial)
        self._partial = bytearray()
        self._deliver(line)

    def _deliver(self, line: bytes) -> None:
        if not self._started:
            self._started = True
            line = line.removeprefix(_BOM)
        if line.endswith(b"\r"):
            line = line[:-1]
        if not line or line.isspace():
            return
        if len(line) > self._max_line:
            self._reject()
            return
        try:
            self._receive(line)
        except Exception:  # the other lines of this chunk are still owed an answer
            log().exception("a message could not be taken in")

    def _reject(self) -> None:
        try:
            self._oversized(self._max_line)
        except Exception:
            log().exception("a message over the limit could not be answered")
