"""Listening for changes at a URL: the streams of both eras, and what becomes of them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from picomcp_py.client import Change, Client, HttpError, ServerUnavailable, SessionLost
from picomcp_py.client.http import link, session
from tests.client.http_script import (
    DISCOVERED,
    END,
    INITIALIZED,
    RESULT,
    Answer,
    Request,
    event,
    reply,
    response,
    scripted,
    stream_head,
)

pytestmark = pytest.mark.anyio

KEY = "io.modelcontextprotocol/subscriptionId"
TOOLS = "notifications/tools/list_changed"


def news(method: str, subscription: Any = None, **params: Any) -> dict[str, Any]:
    if subscription is not None:
        params["_meta"] = {KEY: subscription}
    return {"jsonrpc": "2.0", "method": method, "params": params}


def acknowledged(subscription: int, **granted: Any) -> dict[str, Any]:
    return news("notifications/subscriptions/acknowledged", subscription, notifications=granted)


def answering(era: str, *, listen: Answer) -> Answer:
    """A server of one era: `listen` answers `subscriptions/listen`, or the GET."""

    async def answer(request: Request) -> None:
        if request.says == "server/discover" and era == "2026-07-28":
            await request.send(reply(request, DISCOVERED))
        elif request.says == "initialize":
            await request.send(reply(request, INITIALIZED, mcp_session_id="s-1"))
        elif request.says in ("subscriptions/listen", "GET"):
            await listen(request)
        elif request.says == "tools/call":
            await request.send(reply(request, RESULT))
        else:
            await request.send(response(202))

    return answer


@contextlib.asynccontextmanager
async def listening(era: str, listen: Answer) -> AsyncIterator[tuple[Any, Client]]:
    async with scripted(answering(era, listen=listen)) as server, Client(server.url, revision=era) as client:
        yield server, client


async def test_leaving_closes_the_stream_and_posts_nothing() -> None:
    closed = anyio.Event()

    async def listen(request: Request) -> None:
        await request.send(stream_head() + b"3\r\n:\n\n\r\n" + event(acknowledged(request.body["id"])))
        try:
            while True:  # keep-alive comments are no messages
                await request.send(b"8\r\n: ping\n\n\r\n")
                await anyio.sleep(0.01)
        finally:
            closed.set()

    async with listening("2026-07-28", listen) as (server, client):
        async with client.listen(tools=True):
            await client.call_tool("t")
        await closed.wait()
        assert server.said == ["server/discover", "subscriptions/listen", "tools/call"]
        headers = server.of("subscriptions/listen")[0].headers
        assert headers["mcp-method"] == "subscriptions/listen"
        assert "text/event-stream" in headers["accept"]


async def test_silence_may_last_longer_than_the_timeout() -> None:
    async def listen(request: Request) -> None:
        await request.send(stream_head() + event(acknowledged(request.body["id"])))
        await anyio.sleep(1.5)
        await request.send(event(news(TOOLS, request.body["id"])) + END)

    async with scripted(answering("2026-07-28", listen=listen)) as server, Client(server.url, timeout=1) as client:
        async with client.listen(tools=True) as found:
            assert [change async for change in found] == [Change("tools")]


async def test_a_stream_that_breaks_ends_the_iteration_and_is_not_asked_for_again() -> None:
    async def listen(request: Request) -> None:
        id = request.body["id"]
        await request.send(stream_head() + event(acknowledged(id), id="1") + event(news(TOOLS, id), id="2"))

    async with listening("2026-07-28", listen) as (server, client):
        async with client.listen(tools=True) as found:
            assert [change async for change in found] == [Change("tools")]
            assert isinstance(found.failure, ServerUnavailable)
        assert server.said == ["server/discover", "subscriptions/listen"]


async def test_in_a_session_listening_begins_when_the_stream_is_open() -> None:
    asked, may_open = anyio.Event(), anyio.Event()

    async def listen(request: Request) -> None:
        asked.set()
        await may_open.wait()
        await request.send(stream_head())
        await anyio.sleep_forever()

    entered: list[str] = []
    async with listening("2025-11-25", listen) as (_, client):

        async def wait() -> None:
            async with client.listen(tools=True):
                entered.append("entered")

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await asked.wait()
            await anyio.wait_all_tasks_blocked()
            assert entered == []
            may_open.set()
    assert entered == ["entered"]


@pytest.mark.parametrize("status", [405, 404, 500])
async def test_a_url_without_a_stream_for_changes_is_told(status: int) -> None:
    async def listen(request: Request) -> None:
        await request.send(response(status))

    async with listening("2025-11-25", listen) as (_, client):
        with pytest.raises(SessionLost if status == 404 else HttpError, match=str(status)):
            async with client.listen(tools=True):
                pytest.fail("it was entered")


async def test_a_stream_is_opened_again_as_long_as_that_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten quiet connections that last are no fault; then the server refuses."""
    monkeypatch.setattr(link, "LASTING", 0.0)
    count = 0

    async def listen(request: Request) -> None:
        nonlocal count
        count += 1
        if count == 1:
            await request.send(stream_head() + event(retry=1) + event(news(TOOLS)) + END)
        elif count <= 10:
            await request.send(stream_head() + END)
        else:
            await request.send(response(405))

    async with listening("2025-11-25", listen) as (_, client):
        async with client.listen(tools=True) as found:
            assert [change async for change in found] == [Change("tools")]
            assert isinstance(found.failure, HttpError)
            assert found.failure.status == 405
    assert count == 11


async def test_a_stream_that_only_breaks_is_given_up_and_the_iteration_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "RETRY", 0.001)
    may_break = anyio.Event()

    async def listen(request: Request) -> None:
        await request.send(stream_head())
        await may_break.wait()
        await request.send(END)

    async with listening("2025-11-25", listen) as (server, client):
        async with client.listen(tools=True) as found:
            may_break.set()
            assert [change async for change in found] == []
            assert "breaks again and again" in str(found.failure)
        with pytest.raises(ServerUnavailable, match="breaks again and again"):
            async with client.listen(tools=True):
                pytest.fail("it was entered")
        assert len(server.of("GET")) == session.ATTEMPTS
