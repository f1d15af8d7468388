"""Streams that stay open: they end with the loop's part of the server, and what they are asked to follow is bounded."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from picomcp_py import pico
from picomcp_py.protocol.handshake import MAX_FOLLOWED_TEXT
from tests.changes.listening import start_listen
from tests.peer import MODERN, connected
from tests.transports.http.driver import Exchange, asking, connect, request

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]


async def ended(one: Exchange) -> None:
    with anyio.fail_after(20):
        while not one.done:
            await one._news.wait()


async def test_the_get_stream_of_a_session_ends_when_the_loops_part_of_the_server_does() -> None:
    app = pico({"name": "test"}).asgi()
    client = await connect(app)
    async with client.asking(method="GET") as stream:
        await stream.until(lambda one: one.status)
        await app._owners.stop()
        await ended(stream)
    assert (await client.ask(request("ping"))).status == 404  # by the next part, which doesn't know the session
    await app._owners.stop()


async def test_the_stream_of_the_oldest_transport_does_too() -> None:
    app = pico({"name": "test"}).asgi({"sse": True})
    async with asking(app, method="GET", path="/sse") as stream:
        await stream.until(lambda one: one.status)
        await app._owners.stop()
        await ended(stream)


URIS = [f"note://{number}/".ljust(1000, "a") for number in range(MAX_FOLLOWED_TEXT // 1000 + 1)]


async def test_a_listen_follows_uris_of_a_bounded_length() -> None:
    async with connected(pico({"name": "test"}).resource("note://{+x}", read=lambda uri: uri), MODERN) as peer:
        start_listen(peer, 1, *URIS)
        error = (await peer.reply(1))["error"]
        assert error == {
            "code": -32602,
            "message": "Invalid params for subscriptions/listen: resourceSubscriptions has more than 131072 characters",
        }
        start_listen(peer, 2, *URIS[1:])
        await peer.until(lambda message: message.get("method") == "notifications/subscriptions/acknowledged")
        assert not [message for message in peer.messages if message.get("id") == 2]


async def test_a_session_follows_uris_of_a_bounded_length() -> None:
    server = pico({"name": "test"}).resource("note://{+x}", read=lambda uri: uri)
    async with connected(server, "2025-11-25") as peer:

        async def subscribe(uri: str) -> Any:
            return await peer.request("resources/subscribe", {"uri": uri})

        for uri in URIS[1:]:
            assert (await subscribe(uri))["result"] == {}
        assert (await subscribe(URIS[0]))["error"] == {
            "code": -32602,
            "message": "The URIs subscribed to have more than 131072 characters: unsubscribe from others first",
        }
        assert (await subscribe(URIS[1]))["result"] == {}  # which it follows already
        await peer.request("resources/unsubscribe", {"uri": URIS[1]})
        assert (await subscribe(URIS[0]))["result"] == {}
