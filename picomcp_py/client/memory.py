"""A server of this process as a client's target: the same bytes as on a pipe, without the pipe."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from ..running.connection import Connection
from ..transports.memory import MemoryWire
from .channel import Channel, PlainLink


class MemoryLink(PlainLink):
    """Hands messages over as they are sent."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def send(self, data: bytes) -> None:
        self._connection.receive(data)

    async def room(self) -> None:
        """There always is."""


@asynccontextmanager
async def open_memory(server: Any, channel: Channel) -> AsyncIterator[MemoryLink]:
    """Enter the server's lifespan and connect to it. At the end its running calls are cancelled."""
    async with server._open() as runtime:
        wire = MemoryWire(channel.receive)
        connection = Connection(runtime, wire)
        try:
            yield MemoryLink(connection)
        finally:
            connection.close("the client has closed its end")
            wire.close()
