"""Fixtures that run stdio servers as programs and talk to them in bytes.

Nothing here waits for a time: it waits for bytes or the end of a process, and gives up after PATIENCE seconds.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PATIENCE = 25.0
SCRIPT = Path(__file__).parent / "echo_server.py"
ROOT = Path(__file__).parents[3]


class Lines:
    """Reads lines from a descriptor."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.buffer = bytearray()

    def next(self) -> bytes:
        """The next line without its LF; what is left at the end of the stream; b"" after that."""
        scanned = 0
        while (end := self.buffer.find(b"\n", scanned)) < 0:
            scanned = len(self.buffer)
            chunk = self.read()
            if not chunk:
                rest = bytes(self.buffer)
                self.buffer.clear()
                return rest
            self.buffer += chunk
        line = bytes(self.buffer[:end])
        del self.buffer[: end + 1]
        return line

    def read(self) -> bytes:
        if not select.select([self.fd], [], [], PATIENCE)[0]:
            raise AssertionError(f"nothing came; before that: {bytes(self.buffer[-500:])!r}")
        try:
            return os.read(self.fd, 1 << 20)
        except OSError:  # a pty whose other side is closed
            return b""

    def until(self, text: bytes) -> list[bytes]:
        """The lines up to the first that holds `text`, with it."""
        lines = []
        while True:
            lines.append(self.next())
            if text in lines[-1]:
                return lines
            if not lines[-1] and not self.buffer:
                raise AssertionError(f"{text!r} did not come, only {lines!r}")

    def rest(self) -> bytes:
        while chunk := self.read():
            self.buffer += chunk
        rest = bytes(self.buffer)
        self.buffer.clear()
        return rest


class Server:
    """A running server and the three streams to it."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: int, stdout: int, stderr: int) -> None:
        self.process = process
        self.stdin: int | None = stdin
        self.out = Lines(stdout)
        self.err = Lines(stderr)

    def write(self, data: bytes) -> None:
        """Writes all of it, giving up when the server doesn't take it."""
        assert self.stdin is not None
        os.set_blocking(self.stdin, False)
        rest, deadline = memoryview(data), time.monotonic() + PATIENCE
        while rest:
            assert time.monotonic() < deadline, f"{len(rest)} bytes were not taken"
            select.select([], [self.stdin], [], PATIENCE)
            try:
                rest = rest[os.write(self.stdin, rest) :]
            except BlockingIOError:
                continue

    def ask(self, line: bytes) -> bytes:
        self.write(line + b"\n")
        answer = self.out.next()
        assert answer or self.process.poll() is None, f"the server has ended: {self.err.rest()!r}"
        return answer

    def close_stdin(self) -> None:
        if self.stdin is not None:
            os.close(self.stdin)
            self.stdin = None

    def lose_stdout(self) -> None:
        """Closes the end that reads the replies."""
        os.close(self.out.fd)
        self.out.fd = os.open(os.devnull, os.O_RDONLY)

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    def end(self) -> bytes:
        """Closes stdin, sees the process end well, gives what was left on stdout."""
        self.close_stdin()
        rest = self.out.rest()
        errors = self.err.rest()
        assert self.wait() == 0, errors
        assert b"Traceback" not in errors, errors
        return rest


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-W", "error", str(SCRIPT), *arguments]


def environment() -> dict[str, str]:
    # ASCII for Python's own streams: the wire is UTF-8 whatever the environment says.
    ours = {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    # With PYTHONUNBUFFERED no text would wait in sys.stdout.
    return os.environ | ours | {"PYTHONUNBUFFERED": ""}


Start = Callable[..., Server]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the echo server with arguments; `streams=(stdin, stdout, ours_in, ours_out)` instead of pipes.

    The first two belong to the server (closed here once it has them), the other two to the test.
    """
    yield from starting()


def starting() -> Iterator[Start]:
    servers: list[Server] = []

    def start_server(
        *arguments: str, streams: tuple[int, int, int, int] | None = None, keep: bool = False, shell: str = ""
    ) -> Server:
        if streams is None:
            (stdin, our_in), (our_out, stdout) = os.pipe(), os.pipe()
        else:
            stdin, stdout, our_in, our_out = streams
        whole = command(*arguments)
        if shell:
            whole = ["sh", "-c", f'exec "$@" {shell}', "sh", *whole]
        process = subprocess.Popen(
            whole, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, env=environment(), cwd=ROOT, bufsize=0
        )
        if not keep:
            for fd in {stdin, stdout}:
                os.close(fd)
        assert process.stderr is not None
        server = Server(process, our_in, our_out, process.stderr.fileno())
        servers.append(server)
        return server

    yield start_server
    for server in servers:
        server.process.kill()
        server.process.wait()
        assert server.process.stderr is not None
        server.process.stderr.close()
        # One number may stand for both, as with a socket.
        for fd in {server.stdin, server.out.fd} - {None}:
            os.close(fd)


@pytest.fixture
def run_python() -> Callable[[str], subprocess.CompletedProcess[bytes]]:
    """Runs a program's text to its end, without input."""

    def run(text: str, **options: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # type: ignore[call-overload,no-any-return]
            [sys.executable, "-W", "error", "-c", text],
            **(
                {"input": b"", "capture_output": True, "env": environment(), "cwd": ROOT, "timeout": PATIENCE} | options
            ),
        )

    return run


WAYS = {
    "asyncio": (),
    "trio": ("--backend", "trio"),
    "uvloop": ("--backend", "uvloop"),
    "asyncio-threads": ("--reader", "thread", "--writer", "thread"),
    "trio-threads": ("--backend", "trio", "--reader", "thread", "--writer", "thread"),
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Arguments for each event loop and each way of reading and writing."""
    if request.param == "uvloop":
        pytest.importorskip("uvloop", reason="uvloop is not installed")
    return WAYS[request.param]


@pytest.fixture(params=["asyncio", "trio", "asyncio-threads"])
def some_way(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The same, without what differs in details only."""
    return WAYS[request.param]


@pytest.fixture(scope="module", params=WAYS)
def running(request: pytest.FixtureRequest) -> Iterator[Server]:
    """One server for several tests: each leaves it with nothing unread, and it must end well after the last."""
    if request.param == "uvloop":
        pytest.importorskip("uvloop", reason="uvloop is not installed")
    for start in starting():
        server = start(*WAYS[request.param])
        yield server
        assert server.end() == b""


@pytest.fixture(params=["asyncio", "trio"])
def backend(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return WAYS[request.param]
