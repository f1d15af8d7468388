"""A request that nothing is wrong with is opened in one pass; on the wire that is the same as the careful way."""

from __future__ import annotations

import base64
import gc
from typing import Any

import anyio
import pytest

from picomcp_py import Context, jsonrpc
from picomcp_py.running.backend import open_tasks
from picomcp_py.transports.http import app as app_module
from picomcp_py.transports.http import exchange as exchange_module
from tests.transports.http.driver import Exchange, ask, call, exchange, modern, request
from tests.transports.http.servers import Gate, make

pytestmark = pytest.mark.anyio

TOKEN = {"progressToken": "t"}
VERSION = "MCP-Protocol-Version"


def wrapped(name: str) -> str:
    return f"=?base64?{base64.b64encode(name.encode()).decode()}?="


def old(message: Any, revision: str | None = "2025-11-25", **headers: str) -> dict[str, Any]:
    return {"body": message, "headers": {VERSION: revision, **headers}}


STATELESS: dict[str, dict[str, Any]] = {
    "a call": call("echo", {"a": 1}),
    "a call with text": call("echo", {"a": "ü\u2028"}),
    "a stream": call("steps", meta=TOKEN),
    "an unknown tool": call("nope"),
    "a list": modern("tools/list"),
    "discover": modern("server/discover"),
    "what isn't offered": modern("prompts/list"),
    "a method of the other era": modern("ping"),
    "a name in base64": call("echo", {}, headers={"Mcp-Name": wrapped("echo")}),
    "another name in base64": call("echo", {}, headers={"Mcp-Name": wrapped("other")}),
    "a name with space": call("echo", {}, headers={"Mcp-Name": " echo\t"}),
    "a name that begins with space": modern("tools/call", {"name": " echo"}, headers={"Mcp-Name": " echo"}),
    "another name": call("echo", {}, headers={"Mcp-Name": "steps"}),
    "no name": call("echo", {}, headers={"Mcp-Name": None}),
    "an empty name and none": modern("tools/call", {"name": ""}, headers={"Mcp-Name": None}),
    "a long name": modern("tools/call", {"name": "x" * 2000}),
    "a name that isn't asked for": modern("tools/list", headers={"Mcp-Name": "ü"}),
    "another method": call("echo", {}, headers={"Mcp-Method": "tools/list"}),
    "no method": call("echo", {}, headers={"Mcp-Method": None}),
    "a revision with space": call("echo", {}, headers={VERSION: " 2026-07-28 "}),
    "another revision": call("echo", {}, headers={VERSION: "2025-11-25"}),
    "no revision": call("echo", {}, headers={VERSION: None}),
    "a log level": call("log", meta={"io.modelcontextprotocol/logLevel": "info"}),
    "an unknown log level": call("log", meta={"io.modelcontextprotocol/logLevel": "loud"}),
    "arguments that are a list": call("echo", []),
    "a progress token that is a float": call("steps", meta={"progressToken": 1.0}),
    "an id that is a float": modern("tools/list", id=1.0),
    "no id": modern("tools/list", id=None),
    "only a stream is taken": call("echo", {}, headers={"Accept": "text/event-stream"}),
    "only JSON is taken": call("steps", meta=TOKEN, headers={"Accept": "application/json"}),
}
HANDSHAKE: dict[str, dict[str, Any]] = {
    "a call": old(request("tools/call", {"name": "echo", "arguments": {"a": 1}})),
    "a stream": old(request("tools/call", {"name": "steps", "_meta": TOKEN})),
    "at another revision": old(request("tools/call", {"name": "echo"}), "2024-11-05"),
    "at none": old(request("tools/list"), None),
    "initialize": old(request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}})),
    "ping": old(request("ping")),
    "what needs a session": old(request("resources/subscribe", {"uri": "a://b"})),
    "a method of the other era": old(request("server/discover")),
    "params that are null": old({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None}),
    "a notification": old({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    "no envelope": old(request("tools/list"), "2026-07-28"),
}
ROWS = [
    *((f"{name}, {sessions=}", {"sessions": sessions}, row) for name, row in STATELESS.items() for sessions in (1, 0)),
    *((f"handshake era, {name}", {"sessions": False}, row) for name, row in HANDSHAKE.items()),
]


def seen(answered: Exchange) -> tuple[int, dict[str, str], bytes]:
    return answered.status, answered.headers, answered.body


@pytest.mark.parametrize(("options", "row"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
async def test_both_ways_answer_alike(
    options: dict[str, Any], row: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make().asgi({key: bool(value) for key, value in options.items()})
    quick = seen(await ask(app, **row))
    assert seen(await ask(app, **row)) == quick  # when the headers are known
    monkeypatch.setattr(app_module, "open_quickly", lambda data: None)
    assert seen(await ask(app, **row)) == quick


@pytest.mark.parametrize("row", [call("echo", {"a": 1}), call("steps", meta=TOKEN), modern("tools/list")])
async def test_a_good_request_is_opened_once(row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonrpc, "decode", None)
    assert (await ask(make().asgi(), **row)).reply["result"]


async def test_a_call_that_is_refused_by_its_headers_leaves_nothing_to_collect() -> None:
    app = make().asgi()
    given = call("region", {"region": "eu"}, headers={"Mcp-Param-Region": "us"})
    one = exchange(app, **given)
    gc.collect()
    gc.disable()
    try:
        gc.set_debug(gc.DEBUG_SAVEALL)
        await one.run()
        gc.collect()
        kinds = {type(found).__name__ for found in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert one.json["error"]["code"] == -32020
    assert not kinds & {"Post", "Call"}


async def test_a_stream_ends_when_the_task_of_its_request_is_cancelled() -> None:
    gate = Gate()
    server = make().tool("gate", {"run": gate.run_aloud})
    one = exchange(server.asgi(keep_alive_seconds=0.01), **call("gate", meta=TOKEN))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one.run)
        await one.until_events(1)
        await gate.started.wait()
        tasks.cancel_scope.cancel()
    assert gate.cancelled.is_set()
    sent = len(one.sent)
    with anyio.move_on_after(0.2):  # there were twenty keep-alives in this time
        await one.until(lambda one: len(one.sent) > sent + 1)
        raise AssertionError("the stream goes on")


async def test_a_handler_that_asks_the_application_itself_is_still_cancelled_from_outside() -> None:
    gate = Gate()
    server = make()
    app = server.asgi()

    @server.tool("gate")
    async def run(_: Any, ctx: Context) -> str:
        assert (await ask(app, **call("echo"))).status == 200
        return await gate.run(_, ctx)

    one = exchange(app, **call("gate"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one.run)
        await gate.started.wait()
        tasks.cancel_scope.cancel()
    assert gate.cancelled.is_set()
    assert not one.status


async def test_a_stream_that_never_began_is_not_waited_for() -> None:
    """On Python 3.11 a task that is cancelled before it begins runs none of its code."""
    sent: list[Any] = []

    async def respond(event: Any) -> None:
        sent.append(event)
        await anyio.lowlevel.checkpoint()

    events = exchange_module.Events(respond, None)
    async with open_tasks() as tasks:
        tasks.start(exchange_module._pump, events)
    with anyio.fail_after(20):
        await events.finish(b"{}")
