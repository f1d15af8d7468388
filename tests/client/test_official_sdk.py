"""The client against a server of another implementation: the official SDK's, in both eras, on stdio and over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anyio
import pytest

from picomcp_py import McpError
from picomcp_py.client import Client
from tests.client.programs import OFFICIAL
from tests.serving import running

pytest.importorskip("mcp", reason="the official SDK is not installed")
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(*OFFICIAL, "http") as program:
        yield program.url


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest) -> Any:
    return OFFICIAL if request.param == "stdio" else request.getfixturevalue("url")


@pytest.mark.parametrize("revision", [None, "2025-11-25", "2025-03-26"])
async def test_the_official_server_is_understood(target: Any, revision: str | None) -> None:
    logged: list[Any] = []
    reports: list[Any] = []
    client = Client(target, revision=revision, log_level="info", on_log=lambda *message: logged.append(message))
    async with client:
        assert client.revision == revision or (revision is None and client.revision == "2026-07-28")
        assert client.server_info["name"] == "official"
        assert client.instructions == "Official."
        assert "tools" in client.capabilities

        tools = {tool["name"]: tool for tool in await client.list_tools()}
        assert tools["add"]["description"] == "Add two numbers."
        assert set(tools["add"]["inputSchema"]["properties"]) == {"a", "b"}

        total = await client.call_tool("add", {"a": 2, "b": 3})
        assert (total.text, total.is_error) == ("5", False)
        failed = await client.call_tool("fail")
        assert failed.is_error
        assert "fail" in failed.text

        counted = await client.call_tool("count", on_progress=lambda *report: reports.append(report))
        assert counted.text == "counted"
        assert [(progress, total) for progress, total, _ in reports] == [(1, 3), (2, 3), (3, 3)]
        assert [(level, data) for level, data, _ in logged] == [("info", "counting")]

        with anyio.CancelScope() as scope:
            await client.call_tool("stuck", on_progress=lambda *report: scope.cancel())
        assert scope.cancelled_caught
        while "stuck" not in (await client.call_tool("was_cancelled")).text:
            pass
        with pytest.raises(McpError, match="Method not found"):
            await client.request("no/such")
        await client.ping()
        assert client.noise == 0
