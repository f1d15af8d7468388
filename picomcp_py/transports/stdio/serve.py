"""Serving one client over stdin and stdout: when a session ends, and in which order.

- Stdin ends: the client asks for the end (MCP 2025-11-25, basic/lifecycle#shutdown). What was accepted is answered and
  written, for at most `drain_seconds`; then `serve_stdio` returns.
- SIGINT or SIGTERM: the same, then SystemExit(128 + number). A second signal, or one while the end is already under
  way, ends it at once.
- The client is gone (EPIPE, a terminal that hung up): everything is cancelled, `serve_stdio` returns quietly.
- `serve_stdio` is cancelled: everything is cancelled.
In each case the descriptors and signal handlers are then what they were before.

Non-goals: what a message says, which is the connection's; waiting for handlers' threads, which are daemons.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Protocol

import anyio

from ...log import log
from .claim import Claim, claim_stdio
from .framing import LineFramer
from .loop import Loop, open_loop
from .reader import Way, read_stdin
from .signals import signals_to
from .wire import Wire
from .writer import open_wire

# Bytes. MCP sets no limit; files of 10 to 20 MB travel as base64 in one line, and one line must not eat the machine.
MAX_LINE = 64 * 1024 * 1024
# Hosts wait some two seconds after they close stdin and then send SIGTERM, which ends the drain at once; who pipes a
# file into the server waits for the answers.
DRAIN_SECONDS = 3.0
_GRACE = 1.0  # seconds more for cancelled handlers to unwind, before they are left behind
_FLUSH_FLOOR = 0.25  # seconds to write the answers when answering has taken all of the drain time


class Connection(Protocol):
    """The protocol's side of a session. All is called in the loop's thread; nothing may block."""

    def receive(self, line: bytes) -> None:
        """One line of the client, without its end."""

    def oversized(self, limit: int) -> None:
        """A line was longer than `limit` bytes and has been thrown away."""

    def room(self) -> None:
        """The wire was full and no longer is."""

    async def finish(self, seconds: float) -> None:
        """No more lines come: answers what was accepted, for at most so long, then cancels the rest."""

    def close(self, reason: str) -> None:
        """Cancels everything now; nothing that is sent arrives any more."""


async def serve_stdio(
    connect: Callable[[Wire], Connection],
    *,
    max_line: int = MAX_LINE,
    drain_seconds: float = DRAIN_SECONDS,
    reader: Way = "auto",
    writer: Way = "auto",
    claim: Claim | None = None,
) -> None:
    """Serves one client over stdin and stdout, until it ends, goes, or a signal comes.

    `connect(wire)` makes the connection. `max_line` is in bytes, `drain_seconds` in seconds. "thread" forces a thread
    where "auto" would let the loop read or write. A `claim` taken earlier stays its owner's to release.

    Raises SystemExit(128 + number) after SIGINT or SIGTERM (only seen in the main thread), RuntimeError if stdin and
    stdout belong to another server in this process.
    """
    with ExitStack() as stack:
        held = claim if claim is not None else stack.enter_context(claim_stdio())
        stack.enter_context(held.serving())
        async with open_loop() as loop:
            session = _Session(loop, drain_seconds)
            with signals_to(loop.post, session.on_signal):
                await session.run(connect, held, max_line, reader, writer)
    if session.signal is not None:
        raise SystemExit(128 + session.signal)


class _Session:
    """One client, from the first byte to the last."""

    def __init__(self, loop: Loop, drain_seconds: float) -> None:
        self.signal: int | None = None
        self._loop = loop
        self._drain_seconds = drain_seconds
        self._ended = anyio.Event()
        self._ending = False
        self._abort_reason: str | None = None
        self._drain = anyio.CancelScope()

    async def run(
        self, connect: Callable[[Wire], Connection], claim: Claim, max_line: int, reader: Way, writer: Way
    ) -> None:
        if claim.stdout is None:
            log().error("stdout is closed: there is no client to serve. Start the server with a pipe as its stdout")
            return
        connection: Connection | None = None

        def on_room() -> None:
            if connection is not None:
                connection.room()

        wire = open_wire(self._loop, claim.stdout, lost=self._on_lost, below=on_room, way=writer)
        try:
            connection = connect(wire)
            framer = LineFramer(connection.receive, connection.oversized, max_line)

            def on_eof() -> None:
                framer.finish()
                self._end()

            stop = read_stdin(self._loop, claim.stdin, framer.feed, on_eof, reader)
            try:
                await self._ended.wait()
            finally:
                stop()
            if self._abort_reason is None:
                await self._finish(connection, wire)
        except BaseException:
            self._abort_reason = self._abort_reason or "the server was stopped"
            raise
        finally:
            wire.close()  # first: what the cancelled say must not arrive
            if connection is not None and self._abort_reason is not None:
                connection.close(self._abort_reason)

    def on_signal(self, number: int) -> None:
        self.signal = self.signal or number
        if self._ending:
            self._abort(f"a signal came ({number}) while the session was ending")
        else:
            self._end()

    def _on_lost(self, reason: str) -> None:
        self._abort(reason)

    def _end(self) -> None:
        self._ending = True
        self._ended.set()

    def _abort(self, reason: str) -> None:
        self._abort_reason = self._abort_reason or reason
        self._drain.cancel()
        self._end()

    async def _finish(self, connection: Connection, wire: Wire) -> None:
        deadline = anyio.current_time() + self._drain_seconds
        with self._drain as drain:
            drain.deadline = deadline + _GRACE
            await connection.finish(self._drain_seconds)
            with anyio.CancelScope(deadline=max(deadline, anyio.current_time() + _FLUSH_FLOOR)):
                await wire.flushed()
        if self._abort_reason is not None:
            return
        if wire.unsent:
            log().warning("the client did not read the last %d bytes of its answers in time", wire.unsent)
        if drain.cancelled_caught:
            self._abort_reason = "the time to finish is over"
