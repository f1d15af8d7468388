"""A program as a client's target: newline-framed JSON over its stdin and stdout.

Rules:
1. Reading takes chunks of at most CHUNK bytes; a line costs time in proportion to its length.
2. `send` never blocks: one task writes. `room` holds new requests back while more than HIGH_WATER bytes wait.
3. However the server goes - it exits, closes its stdout, no longer reads - every waiting request is told, with the exit
   code and what it last wrote to a captured stderr.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from subprocess import PIPE

import anyio
from anyio.abc import ByteReceiveStream, Process

from ..transports.stdio.framing import LineFramer
from .bell import Bell
from .channel import Channel, PlainLink
from .errors import BadAnswer, ServerUnavailable
from .groups import background
from .process import describe_exit, start_process, stop_process

CHUNK = 64 * 1024  # what a pipe holds
HIGH_WATER = 1024 * 1024
TAIL = 8 * 1024  # bytes of a captured stderr that are kept: a traceback and what led to it
PATIENCE = 1.0  # seconds for the exit code after the end of stdout, and the other way round

GONE = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError)


@asynccontextmanager
async def open_stdio(
    command: list[str],
    channel: Channel,
    *,
    cwd: str | None,
    env: Mapping[str, str],
    capture: bool,
    max_line: int,
) -> AsyncIterator[StdioLink]:
    """Start a program and connect to it; at the end it has ended. With `capture` its stderr is kept, not shown."""
    process = await start_process(command, cwd=cwd, env=env, stderr=PIPE if capture else None)
    link = StdioLink(process, channel, " ".join(command), max_line)
    async with background() as group:
        for work in (link.read, link.write, link.watch, link.read_stderr):
            group.start_soon(work)
        try:
            yield link
        finally:
            # Inside the group: a server that still answers would wait for ever for us to read.
            await link.stop()


class StdioLink(PlainLink):
    """The two pipes of a server's process."""

    def __init__(self, process: Process, channel: Channel, name: str, max_line: int) -> None:
        self._process = process
        self._channel = channel
        self._name = name
        self._max_line = max_line
        self._unsent: deque[bytes] = deque()
        self._size = 0
        self._writing = True
        self._bell = Bell()
        self._room = anyio.Event()
        self._ended = anyio.Event()  # stdout has
        self._stderr_ended = anyio.Event()
        self._tail = bytearray()

    # ------------------------------------------------------------ to the server

    def send(self, data: bytes) -> None:
        self._unsent.append(data)
        self._unsent.append(b"\n")
        self._size += len(data) + 1
        self._bell.ring()

    async def room(self) -> None:
        while self._size > HIGH_WATER:
            if self._room.is_set():
                self._room = anyio.Event()
            await self._room.wait()

    async def write(self) -> None:
        try:
            while True:
                await self._flush()
                await self._bell.heard()
        except GONE:
            await self._gone("no longer reads its stdin")
        finally:
            self._writing = False
            self._room.set()

    async def _flush(self) -> None:
        while self._unsent:
            data = b"".join(self._unsent)
            self._unsent.clear()
            await self._process.stdin.send(data)  # type: ignore[union-attr]  # a pipe
            self._size -= len(data)
            self._room.set()

    # ------------------------------------------------------------ from the server

    async def read(self) -> None:
        framer = LineFramer(self._channel.receive, self._oversized, self._max_line)
        stdout: ByteReceiveStream = self._process.stdout  # type: ignore[assignment]  # a pipe
        try:
            while True:
                framer.feed(await stdout.receive(CHUNK))
        except GONE:
            framer.finish()
        self._ended.set()
        await self._gone("closed its stdout")

    def _oversized(self, limit: int) -> None:
        # Whose answer it was is not known: nobody may go on waiting for it.
        self._channel.close(
            lambda method: BadAnswer(
                f"The server sent a message longer than {limit} bytes, so {method} can't be answered: "
                "raise max_message_bytes, or ask for less"
            )
        )

    async def watch(self) -> None:
        """The end of the process, for when something it started holds its stdout open."""
        await self._process.wait()
        with anyio.move_on_after(PATIENCE):
            await self._ended.wait()
        await self._gone("ended")

    async def read_stderr(self) -> None:
        stderr = self._process.stderr
        if stderr is not None:
            try:
                while True:
                    self._tail += await stderr.receive(CHUNK)
                    del self._tail[:-TAIL]
            except GONE:
                pass  # there is no more
        self._stderr_ended.set()

    @property
    def stderr(self) -> str:
        """The end of a captured stderr."""
        return self._tail.decode("utf-8", "replace")

    # ------------------------------------------------------------ the end

    async def _gone(self, how: str) -> None:
        with anyio.move_on_after(PATIENCE):
            await self._process.wait()
            await self._stderr_ended.wait()
        self._size = 0
        self._room.set()
        self._channel.close(lambda method: self._failure(method, how))

    def _failure(self, method: str, how: str) -> Exception:
        code = self._process.returncode
        text = f"The server ({self._name}) {how if code is None else describe_exit(code)}; {method} has no answer"
        tail = self.stderr.strip()
        return ServerUnavailable(f"{text}. The end of its stderr:\n{tail}" if tail else text, code, self.stderr)

    async def stop(self) -> None:
        """Write what waits, then end the process."""
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(PATIENCE):
                await self._finish_writing()
            await stop_process(self._process)

    async def _finish_writing(self) -> None:
        while self._size and self._writing and not self._ended.is_set():
            if self._room.is_set():
                self._room = anyio.Event()
            await self._room.wait()
        # A cancelled writer leaves the news of the cancellation unsent. After half a message there is nothing to add.
        if self._size == sum(map(len, self._unsent)):
            with suppress(*GONE):
                await self._flush()
