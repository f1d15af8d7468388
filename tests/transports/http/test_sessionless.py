"""The handshake era without sessions: each POST stands for itself, for as long as it takes."""

from __future__ import annotations

import anyio
import pytest

from tests.transports.http.driver import ask, asking, request, tool_call
from tests.transports.http.servers import Gate, make

pytestmark = pytest.mark.anyio
VERSION = {"MCP-Protocol-Version": "2025-11-25"}


async def test_a_long_call_becomes_a_stream_with_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate()
    monkeypatch.setattr("picomcp_py.transports.http.post.COMMIT_AFTER", 0.05)
    app = make().tool("gate", {"run": gate.run}).asgi(sessions=False, keep_alive_seconds=0.01)
    async with asking(app, tool_call("gate"), headers=VERSION) as one:
        events = await one.until_events(2)
        assert [event.comment for event in events[:2]] == ["keep-alive"] * 2
        gate.go.set()
        await one.until(lambda it: it.events[-1].data)
        assert one.events[-1].message["result"]


async def test_a_client_that_leaves_does_not_cancel_its_call() -> None:
    """In that era only notifications/cancelled does (MCP 2025-11-25, basic/transports)."""
    gate = Gate()
    app = make().tool("gate", {"run": gate.run}).asgi(sessions=False)
    async with asking(app, tool_call("gate"), headers=VERSION) as one:
        with anyio.fail_after(20):
            await gate.started.wait()
            one.disconnect()
            await one.until(lambda it: it.told)
            await anyio.wait_all_tasks_blocked()
            assert not gate.cancelled.is_set()
            gate.go.set()
            await gate.finished.wait()


async def test_nothing_is_promised_that_needs_a_session() -> None:
    server = make().resource("note://one", {"read": lambda uri: "1"})
    app = server.asgi(sessions=False)
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    opened = (await ask(app, request("initialize", params))).json["result"]
    assert opened["capabilities"] == {"logging": {}, "tools": {}, "resources": {}}
    refused = await ask(app, request("resources/subscribe", {"uri": "note://one"}), headers=VERSION)
    assert refused.json["error"]["code"] == -32601
    read = await ask(app, request("resources/read", {"uri": "note://one"}), headers=VERSION)
    assert read.json["result"]["contents"][0]["text"] == "1"
