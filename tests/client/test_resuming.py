"""A connection that breaks in the middle of a call, with a server of this library behind it: the answer still comes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest
from anyio.abc import ByteReceiveStream, SocketAttribute, SocketStream

from picomcp_py.client import Client, ServerUnavailable
from tests.serving import our_server, serving

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(*our_server(Path(__file__).parent / "own_server.py")) as found:
        yield found


class Cable:
    """A way to the server that breaks once, behind the first response that holds `mark`."""

    def __init__(self, port: int, mark: bytes) -> None:
        self.broken = 0
        self._port = port
        self._mark = mark

    async def carry(self, client: SocketStream) -> None:
        async with client, await anyio.connect_tcp("127.0.0.1", self._port) as server:
            async with anyio.create_task_group() as group:
                group.start_soon(self._copy, client, server, group.cancel_scope)
                group.start_soon(self._copy_until_broken, server, client, group.cancel_scope)

    async def _copy(self, source: ByteReceiveStream, target: SocketStream, scope: anyio.CancelScope) -> None:
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            while True:
                await target.send(await source.receive())
        scope.cancel()

    async def _copy_until_broken(self, source: SocketStream, target: SocketStream, scope: anyio.CancelScope) -> None:
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError):
            while True:
                data = await source.receive()
                await target.send(data)
                if self._mark in data and not self.broken:
                    self.broken += 1
                    break
        scope.cancel()


@asynccontextmanager
async def cable(url: str, mark: bytes) -> AsyncIterator[tuple[str, Cable]]:
    """The URL that leads through the cable."""
    parts = urlsplit(url)
    made = Cable(parts.port or 80, mark)
    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        async with anyio.create_task_group() as group:
            group.start_soon(listener.serve, made.carry)
            port = listener.extra(SocketAttribute.local_port)
            yield f"http://127.0.0.1:{port}{parts.path}", made
            group.cancel_scope.cancel()


async def test_the_answer_is_fetched_after_the_connection_broke(url: str) -> None:
    """It is the same call, whose progress and logs are told once each."""
    progress: list[float] = []
    logged: list[object] = []
    async with cable(url, b"step 1") as (through, wire):
        async with Client(
            through, revision="2025-11-25", log_level="info", on_log=lambda level, data, logger: logged.append(data)
        ) as client:
            result = await client.call_tool("count_slowly", on_progress=lambda now, total, text: progress.append(now))
            assert result.text == "counted"
    assert wire.broken == 1
    assert progress == [1, 2, 3]
    assert logged == [{"counting": True}]


async def test_a_stateless_call_ends_with_its_connection(url: str) -> None:
    async with cable(url, b'"progress":0') as (through, wire):
        async with Client(through, revision="2026-07-28") as client:
            with pytest.raises(ServerUnavailable, match="whether it was carried out is not known"):
                await client.call_tool("stuck", on_progress=lambda *report: None)
            while (await client.call_tool("cancelled")).text == "[]":
                pass
    assert wire.broken == 1
