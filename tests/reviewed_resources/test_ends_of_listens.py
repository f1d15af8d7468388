"""Listens that end while others are told or ended: on a wire in memory the client acts before the server goes on."""

from __future__ import annotations

import json
from typing import Any

import anyio.lowlevel
import pytest

from picomcp_py import pico
from picomcp_py.running.connection import Connection
from picomcp_py.running.runtime import Runtime, open_runtime
from picomcp_py.transports.memory import MemoryWire
from tests.changes.listening import KEY, TOOLS
from tests.peer import envelope

pytestmark = pytest.mark.anyio


class Client:
    """Has two listens, 1 and 2, and acts on messages as they come."""

    def __init__(self, runtime: Runtime, act: Any) -> None:
        self.messages: list[Any] = []
        self.connection = Connection(runtime, MemoryWire(self._deliver))
        self._act = act
        for id in (1, 2):
            params = {"_meta": envelope(), "notifications": {"toolsListChanged": True}}
            self.send({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})

    def send(self, message: Any) -> None:
        self.connection.receive(json.dumps(message).encode())

    def _deliver(self, data: bytes) -> None:
        message = json.loads(data)
        self.messages.append(message)
        self._act(self, message)


async def test_a_client_that_closes_its_end_at_the_first_result_does_not_stop_the_server_from_closing() -> None:
    server = pico({"name": "test"})

    def act(client: Client, message: Any) -> None:
        if "result" in message:
            client.connection.close("enough")

    async with open_runtime(server._app, server) as runtime:
        client = Client(runtime, act)
    assert [message["id"] for message in client.messages if "result" in message] == [1]
    assert not server._app.at_work
    assert not server._app.runtimes
    assert not server._app.bus.has_subscribers()  # type: ignore[attr-defined]  # a LocalBus's


async def test_a_listen_that_is_cancelled_because_of_what_another_was_told_is_told_nothing() -> None:
    server = pico({"name": "test"})

    def act(client: Client, message: Any) -> None:
        if message.get("method") == TOOLS:
            client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})

    async with open_runtime(server._app, server) as runtime:
        client = Client(runtime, act)
        server.tool("more", run=lambda: None)
        while not (told := [m["params"]["_meta"][KEY] for m in client.messages if m.get("method") == TOOLS]):
            await anyio.lowlevel.checkpoint()
        assert told == [1]
