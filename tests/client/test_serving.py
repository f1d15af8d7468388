"""`server.serve({"port": ...})`: what it tells, when it ends, and what can't work."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from picomcp_py import ConfigError, pico
from picomcp_py.client import Client, ServerUnavailable
from tests.serving import Program, our_server, running

HEAD = """
import sys
from contextlib import asynccontextmanager
import anyio
from picomcp_py import pico

@asynccontextmanager
async def lifespan(server):
    yield
    print("lifespan ended", file=sys.stderr, flush=True)

server = pico({"name": "weather", "lifespan": lifespan})

@server.tool("wait", {"input": {"type": "object", "properties": {"seconds": {"type": "number"}}}})
async def wait(input, ctx):
    await ctx.progress(1)
    await anyio.sleep(input.get("seconds", 0.5))
    return "waited"
"""


def program(tmp_path: Path, serve: str = "server.serve({'port': 0})") -> tuple[str, ...]:
    """The command of a server that serves so."""
    (tmp_path / "weather.py").write_text(f"{HEAD}\n{serve}\n", encoding="utf-8")
    return sys.executable, str(tmp_path / "weather.py")


async def call_until_stopped(server: Program, number: int, revision: str, **arguments: Any) -> str:
    """Call `wait`, and send the signal when the call has begun."""
    async with Client(server.url, revision=revision) as client:
        stop = lambda *report: server.process.send_signal(number)  # noqa: E731  # it is one
        return (await client.call_tool("wait", arguments, on_progress=stop)).text


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_calls_finish_and_ends_streams_sessions_and_lifespan(
    tmp_path: Path, number: int, revision: str
) -> None:
    with running(*program(tmp_path)) as server:
        assert anyio.run(call_until_stopped, server, number, revision) == "waited"
        assert server.wait() == 128 + number
    assert server.said == f"weather is served at {server.url} (Ctrl-C ends it)\nlifespan ended\n"


def test_a_call_that_does_not_end_is_cut_off(tmp_path: Path) -> None:
    def call() -> None:
        anyio.run(lambda: call_until_stopped(server, signal.SIGTERM, "2026-07-28", seconds=3600))

    with running(*program(tmp_path)) as server:
        with pytest.raises(ServerUnavailable, match="whether it was carried out is not known"):
            call()
        assert server.wait() == 128 + signal.SIGTERM
    assert server.said.endswith("lifespan ended\n")
    assert "Traceback" not in server.said


def test_serve_async_serves_in_a_loop_that_runs_and_ends_when_it_is_cancelled(tmp_path: Path) -> None:
    serve = """
async def main():
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: server.serve_async(port=0, path="/here"))
        await anyio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
        group.cancel_scope.cancel()
    print("the loop goes on", file=sys.stderr)
