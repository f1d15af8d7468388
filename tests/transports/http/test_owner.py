"""What outlives a request, with ASGI's lifespan and without: the server's lifespan, calls of the handshake era."""

from __future__ import annotations

import contextvars
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from picomcp_py import Server
from picomcp_py.transports.http import HttpApp
from tests.transports.http.driver import ask, asking, call, connect, initialize, tool_call
from tests.transports.http.servers import Gate, Lifespan, lifespan, make


@pytest.mark.anyio
async def test_the_lifespan_of_asgi_is_the_lifespan_of_the_server() -> None:
    log = Lifespan()
    app = make(lifespan=log).asgi()
    async with lifespan(app) as sent:
        assert log.log == ["begin"]
        for _ in range(3):
            assert (await ask(app, **call("state"))).json["result"]["content"][0]["text"] == "state"
    assert log.log == ["begin", "end"]
    assert [event["type"] for event in sent] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_without_it_the_first_request_begins_and_the_end_of_the_loop_ends(backend: str) -> None:
    log = Lifespan()
    server = make(lifespan=log)

    async def main() -> None:
        for app in (server, server.asgi(), server.asgi()):
            assert (await ask(app, **call("state"))).json["result"]["content"][0]["text"] == "state"
        assert (await server.call("state"))["content"][0]["text"] == "state"
        assert log.log == ["begin"]

    for _ in range(2):  # one loop after the other
        log.log.clear()
        anyio.run(main, backend=backend)
        assert log.log == ["begin", "end"]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_first_request_that_is_cancelled_takes_nothing_along(backend: str) -> None:
    entered: list[str] = []

    @asynccontextmanager
    async def slow(server: Server) -> AsyncIterator[str]:
        entered.append("begin")
        await go.wait()
        yield "state"
        entered.append("end")

    async def main() -> None:
        nonlocal go
        go = anyio.Event()
        app = make(lifespan=slow).asgi()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: ask(app, initialize()))
            with anyio.fail_after(20):
                while not entered:
                    await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
        go.set()
        client = await connect(app)
        assert (await client.call("state")).json["result"]["content"][0]["text"] == "state"
        assert entered == ["begin"]

    go: Any = None
    anyio.run(main, backend=backend)


@pytest.mark.anyio
async def test_calls_outlive_the_request_that_began_them_and_end_with_the_server() -> None:
    gate = Gate()
    app = make().tool("gate", {"run": gate.run}).asgi()
    async with lifespan(app):
        client = await connect(app)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: client.call("gate"))
            with anyio.fail_after(20):
                await gate.started.wait()
            tasks.cancel_scope.cancel()
        assert not gate.cancelled.is_set()
    assert gate.cancelled.is_set()


@pytest.mark.anyio
async def test_an_application_that_is_dropped_while_it_serves_goes_on() -> None:
    log = Lifespan()

    async def main() -> None:
        assert (await ask(make(lifespan=log).asgi(), **call("state"))).status == 200

    await main()
    for _ in range(3):
        gc.collect()
        await anyio.lowlevel.checkpoint()
    assert log.log == ["begin"]


@pytest.mark.anyio
async def test_the_last_lifespan_ends_it() -> None:
    log = Lifespan()
    server = make(lifespan=log)
    one, other = server.asgi(), server.asgi()
    async with lifespan(one):
        async with lifespan(other):
            pass
        assert log.log == ["begin"]
        assert (await ask(other, **call("state"))).status == 200
    assert log.log == ["begin", "end"]
    assert (await ask(other, **call("state"))).status == 200
    assert log.log == ["begin", "end", "begin"]


