"""Two workers behind one address, taking turns; and what the server asks its client, on the stream of the call."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest

from picomcp_py import Context, pico
from tests.peer import HANDSHAKE
from tests.transports.http.driver import ask, asking, call, connect, initialize, modern, request, tool_call
from tests.transports.http.servers import make

pytestmark = pytest.mark.anyio


def alternating(**options: Any) -> Any:
    """An ASGI application that hands each request to the next of two workers, which share nothing."""
    workers = cycle([make().asgi(options), make().asgi(options)])

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await next(workers)(scope, receive, send)

    return app


async def test_two_workers_serve_2026_07_28_by_turns() -> None:
    app = alternating()
    for number in range(6):
        assert (await ask(app, **modern("tools/list", id=number))).json["result"]["tools"]
        called = await ask(app, **call("echo", {"a": number}, id=number))
        assert called.json["result"]["structuredContent"] == {"a": number}


@pytest.mark.parametrize("revision", HANDSHAKE[1:])
async def test_two_workers_serve_older_clients_without_sessions_by_turns(revision: str) -> None:
    app = alternating(sessions=False)
    opened = await ask(app, initialize(revision))
    assert opened.json["result"]["protocolVersion"] == revision
    assert "mcp-session-id" not in opened.headers
    headers = {"MCP-Protocol-Version": revision}
    for number in range(6):
        called = await ask(app, tool_call("echo", {"a": number}, id=number), headers=headers)
        assert called.json["result"]["content"] == [{"type": "text", "text": f'{{"a":{number}}}'}]


async def test_with_sessions_the_other_worker_answers_404() -> None:
    app = alternating()
    opened = await ask(app, initialize())
    headers = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    assert [(await ask(app, request("ping"), headers=headers)).status for _ in range(4)] == [404, 200, 404, 200]


async def test_a_request_of_the_server_goes_out_on_the_stream_of_the_call() -> None:
    async def roots(input: Any, ctx: Context) -> str:
        return str(await ctx._call.ask("roots/list"))  # by the engine's inside: there is no public name yet

    app = pico({"name": "t"}).tool("roots", {"run": roots}).asgi()
    client = await connect(app, "2025-11-25")
    async with asking(app, tool_call("roots", id=7), headers=client.headers()) as called:
        events = await called.until_events(2)  # the first primes the stream
        asked = events[1].message
        assert asked["method"] == "roots/list"
        posted = await client.ask({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}})
        assert (posted.status, posted.body) == (202, b"")
        events = await called.until_events(3)
        assert events[2].message["result"]["content"][0]["text"] == "{'roots': []}"
