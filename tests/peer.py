"""A client of raw messages, wired to a server in memory: what tests send is what goes over, byte for byte."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio

from picomcp_py import Server
from picomcp_py.running.connection import Connection
from picomcp_py.running.runtime import open_runtime
from picomcp_py.transports.memory import MemoryWire

MODERN = "2026-07-28"
HANDSHAKE = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
EVERY = [*HANDSHAKE, MODERN]


def envelope(**extra: Any) -> dict[str, Any]:
    """The `_meta` of a 2026-07-28 request."""
    return {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        **extra,
    }


class Peer:
    """`messages` holds what the server sent, decoded; `raw` the same as bytes."""

    def __init__(self, connection: Connection, revision: str) -> None:
        self.connection = connection
        self.revision = revision
        self.raw: list[bytes] = []
        self.messages: list[Any] = []
        self._next_id = 1000
        self._arrived = anyio.Event()

    def deliver(self, data: bytes) -> None:
        assert b"\n" not in data, "a message must be one line"
        data.decode("utf-8")
        self.raw.append(data)
        self.messages.append(json.loads(data, parse_constant=lambda name: pytest_fail(name)))
        self._arrived.set()
        self._arrived = anyio.Event()

    def send(self, message: Any) -> None:
        """A message as JSON, or bytes as they are."""
        self.connection.receive(message if isinstance(message, bytes) else json.dumps(message).encode())

    async def until(self, found: Callable[[Any], bool], seconds: float = 20) -> Any:
        """The first message for which `found` is true, among those that came and those to come."""
        seen = 0
        with anyio.fail_after(seconds):
            while True:
                while seen < len(self.messages):
                    message = self.messages[seen]
                    seen += 1
                    if found(message):
                        return message
                await self._arrived.wait()

    async def reply(self, id: Any) -> Any:
        """The reply with this id, by value and type."""
        return await self.until(lambda m: isinstance(m, dict) and m.get("id") == id and type(m["id"]) is type(id))

    def start(self, method: str, params: dict[str, Any] | None = None, id: Any = None) -> Any:
        """Send a request, dressed for the revision; gives its id."""
        if id is None:
            self._next_id += 1
            id = self._next_id
        params = dict(params or {})
        if self.revision == MODERN:
            params["_meta"] = envelope(**params.get("_meta", {}))
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    async def request(self, method: str, params: dict[str, Any] | None = None, id: Any = None) -> Any:
        """The whole reply to a request."""
        return await self.reply(self.start(method, params, id))

    async def call(self, tool: str, arguments: Any = None, **params: Any) -> dict[str, Any]:
        """The result of a tools/call."""
        if arguments is not None:
            params["arguments"] = arguments
        reply = await self.request("tools/call", {"name": tool, **params})
        assert "result" in reply, reply
        return reply["result"]

    def cancel(self, id: Any, reason: str = "stop") -> None:
        self.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": reason}}
        )

    def notifications(self, method: str) -> list[dict[str, Any]]:
        return [m["params"] for m in self.messages if isinstance(m, dict) and m.get("method") == method]


def pytest_fail(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def text_of(result: dict[str, Any]) -> str:
    """The text of a result that is one text block."""
    (block,) = result["content"]
    assert block["type"] == "text"
    return block["text"]


@asynccontextmanager
async def connected(server: Server, revision: str = MODERN, *, initialize: bool = True) -> AsyncIterator[Peer]:
    """A peer that has done its handshake, if its revision has one."""
    async with open_runtime(server._app, server) as runtime:
        holder: list[Peer] = []
        wire = MemoryWire(lambda data: holder[0].deliver(data))
        peer = Peer(Connection(runtime, wire), revision)
        holder.append(peer)
        if revision != MODERN and initialize:
            params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "peer", "version": "1"}}
            reply = await peer.request("initialize", params)
            assert reply["result"]["protocolVersion"] == revision
            peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield peer
        peer.connection.close("the test is over")