@pytest.mark.anyio
async def test_a_lifespan_that_fails_is_said_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    fails = [True, True, False]

    @asynccontextmanager
    async def shaky(server: Server) -> AsyncIterator[str]:
        if fails.pop(0):
            raise ConnectionError("no database: secret")
        yield "state"

    app = make(lifespan=shaky).asgi()
    async with lifespan(app) as sent:
        assert sent[0] == {"type": "lifespan.startup.failed", "message": "ConnectionError: no database: secret"}
    refused = await ask(app, **call("state"))
    assert (refused.status, refused.json["error"]["code"]) == (500, -32603)
    assert b"secret" not in refused.body
    assert "no database" in caplog.text
    assert (await ask(app, **call("state"))).status == 200


VAR: contextvars.ContextVar[str] = contextvars.ContextVar("VAR", default="none")


@pytest.mark.anyio
async def test_a_call_has_the_variables_of_its_request_and_the_lifespan_has_not() -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def look(server: Server) -> AsyncIterator[None]:
        seen.append(VAR.get())
        yield

    server = make(lifespan=look)
    server.tool("look", {"run": lambda: VAR.get(), "thread": False})
    inner = server.asgi()

    async def middleware(scope: Any, receive: Any, send: Any) -> None:
        VAR.set(dict(scope["headers"]).get(b"x-user", b"nobody").decode())
        await inner(scope, receive, send)

    first = await ask(middleware, **call("look", headers={"X-User": "ann"}))
    assert first.json["result"]["content"][0]["text"] == "ann"
    client = await connect(middleware)
    told = await client.ask(tool_call("look"), headers={"X-User": "bob"})
    assert told.json["result"]["content"][0]["text"] == "bob"
    assert seen == ["none"]


@pytest.mark.anyio
async def test_a_websocket_is_closed() -> None:
    sent: list[Any] = []

    async def send(event: Any) -> None:
        sent.append(event)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    await make().asgi()({"type": "websocket", "path": "/mcp"}, receive, send)
    assert [event["type"] for event in sent] == ["websocket.close"]


@pytest.mark.anyio
async def test_an_error_of_send_ends_its_request_alone(caplog: pytest.LogCaptureFixture) -> None:
    app = make().asgi()

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(event: Any) -> None:
        raise OSError("the client is gone")

    import json

    from tests.transports.http.driver import scope_of

    for given in (call("echo", {}), call("steps", meta={"progressToken": 1})):
        body = json.dumps(given["body"]).encode()
        pairs = [("Host", "localhost"), ("Content-Type", "application/json"), *given["headers"].items()]
        await app(scope_of("POST", "/mcp", pairs), receive, send)
    assert caplog.text == ""
    assert (await ask(app, **call("echo", {}))).status == 200


def paths() -> list[tuple[dict[str, Any], int]]:
    return [
        ({"path": "/mcp"}, 200),
        ({"path": "/mcp/"}, 200),
        ({"path": "/"}, 404),
        ({"path": "/mcpx"}, 404),
        ({"path": "/mcp/x"}, 404),
        ({"path": "/x/", "root_path": "/x"}, 200),
        ({"path": "/x", "root_path": "/x"}, 200),
        ({"path": "/x/mcp", "root_path": "/x"}, 200),
        ({"path": "/x/other", "root_path": "/x"}, 404),
        ({"path": "/xmcp", "root_path": "/x"}, 404),
    ]


@pytest.mark.anyio
@pytest.mark.parametrize(("given", "status"), paths())
async def test_the_endpoint_is_its_path_or_the_root_of_a_mount(given: dict[str, Any], status: int) -> None:
    answered = await ask(make(), **{**call("echo", {}), **given})
    assert answered.status == status
    other: HttpApp = make().asgi(path="/api/tools/")
    assert (await ask(other, **{**call("echo", {}), "path": "/api/tools"})).status == 200
    assert (await ask(other, **call("echo", {}))).status == 404


@pytest.mark.anyio
async def test_two_requests_at_once_begin_one_lifespan() -> None:
    log = Lifespan()
    app = make(lifespan=log).asgi()
    async with asking(app, **call("state")) as one, asking(app, initialize()) as other:
        await one.until(lambda it: it.status)
        await other.until(lambda it: it.status)
    assert log.log == ["begin"]
