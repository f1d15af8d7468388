"""A client of raw lines over stdio: it sends what it is told and checks each line that comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.wire.schemas import STATELESS, faults

ROOT = Path(__file__).parents[2]

VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"


class Exchange(NamedTuple):
    """The reply to a request, and the notifications that came before it."""

    reply: dict[str, Any]
    notifications: list[dict[str, Any]]

    @property
    def result(self) -> dict[str, Any]:
        assert "result" in self.reply, self.reply
        found: dict[str, Any] = self.reply["result"]
        return found

    @property
    def error(self) -> dict[str, Any]:
        assert "error" in self.reply, self.reply
        found: dict[str, Any] = self.reply["error"]
        return found


class Session:
    """One server process, spoken to at one revision. Nothing wrong may come from it: `AssertionError` says what did."""

    def __init__(self, script: Path, revision: str) -> None:
        self.revision = revision
        self.stateless = revision == STATELESS
        self.asked: dict[int | str, str] = {}
        self.process = subprocess.Popen(
            [sys.executable, str(script)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.initialized = None if self.stateless else self._initialize()

    def _initialize(self) -> Exchange:
        client = {"name": "wire", "version": "1"}
        opened = self.request(
            "initialize", {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": client}
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return opened

    def request(
        self, method: str, params: dict[str, Any] | None = None, *, id: int | str | None = None, meta: Any = None
    ) -> Exchange:
        """One request and what comes until its reply."""
        return self.until(self.ask(method, params, id=id, meta=meta))

    def call(self, name: str, arguments: Any = None, **more: Any) -> Exchange:
        params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
        return self.request("tools/call", params, **more)

    def ask(
        self, method: str, params: dict[str, Any] | None = None, *, id: int | str | None = None, meta: Any = None
    ) -> int | str:
        """Send a request; gives its id."""
        id = len(self.asked) + 1000 if id is None else id
        self.asked[id] = method
        envelope = {VERSION: self.revision, CAPABILITIES: {}} if self.stateless else {}
        whole = {**envelope, **(meta or {})}
        params = {**(params or {}), "_meta": whole} if whole else params
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return id

    def send(self, message: Any) -> None:
        """A message as JSON, or bytes as they are."""
        assert self.process.stdin
        self.process.stdin.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")

    def until(self, id: int | str) -> Exchange:
        """The reply to that request; any other reply on the way is a fault."""
        notifications: list[dict[str, Any]] = []
        while True:
            message = self.receive()
            if "method" not in message:
                assert type(message.get("id")) is type(id), message
                assert message["id"] == id, message
                return Exchange(message, notifications)
            notifications.append(message)

    def receive(self) -> Any:
        """The next line, checked: its bytes, its JSON, and each message in it against the revision's schema."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"the server ended with {self.process.wait()}"
        return self.check(line)

    def check(self, line: bytes) -> Any:
        assert line.endswith(b"\n"), line
        assert b"\r" not in line, line
        message = json.loads(line.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
        for one in message if isinstance(message, list) else [message]:
            assert one["jsonrpc"] == "2.0"
            found = faults(self.revision, one, self.asked.get(one.get("id")))
            assert not found, "\n".join([*found, line.decode()])
        return message

    def close(self) -> list[Any]:
        """Close the server's stdin; gives what still came. It must end by itself, with exit code 0."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        rest = [self.check(line) for line in self.process.stdout]
        self.process.stdout.close()
        assert self.process.wait() == 0
        return rest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len({key for key, _ in pairs}) == len(pairs), f"a member twice: {pairs}"
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")
