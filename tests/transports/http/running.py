"""ASGI servers as programs of their own, and a client of plain requests for them."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.transports.http.driver import BOTH, JSON

ROOT = Path(__file__).parents[3]


class Running:
    """A server program: `port`, and what it has written."""

    def __init__(self, command: list[str], errors: Path) -> None:
        self.port = free_port()
        self.errors = errors
        arguments = [part.format(port=self.port) for part in command]
        with errors.open("wb") as target:
            self.process = subprocess.Popen([sys.executable, "-m", *arguments], cwd=ROOT, stdout=target, stderr=target)

    def wait_until(self, done: Any) -> None:
        deadline = time.monotonic() + 30
        while not done():
            assert self.process.poll() is None, self.text
            assert time.monotonic() < deadline, self.text
            time.sleep(0.02)

    def end(self, number: int | None = None) -> None:
        """With a signal. Without a lifespan it is SIGINT: uvicorn lets SIGTERM end the process before the loop."""
        if number is None:
            number = signal.SIGINT if "--lifespan=off" in self.process.args else signal.SIGTERM
        self.process.send_signal(number)
        self.process.wait(20)

    @property
    def text(self) -> str:
        return self.errors.read_text()

    def is_up(self) -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def ask(self, body: Any, headers: dict[str, Any] | None = None, method: str = "POST") -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            usual = {"Content-Type": JSON, "Accept": BOTH} if body is not None else {}
            data = json.dumps(body) if body is not None else None
            connection.request(method, "/mcp", data, {**usual, **(headers or {})})
            return Answer(connection.getresponse())
        finally:
            connection.close()


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def messages(self) -> list[Any]:
        if self.headers["content-type"] == JSON:
            return [json.loads(self.body)]
        lines = [line for line in self.body.decode().split("\r\n") if line.startswith("data: {")]
        return [json.loads(line.removeprefix("data: ")) for line in lines]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def running(command: list[str], folder: Path) -> Iterator[Running]:
    one = Running(command, folder / "errors.txt")
    try:
        one.wait_until(one.is_up)
        yield one
    finally:
        one.process.kill()
        one.process.wait()
