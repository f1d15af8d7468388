"""A server as a program, written with the public API alone; this file is both the program and what starts it.

Reading blocks: a reply that doesn't come ends in the time limit of the test.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[2]
MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Program:
    """The running server. `errors` is a file that takes its stderr, unless that goes to a pipe that nobody reads."""

    def __init__(
        self,
        errors: IO[bytes] | int,
        *arguments: str,
        backend: str = "asyncio",
        revision: str = "2025-11-25",
        environment: dict[str, str] | None = None,
    ) -> None:
        self.errors = errors
        self.revision = revision
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tests.bug_reports.program", backend, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
            env=os.environ | (environment or {}),
            bufsize=0,
        )
        self.raw: list[bytes] = []
        assert self.process.stdout is not None
        self._stdout = os.fdopen(os.dup(self.process.stdout.fileno()), "rb")

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        rest = memoryview(data)
        while rest:
            rest = rest[self.process.stdin.write(rest) :]

    def send(self, method: str, params: dict[str, Any] | None = None, id: Any = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": dict(params or {})}
        if id is not None:
            message["id"] = id
            if self.revision == MODERN:
                message["params"].setdefault("_meta", ENVELOPE)
        self.write(json.dumps(message).encode() + b"\n")

    def call(self, id: Any, tool: str, /, **arguments: Any) -> None:
        self.send("tools/call", {"name": tool, "arguments": arguments}, id)

    def next(self) -> Any:
        """The next message, which must be one whole line of JSON."""
        line = self._stdout.readline()
        assert line.endswith(b"\n"), f"the server has ended: {line!r}, {self.stderr()!r}"
        assert b"\r" not in line
        self.raw.append(line)
        return json.loads(line.decode())

    def replies(self, ids: Iterable[Any]) -> dict[Any, Any]:
        """The replies to all of these, in the order they came; notifications are left out."""
        missing, got = list(ids), {}
        while missing:
            message = self.next()
            if "method" not in message:
                missing.remove(message["id"])
                got[message["id"]] = message
        return got

    def reply(self, id: Any) -> Any:
        return self.replies([id])[id]

    def initialize(self) -> Any:
        """The handshake, if the revision has one; then a request that shows that the server is at work."""
        if self.revision == MODERN:
            self.send("server/discover", id="init")
            return self.reply("init")
        info = {"name": "test", "version": "1"}
        self.send("initialize", {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": info}, "init")
        reply = self.reply("init")
        self.send("notifications/initialized")
        return reply

    def close_stdin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def close_stdout(self) -> None:
        """Closes the end of the pipe that takes the replies."""
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._stdout.close()

    def end(self) -> tuple[int, bytes, bytes]:
        """Closes stdin; the exit code, what was left on stdout, and stderr."""
        self.close_stdin()
        rest = b"" if self._stdout.closed else self._stdout.read()
        code = self.process.wait()
        return code, rest, self.stderr()

    def stderr(self) -> bytes:
        if isinstance(self.errors, int):
            return b"unread"
        self.errors.seek(0)
        return self.errors.read()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self._stdout, self.process.stdout, self.process.stdin, self.process.stderr):
            if stream is not None:
                stream.close()


# ------------------------------------------------------------ the program


def main(backend: str, flags: set[str]) -> None:
    import logging
    import threading
    import time

    import anyio

    from picomcp_py import Context, pico

    early = logging.StreamHandler(sys.stdout)
    if "log-to-stdout" in flags:
        logging.getLogger().addHandler(early)
    if "print-early" in flags:
        print("hello from the start")
    if "crlf" in flags:
        import io

        sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="ascii", newline="\r\n")

    server = pico({"name": "program", "version": "1", "backend": backend})
    gate = anyio.Event()
    barrier = threading.Barrier(3)
    anything = {"type": "object"}

    def say(input: Any) -> str:
        print("hello")
        return "ok"

    def warn(input: Any) -> str:
        logging.getLogger("some.library").warning("careful")
        return "ok"

    def chatter(input: Any) -> str:
        for _ in range(1000):
            logging.getLogger("some.library").warning("x" * 1000)
        return "ok"

    def block(input: Any, ctx: Any) -> None:
        ctx.progress(1)  # the client can see that it has begun
        time.sleep(3600)

    def meet(input: Any) -> str:
        barrier.wait(30)
        return "met"

    async def wait(input: Any) -> Any:
        await gate.wait()
        return input

    async def open_gate(input: Any) -> str:
        gate.set()
        return "open"

    async def root_logger(input: Any, ctx: Context) -> Any:
        root = logging.getLogger()
        return {"handlers": len(root.handlers), "level": root.level}

    server.tool("echo", {"input": anything, "run": lambda input: input})
    server.tool("none", {"run": lambda: "ok"})
    for name, run in {"say": say, "warn": warn, "chatter": chatter, "block": block, "meet": meet}.items():
        server.tool(name, {"input": anything, "run": run})
    for name, run in {"wait": wait, "open": open_gate, "root": root_logger}.items():
        server.tool(name, {"input": anything, "run": run})
    server.serve()
    if "bye" in flags:
        assert not sys.stdin.closed
        assert not sys.stdout.closed
        print("bye")


if __name__ == "__main__":
    main(sys.argv[1], set(sys.argv[2:]))
