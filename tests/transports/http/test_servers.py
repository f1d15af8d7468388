"""The application under the ASGI servers that people use, as programs of their own, over real sockets."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transports.http.driver import BOTH, JSON, call, initialize, request
from tests.transports.http.running import Answer, Running, running

APP = "tests.transports.http.program"

COMMANDS: dict[str, list[str]] = {
    "uvicorn": ["uvicorn", f"{APP}:server", "--port={port}", "--timeout-graceful-shutdown=1"],
    "uvicorn h11": ["uvicorn", f"{APP}:server", "--port={port}", "--http=h11", "--loop=asyncio"],
    "uvicorn, no lifespan": ["uvicorn", f"{APP}:server", "--port={port}", "--lifespan=off"],
    "hypercorn": ["hypercorn", f"{APP}:server", "--bind=127.0.0.1:{port}", "--graceful-timeout=1"],
    "hypercorn on trio": ["hypercorn", f"{APP}:server", "--bind=127.0.0.1:{port}", "-k=trio", "--graceful-timeout=1"],
    "granian": ["granian", f"{APP}:server", "--interface=asgi", "--port={port}", "--workers-kill-timeout=2"],
}


CANCELLED = "cancelled: the client has disconnected"


@pytest.fixture(params=COMMANDS)
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    with running(COMMANDS[request.param], tmp_path) as one:
        yield one


def test_both_eras_streams_disconnects_and_the_end(program: Running) -> None:
    assert program.ask(**call("ping-me")).messages[0]["error"]["code"] == -32602
    streamed = program.ask(**call("steps", meta={"progressToken": 1}))
    assert [message.get("params", {}).get("progress") for message in streamed.messages] == [1, 2, 3, None]

    opened = program.ask(initialize())
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    assert program.ask({"jsonrpc": "2.0", "method": "notifications/initialized"}, session).status == 202
    assert program.ask(request("tools/list"), session).messages[0]["result"]["tools"]
    params = {"name": "steps", "_meta": {"progressToken": 1}}
    assert len(program.ask(request("tools/call", params), session).messages) == 4
    last = broken_off(program, session)
    assert program.ask(request("tools/call", {"name": "release"}), session).status == 200
    program.wait_until(lambda: "held on" in program.text)
    late = program.ask(None, {**session, "Accept": "text/event-stream", "Last-Event-ID": last}, "GET")
    assert [message["id"] for message in late.messages] == ["held"]

    assert program.ask(None, session, "DELETE").status == 204
    assert program.ask(request("tools/list"), session).status == 404

    for headers, status in (({"Host": "evil.test"}, 421), ({"Origin": "http://evil.test"}, 403)):
        assert program.ask(initialize(), headers).status == status

    for way in ("closed", "reset"):
        given = call("wait")
        body = json.dumps(given["body"]).encode()
        before = program.text.count("waiting")
        with socket.create_connection(("127.0.0.1", program.port)) as connection:
            connection.sendall(head({"Content-Type": JSON, **given["headers"]}, body) + body)
            program.wait_until(lambda count=before: program.text.count("waiting") > count)
            if way == "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        program.wait_until(lambda count=before: program.text.count(CANCELLED) > count)

    program.end()
    assert program.text.count("lifespan begins") == 1
    assert program.text.count("lifespan ends") == 1
    assert "Traceback" not in program.text


def broken_off(program: Running, session: dict[str, str]) -> str:
    """Break the connection of a call after its first message; gives that one's event id."""
    body = json.dumps(request("tools/call", {"name": "hold", "_meta": {"progressToken": 1}}, "held")).encode()
    with socket.create_connection(("127.0.0.1", program.port), timeout=20) as connection:
        connection.sendall(head({"Content-Type": JSON, "Accept": BOTH, **session}, body) + body)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        received = b""
        while b"notifications/progress" not in received:
            received += connection.recv(65536)
    return re.findall(rb"id: (\S+)\r\nevent: message", received)[0].decode()


def head(headers: dict[str, str], body: bytes, path: str = "/mcp") -> bytes:
    """The beginning of a POST."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    first = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    return "\r\n".join([*first, *lines, "", ""]).encode()


def test_a_body_beyond_the_limit_is_answered_while_it_is_sent(tmp_path: Path) -> None:
    with (
        running(COMMANDS["uvicorn"], tmp_path) as program,
        socket.create_connection(("127.0.0.1", program.port), timeout=20) as connection,
    ):
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head.encode())
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        answer = b""
        try:
            for _ in range(800):
                connection.sendall(chunk)
        except OSError:
            pass  # the server has closed its end
        connection.settimeout(20)
        try:
            answer = connection.recv(65536)
        except ConnectionResetError:
            answer = b"reset"
        assert answer == b"reset" or b" 413 " in answer
        assert program.ask(**call("release")).status == 200


def test_routes_in_a_parent_application_under_middleware(tmp_path: Path) -> None:
    command = ["uvicorn", f"{APP}:parent", "--port={port}", "--timeout-graceful-shutdown=1"]
    with running(command, tmp_path) as program:
        for path in ("/tools", "/tools/"):
            connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=20)
            connection.request("POST", path, json.dumps(initialize()), {"Content-Type": JSON, "Accept": BOTH})
            assert Answer(connection.getresponse()).status == 200
            connection.close()
        for meta in ({}, {"progressToken": 1}):  # as JSON, and as a stream
            given = call("wait", meta=meta)
            body = json.dumps(given["body"]).encode()
            before = program.text.count(CANCELLED)
            with socket.create_connection(("127.0.0.1", program.port), timeout=20) as one:
                one.sendall(head({"Content-Type": JSON, **given["headers"]}, body, "/tools") + body)
                program.wait_until(lambda count=before: program.text.count("waiting") > count)
            program.wait_until(lambda count=before: program.text.count(CANCELLED) > count)
        program.end(signal.SIGINT)
        assert "Traceback" not in program.text
        assert program.text.count("lifespan ends") == 1