anyio.run(main)
"""
    command = program(tmp_path, serve)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    with process:
        assert process.stdin is not None
        assert process.stderr is not None
        url = process.stderr.readline().split()[4]
        assert url.endswith("/here")

        async def ask() -> str:
            async with Client(url) as client:
                text = (await client.call_tool("wait", {"seconds": 0})).text
                process.stdin.write("stop\n")  # type: ignore[union-attr]
                process.stdin.flush()  # type: ignore[union-attr]
                return text

        assert anyio.run(ask) == "waited"
        assert process.stderr.read() == "lifespan ended\nthe loop goes on\n"
    assert process.returncode == 0


def test_a_lifespan_that_fails_is_raised_and_nothing_is_served() -> None:
    class Broken(Exception):
        pass

    def lifespan(server: Any) -> Any:
        raise Broken("no database")

    with pytest.raises(Broken, match="no database"):
        pico({"name": "x", "lifespan": lifespan}).serve(port=0)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"port": 1, "drainSeconds": 1}, '"drainSeconds" is for stdio, and "port" for HTTP'),
        ({"port": 1, "maxMessageBytes": 5000}, '"maxMessageBytes" is for stdio, and "port" for HTTP'),
        ({"drainSeconds": 1, "sessions": False}, '"drainSeconds" is for stdio, and "sessions" for HTTP'),
        ({"host": "localhost"}, '"host" is for HTTP: add "port"'),
        ({"port": None, "cors": ["*"]}, '"cors" is for HTTP: add "port"'),
        ({"prot": 3000}, 'unknown key "prot": did you mean "port"?'),
        ({"port": "3000"}, '"port" must be an integer'),
        ({"port": 65536}, '"port" must be at most 65535'),
        ({"port": 0, "host": "203.0.113.7"}, "can't listen on port 0 of 203.0.113.7"),
        ({"port": 0, "host": "no.such.invalid"}, "\"host\" 'no.such.invalid' is not known"),
    ],
)
def test_options_that_can_not_work_are_named(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=f"^serve\\(\\): .*{text}"):
        pico({"name": "x"}).serve(options)  # type: ignore[arg-type]


def test_keywords_are_snake_case() -> None:
    with pytest.raises(ConfigError, match='did you mean "max_body_bytes"'):
        pico({"name": "x"}).serve(port=0, maxBodyBytes=1)  # type: ignore[call-overload]
    with pytest.raises(ConfigError, match='"drain_seconds" is for stdio, and "port" for HTTP'):
        pico({"name": "x"}).serve(port=0, drain_seconds=1)  # type: ignore[call-overload]


def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"can't listen on port {port} of 127.0.0.1: Address already in use"):
            pico({"name": "x"}).serve(port=port)


def test_trio_is_told_that_http_is_served_on_asyncio() -> None:
    with pytest.raises(ConfigError, match="runs on asyncio only, not on trio"):
        pico({"name": "x", "backend": "trio"}).serve(port=0)
    with pytest.raises(ConfigError, match="runs on asyncio only, not on trio"):
        anyio.run(lambda: pico({"name": "x"}).serve_async(port=0), backend="trio")


def test_without_uvicorn_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from picomcp_py import ConfigError, pico\n"
        "try: pico(name='x').serve(port=0)\nexcept ConfigError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "serve(): HTTP needs uvicorn: pip install 'picomcp-py[http]'"


OWN = Path(__file__).parent / "own_server.py"


def test_all_names_of_the_loopback_are_served() -> None:
    with running(sys.executable, *our_server(OWN, "host='localhost'")) as server:
        assert server.url.startswith("http://localhost:")
        assert httpx2.post(server.url.replace("localhost", "127.0.0.1")).status_code == 415  # reached
        assert httpx2.post(server.url).status_code == 415


def test_every_address_is_served_and_who_may_ask_is_told() -> None:
    with running(sys.executable, *our_server(OWN, "host='0.0.0.0'")) as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        assert httpx2.post(url).status_code == 415
        assert httpx2.post(url, headers={"Host": "example.org"}).status_code == 421
    assert 'Only requests to localhost are taken: name the hosts that clients use in "allowedHosts"' in server.said


def test_pages_of_the_origins_named_may_call() -> None:
    page = {"Origin": "https://page.example"}
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,mcp-param-a"}
    with running(sys.executable, *our_server(OWN, "cors=['https://page.example']")) as server:
        preflight = httpx2.options(server.url, headers={**page, **asked})
        assert preflight.status_code == 200
        assert preflight.headers["access-control-allow-origin"] == page["Origin"]
        assert "mcp-param-a" in preflight.headers["access-control-allow-headers"]
        answered = httpx2.post(server.url, headers=page)
        assert answered.status_code == 415  # reached, past the guard
        assert answered.headers["access-control-allow-origin"] == page["Origin"]
        assert "Mcp-Session-Id" in answered.headers["access-control-expose-headers"]
        assert "access-control-allow-origin" not in httpx2.options(
            server.url, headers={**asked, "Origin": "https://other.example"}
        ).headers  # fmt: skip
