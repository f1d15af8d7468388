"""What the tests of the bus have in common: a real Redis, a subscriber that can be waited for, a worker process."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from picomcp_py.bus import Change
from picomcp_py.bus.change import EVERYTHING

PATIENCE = 30.0
"""Seconds after which what a test waits for will not come."""


def until(condition: Callable[[], object]) -> None:
    """Wait for what nothing tells of: another process did something."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it doesn't come true"
        time.sleep(0.01)


class Heard:
    """A subscriber: keeps what it is told, in order."""

    def __init__(self) -> None:
        self._changes: SimpleQueue[Change] = SimpleQueue()

    def __call__(self, change: Change) -> None:
        self._changes.put(change)

    def next(self) -> Change:
        """The next change, waiting for it."""
        return self._changes.get(timeout=PATIENCE)

    def take(self, count: int) -> list[Change]:
        return [self.next() for _ in range(count)]

    def gap(self) -> None:
        """The next that it is told is that everything may have changed: Redis has confirmed the subscription."""
        assert self.take(len(EVERYTHING)) == list(EVERYTHING)

    def so_far(self) -> list[Change]:
        """What it was told already, without waiting."""
        return [self.next() for _ in range(self._changes.qsize())]


class RedisServer:
    """A redis-server or valkey-server that keeps nothing. It has a port of its own, the same when it starts again."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self.socket_path = folder / "redis.sock"

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Until it answers."""
        options = {
            "port": self.port,
            "bind": "127.0.0.1",
            "unixsocket": self.socket_path,
            "save": "",
            "dir": self._folder,
        }
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        with (self._folder / "redis.log").open("ab") as output:
            self._process = subprocess.Popen([self._program, *words], stdout=output, stderr=output)
        until(self._answers)

    def stop(self) -> None:
        """As a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """It keeps its connections, and answers nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self._folder / "redis.log").read_text()
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1.0) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(7) == b"+PONG\r\n"
        except OSError:
            return False


def redis_program() -> str | None:
    """The server that is installed."""
    if os.name == "nt":
        return None
    return shutil.which("redis-server") or shutil.which("valkey-server")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Refusing:
    """Listens on a port and hangs up on everyone, and knows how often."""

    def __init__(self, port: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", port))
        self._visits: SimpleQueue[None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def wait_for(self, visits: int) -> None:
        for _ in range(visits):
            self._visits.get(timeout=PATIENCE)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.close()
            self._visits.put(None)


class Worker:
    """Another process with a bus: publishes what it is told to, and tells what it hears."""

    def __init__(self, url: str, channel: str) -> None:
        words = [sys.executable, str(Path(__file__).parent / "worker.py"), url, channel]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.heard = Heard()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def publish(self, change: Change) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(change.encode() + b"\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """Ends it through the end of its input, as it should end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._reader.join()
        self._process.stdout.close()
        assert self._process.wait() == 0

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            change = Change.decode(line)
            assert change is not None
            self.heard(change)
