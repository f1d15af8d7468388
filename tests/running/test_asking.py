"""Requests of the server's own in the handshake era, by a handler that uses the engine's inside: no public name yet."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from picomcp_py import Context, McpError, pico
from tests.peer import HANDSHAKE, MODERN, connected, text_of

pytestmark = pytest.mark.anyio


def server() -> Any:
    async def roots(input: Any, ctx: Context) -> str:
        try:
            return str(await ctx._call.ask("roots/list"))
        except McpError as error:
            return f"refused: {error.message} {error.data}"

    return pico({"name": "t"}).tool("roots", {"run": roots})


@pytest.mark.parametrize("revision", HANDSHAKE)
async def test_a_request_goes_out_before_the_reply_and_its_result_comes_back(revision: str) -> None:
    async with connected(server(), revision) as peer:
        call = peer.start("tools/call", {"name": "roots"})
        asked = await peer.until(lambda m: m.get("method") == "roots/list")
        peer.send({"jsonrpc": "2.0", "id": "unknown", "result": {}})
        peer.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}})
        peer.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": ["late"]}})
        assert text_of((await peer.reply(call))["result"]) == "{'roots': []}"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ({"code": -1, "message": "no", "data": 5}, "refused: no 5"),
        ({"code": "x"}, "refused: The client gave no reason None"),
    ],
)
async def test_the_clients_error_is_raised(error: Any, text: str) -> None:
    async with connected(server(), "2025-11-25") as peer:
        call = peer.start("tools/call", {"name": "roots"})
        asked = await peer.until(lambda m: m.get("method") == "roots/list")
        peer.send({"jsonrpc": "2.0", "id": asked["id"], "error": error})
        assert text_of((await peer.reply(call))["result"]) == text


async def test_cancelling_the_call_cancels_the_request() -> None:
    async with connected(server(), "2025-11-25") as peer:
        call = peer.start("tools/call", {"name": "roots"})
        asked = await peer.until(lambda m: m.get("method") == "roots/list")
        peer.cancel(call)
        cancelled = await peer.until(lambda m: m.get("method") == "notifications/cancelled")
        assert cancelled["params"] == {"requestId": asked["id"]}
        await anyio.wait_all_tasks_blocked()
        assert not [m for m in peer.messages if m.get("id") == call]


async def test_the_end_of_the_connection_ends_the_waiting() -> None:
    async with connected(server(), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "roots"})
        await peer.until(lambda m: m.get("method") == "roots/list")
        peer.connection.close("gone")
        assert peer.connection.calls == {}


async def test_at_2026_07_28_there_are_no_such_requests() -> None:
    async with connected(server(), MODERN) as peer:
        assert "nobody is there who could be asked" in text_of(await peer.call("roots"))
