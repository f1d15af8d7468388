"""Faults from public bug reports, sections G and H: negotiation, routing, security, sessions, streams, size, end."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import anyio
import pytest
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware

from tests.transports.http.driver import (
    Exchange,
    ask,
    asking,
    call,
    connect,
    exchange,
    initialize,
    modern,
    request,
    scope_of,
    tool_call,
)
from tests.transports.http.servers import Gate, make

pytestmark = pytest.mark.anyio


def sessions_of(app: Any) -> int:
    return sum(len(place.sessions) for place in app._places.values())


ACCEPTS = ["*/*", None, "application/json", "text/event-stream", "application/*, text/*"]


@pytest.mark.parametrize("accept", ACCEPTS)
async def test_b107_any_accept_header_that_allows_a_form_is_served(accept: str | None) -> None:
    answered = await ask(make().asgi(), initialize(), headers={"Accept": accept})
    assert answered.status == 200
    assert answered.reply["result"]
    kind = answered.headers["content-type"]
    assert kind == ("text/event-stream" if accept == "text/event-stream" else "application/json")


async def test_b107_an_accept_header_that_allows_none_is_refused() -> None:
    app = make().asgi()
    assert (await ask(app, initialize(), headers={"Accept": "text/html"})).status == 406
    assert sessions_of(app) == 0


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json; charset=utf-8", 200),
        ("Application/JSON", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/json-patch", 415),
        (None, 415),
    ],
)
async def test_b109_json_by_any_name_and_nothing_else(kind: str | None, status: int) -> None:
    assert (await ask(make().asgi(), initialize(), headers={"Content-Type": kind})).status == status


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 5, "result": {}},
        {"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "no"}},
    ],
)
async def test_b110_what_asks_for_no_answer_gets_none(message: dict[str, Any]) -> None:
    answered = await (await connect(make().asgi())).ask(message)
    assert (answered.status, answered.body, answered.headers["content-length"]) == (202, b"", "0")


@pytest.mark.parametrize(("version", "status"), [("1900-01-01", 400), ("not-a-version", 400), (None, 200)])
async def test_b111_a_version_header_is_heeded(version: str | None, status: int) -> None:
    client = await connect(make().asgi())
    answered = await client.ask(request("tools/list"), headers={"MCP-Protocol-Version": version})
    assert answered.status == status


async def test_b113_what_is_not_served_is_405_and_says_what_is() -> None:
    for options, allowed in (({}, {"GET, POST, DELETE", "POST"}), ({"sessions": False}, {"POST"})):
        app = make().asgi(options)
        for method in ("GET", "PUT", "HEAD", "PATCH"):
            answered = await ask(app, method=method)
            assert answered.status == 405
            assert answered.headers["allow"] in allowed
    assert (await ask(make().asgi(), method="DELETE")).status == 400
    assert (await ask(make().asgi({"sessions": False}), method="DELETE")).status == 405


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_b114_a_slash_at_the_end_is_no_matter(path: str) -> None:
    for app in (make(), make().asgi()):
        assert (await ask(app, initialize(), path=path)).status == 200


@pytest.mark.parametrize("root", ["", "/parent"])
async def test_b116_a_mounted_application_needs_no_lifespan(root: str) -> None:
    answered = await ask(make(), initialize(), path=root + "/mcp", root_path=root)
    assert answered.status == 200


async def _pass(request: Any, call_next: Any) -> Any:
    return await call_next(request)


@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
async def test_b118_under_middleware_events_arrive_one_by_one(era: str, caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate()
    server = make().tool("two", {"run": gate.run_aloud})

    app: Any = server.asgi()
    for one in (Middleware(BaseHTTPMiddleware, dispatch=_pass), Middleware(GZipMiddleware)):
        app = one.cls(app, *one.args, **one.kwargs)

    if era == "2026-07-28":
        given = call("two", meta={"progressToken": 1})
    else:
        client = await connect(app)
        given = {"body": tool_call("two", token=1), "headers": client.headers()}
    async with asking(app, **given) as one:
        await one.until(lambda it: it.status and b"progress" in it.body)
        assert b'"result"' not in one.body
        gate.go.set()
        await one.until(lambda it: b'"result"' in it.body)
    async with asking(app, **given) as left:  # and a client that leaves midway
        await left.until(lambda it: it.status and b"progress" in it.body)
    assert caplog.text == ""


async def test_b119_a_host_is_allowed_by_an_option_that_the_refusal_names() -> None:
    host = {"Host": "mcp.example.com"}
    refused = await ask(make().asgi(), initialize(), headers=host)
    assert refused.status == 421
    assert '"mcp.example.com" is not allowed: add it to "allowedHosts"' in refused.json["error"]["message"]
    assert (await ask(make().asgi(allowed_hosts=["mcp.example.com"]), initialize(), headers=host)).status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.test"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.test"}, 421),
        ({}, 200),
    ],
)
async def test_b121_rebound_names_and_foreign_pages_stay_out(headers: dict[str, str], status: int) -> None:
    for method in ("POST", "GET", "DELETE"):
        body = initialize() if method == "POST" else None
        answered = await ask(make().asgi(), body, method=method, headers=dict(headers))
        assert answered.status == (status if headers or method == "POST" else answered.status)


async def test_b122_a_preflight_needs_no_session_and_makes_none() -> None:
    app = make().asgi(cors=["https://app.test"])
    names = "mcp-protocol-version, mcp-session-id, last-event-id, authorization, content-type"
    asked = {
        "Origin": "https://app.test",
        "Access-Control-Request-Method": "DELETE",
        "Access-Control-Request-Headers": names,
    }
    answered = await ask(app, method="OPTIONS", headers=asked)
    assert answered.status == 200
    for name in names.split(", "):
        assert name in answered.headers["access-control-allow-headers"]
    assert sessions_of(app) == 0


async def test_b124_an_unknown_session_is_404_so_that_clients_begin_anew() -> None:
    app = make().asgi()
    client = await connect(app)
    body = request("tools/list")
    assert (await ask(app, body, headers={"Mcp-Session-Id": "zzz"})).status == 404
    assert (await ask(app, body)).status == 400
    twice = [("Mcp-Session-Id", client.id or ""), ("Mcp-Session-Id", "zzz")]
    assert (await ask(app, body, headers=twice)).status == 400


async def test_b125_ended_sessions_leave_nothing() -> None:
    app = make().asgi()
    ids = []
    for _ in range(300):
        opened = await ask(app, initialize())
        ids.append({"Mcp-Session-Id": opened.headers["mcp-session-id"]})
        assert (await ask(app, method="DELETE", headers=dict(ids[-1]))).status == 204
    assert sessions_of(app) == 0
    assert (await ask(app, request("tools/list"), headers=dict(ids[7]))).status == 404
    assert (await ask(app, method="DELETE", headers=dict(ids[7]))).status == 404


async def test_b127_sessions_of_clients_that_vanished_are_bounded() -> None:
    app = make().asgi(max_sessions=50)
    client = await connect(app)
    for number in range(300):
        assert (await ask(app, initialize())).status == 200
        assert sessions_of(app) <= 50
        if number % 20 == 0:
            assert (await client.ask(request("ping"))).status == 200


async def test_b129_several_workers() -> None:
    workers = [make().asgi(sessions=False), make().asgi(sessions=False)]
    opened = await ask(workers[0], initialize())
    assert "mcp-session-id" not in opened.headers
    for number in range(4):
        worker = workers[number % 2]
        assert (await ask(worker, tool_call("echo", {"n": number}))).json["result"]
        assert (await ask(worker, **call("echo", {"n": number}))).json["result"]
    stateful = [make().asgi(), make().asgi()]
    client = await connect(stateful[0])
    assert (await ask(stateful[1], request("tools/list"), headers=client.headers())).status == 404


async def test_b130_silence_is_filled_with_comments() -> None:
    gate = Gate()
    server = make().tool("slow", {"run": gate.run_aloud})
    app = server.asgi(keep_alive_seconds=0.01)
    client = await connect(app)
    legacy = {"body": tool_call("slow", token=1), "headers": client.headers()}
    for given in (call("slow", meta={"progressToken": 1}), legacy):
        gate.go = anyio.Event()
        async with asking(app, **given) as one:
            await one.until(lambda it: it.status and sum(e.comment is not None for e in it.events) >= 3)
            assert one.headers["content-type"] == "text/event-stream"
            assert one.headers["cache-control"] == "no-cache, no-transform"
            assert one.headers["x-accel-buffering"] == "no"
            gate.go.set()
            await one.until(lambda it: b'"result"' in it.body)
        assert one.events[-1].message["result"]
    async with client.asking(method="GET") as stream:
        await stream.until_events(3)
        assert {event.comment for event in stream.events} == {"keep-alive"}


MEGABYTE = 1024 * 1024


@pytest.mark.parametrize("how", ["with its length", "in chunks"])
async def test_b132_a_body_beyond_the_limit_is_refused_before_it_is_read(how: str) -> None:
    app = make().asgi(max_body_bytes=MEGABYTE)
    chunks = [b" " * 65536] * 800  # 50 MB
    headers: dict[str, str | None] = {"Content-Length": str(65536 * 800)} if how == "with its length" else {}
    one = exchange(app, chunks=chunks, headers=headers)
    await one.run()
    assert one.status == 413
    assert '"maxBodyBytes"' in one.json["error"]["message"]
    assert one.headers["connection"] == "close"
    assert one.received == (0 if headers else 17)
    assert sessions_of(app) == 0
    big = initialize()
    big["params"]["clientInfo"]["title"] = "x" * 2 * MEGABYTE
    assert (await ask(app, big)).status == 413
    assert (await ask(make().asgi(max_body_bytes=None), big)).status == 200
    assert (await ask(make().asgi(), big)).status == 200
    lying = {"Content-Length": "9" * 30}
    assert (await ask(app, initialize(), headers=lying)).status == 413


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_b133_a_body_in_pieces_of_one_byte_costs_its_size() -> None:
    size = 250_000
    body = json.dumps(modern("tools/call", {"name": "echo", "arguments": {"a": "x" * size}})["body"]).encode()
    given = modern("tools/call", {"name": "echo"})
    sent: list[Any] = []
    place = 0

    async def receive() -> dict[str, Any]:
        nonlocal place
        place += 1
        return {"type": "http.request", "body": body[place - 1 : place], "more_body": place < len(body)}

    async def send(event: Any) -> None:
        sent.append(event)

    pairs = [("Host", "localhost"), ("Content-Type", "application/json"), *given["headers"].items()]
    app = make().asgi()
    await ask(app, **call("echo"))
    tracemalloc.start()
    try:
        await app(scope_of("POST", "/mcp", pairs), receive, send)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sent[0]["status"] == 200
    assert peak < 20 * size  # a list of so many bytes objects takes some 40 bytes for each, and more for the messages


async def test_b135_a_disconnect_or_a_delete_during_a_call_ends_well(caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate()
    app = make().tool("gate", {"run": gate.run}).asgi()
    client = await connect(app)
    async with client.asking(tool_call("gate")) as dropped:
        with anyio.fail_after(20):
            await gate.started.wait()
        dropped.disconnect()
        assert not gate.cancelled.is_set()
        gate.go.set()
        with anyio.fail_after(20):
            await gate.finished.wait()
    second = Gate()
    app = make().tool("gate", {"run": second.run}).asgi()
    client = await connect(app)
    async with client.asking(tool_call("gate")) as running:
        with anyio.fail_after(20):
            await second.started.wait()
            assert (await client.ask(method="DELETE")).status == 204
            await second.cancelled.wait()
            await running.until(lambda it: it.done or it.status) if not running.done else None
    assert (await (await connect(app)).call("echo")).status == 200
    assert caplog.text == ""
    assert isinstance(running, Exchange)
