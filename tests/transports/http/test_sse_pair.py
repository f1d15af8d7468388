"""The HTTP+SSE transport of 2024-11-05: by the official SDK's client, and by hand."""

from __future__ import annotations

import http.client
import json
import warnings
from pathlib import Path
from typing import Any

import anyio
import pytest

from picomcp_py import ConfigError, pico
from tests.transports.http.running import running

COMMAND = ["uvicorn", "tests.transports.http.program:with_sse", "--port={port}", "--timeout-graceful-shutdown=1"]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # on trio its own generators are left unclosed, with warnings
async def test_the_official_client_lists_and_calls(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from mcp import ClientSession
        from mcp.client.sse import sse_client

        with running(COMMAND, tmp_path) as program, anyio.fail_after(30):
            async with (
                sse_client(f"http://127.0.0.1:{program.port}/sse") as (read, write),
                ClientSession(read, write) as session,
            ):
                await session.initialize()
                assert "steps" in {tool.name for tool in (await session.list_tools()).tools}
                assert (await session.call_tool("steps", {})).content[0].text == "done"
            assert "Traceback" not in program.text


class Hand:
    """A client by hand: the stream on one connection, messages on others."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._connection.request("GET", "/sse", headers={"Accept": "text/event-stream"})
        self.response = self._connection.getresponse()
        self.name, self.endpoint = self.event()

    def event(self) -> tuple[str, str]:
        found: dict[str, str] = {}
        while line := self.response.readline().decode().rstrip("\r\n"):
            if not line.startswith(":"):
                name, _, value = line.partition(": ")
                found[name] = value
        return found["event"], found["data"]

    def close(self) -> None:
        self._connection.close()


def request(port: int, method: str, path: str, message: Any = None, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = None if message is None else json.dumps(message)
    connection.request(method, path, body, {"Content-Type": "application/json", **headers})
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer


def test_the_first_event_names_the_address_and_answers_come_in_the_stream(tmp_path: Path) -> None:
    with running(COMMAND, tmp_path) as program:
        client = Hand(program.port)
        assert client.response.getheader("Content-Type") == "text/event-stream"
        assert client.name == "endpoint"
        assert client.endpoint.startswith("/messages?sessionId=")
        assert request(program.port, "POST", client.endpoint, INITIALIZE) == (202, b"")
        name, data = client.event()
        assert (name, json.loads(data)["result"]["protocolVersion"]) == ("message", "2024-11-05")
        assert request(program.port, "POST", client.endpoint, {"id": 5})[0] == 202
        assert json.loads(client.event()[1])["error"]["code"] == -32600
        client.close()


def test_what_is_refused(tmp_path: Path) -> None:
    with running(COMMAND, tmp_path) as program:
        port = program.port
        assert request(port, "POST", "/messages?sessionId=zzz", INITIALIZE)[0] == 404
        assert request(port, "POST", "/messages", INITIALIZE)[0] == 404
        assert request(port, "POST", "/messages", INITIALIZE, **{"Content-Type": "text/plain"})[0] == 415
        assert request(port, "GET", "/messages")[0] == 405
        assert request(port, "POST", "/sse", INITIALIZE)[0] == 405
        assert request(port, "GET", "/sse", Accept="application/json")[0] == 406
        assert request(port, "GET", "/sse", Host="evil.test")[0] == 421


def test_it_is_off_by_default_and_not_for_routes(tmp_path: Path) -> None:
    command = [part.replace("with_sse", "server") for part in COMMAND]
    with running(command, tmp_path) as program:
        assert request(program.port, "GET", "/sse", Accept="text/event-stream")[0] == 404
    with pytest.raises(ConfigError, match=r'mount server\.asgi\(\{"sse": True\}\) instead'):
        pico({"name": "x"}).routes("/mcp", {"sse": True})
