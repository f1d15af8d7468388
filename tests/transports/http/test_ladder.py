"""The checks of a POST, row by row: what is wrong, and the status and code that answer it. The first fault wins."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.peer import MODERN, envelope
from tests.transports.http.driver import ask, call, exchange, initialize, modern, request
from tests.transports.http.servers import make

pytestmark = pytest.mark.anyio

PARSE, INVALID, METHOD, PARAMS = -32700, -32600, -32601, -32602
MISMATCH, CAPABILITY, VERSION = -32020, -32021, -32022

LIST = modern("tools/list")
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"


def meta(value: Any, **headers: str | None) -> dict[str, Any]:
    """tools/list with another `_meta`, and the headers of a good one."""
    usual: dict[str, str | None] = {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}
    return {"body": request("tools/list", {"_meta": value}), "headers": {**usual, **headers}}


def headers(**changed: str | None) -> dict[str, Any]:
    return modern("tools/list", headers={name.replace("_", "-"): value for name, value in changed.items()})


def named(value: str | None, name: str = "echo") -> dict[str, Any]:
    return call(name, {}, headers={"Mcp-Name": value})


LADDER: dict[str, tuple[dict[str, Any], int, int | None]] = {
    # before the body
    "another host": ({**LIST, "headers": {**LIST["headers"], "Host": "evil.test"}}, 421, INVALID),
    "another origin": ({**LIST, "headers": {**LIST["headers"], "Origin": "http://evil.test"}}, 403, INVALID),
    "another path": ({**LIST, "path": "/other"}, 404, None),
    "another method": ({**LIST, "method": "PUT"}, 405, None),
    "a GET": ({**LIST, "method": "GET", "body": None}, 405, None),
    "a DELETE": ({**LIST, "method": "DELETE", "body": None}, 405, None),
    "a form": ({**LIST, "headers": {**LIST["headers"], "Content-Type": "text/plain"}}, 415, INVALID),
    "a zipped body": ({**LIST, "headers": {**LIST["headers"], "Content-Encoding": "gzip"}}, 415, INVALID),
    "nothing accepted": ({**LIST, "headers": {**LIST["headers"], "Accept": "text/html"}}, 406, INVALID),
    "too many headers": (headers(**{f"X-{n}": "v" for n in range(130)}), 431, INVALID),
    "too long headers": (headers(X_Long="x" * 70_000), 431, INVALID),
    # the message
    "no JSON": ({**LIST, "body": b"{"}, 400, PARSE),
    "nothing": ({**LIST, "body": b""}, 400, PARSE),
    "not UTF-8": ({**LIST, "body": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}'}, 400, PARSE),
    "a number": ({**LIST, "body": b"1"}, 400, INVALID),
    "a batch": ({**LIST, "body": [LIST["body"]]}, 400, INVALID),
    "no version of JSON-RPC": ({**LIST, "body": {"id": 1, "method": "tools/list"}}, 400, INVALID),
    "a null id": ({**LIST, "body": {**LIST["body"], "id": None}}, 400, INVALID),
    "a response": ({**LIST, "body": {"jsonrpc": "2.0", "id": 1, "result": {}}}, 400, INVALID),
    # the envelope
    "no _meta": ({**meta(None), "body": request("tools/list", {})}, 400, PARAMS),
    "no params": ({**meta(None), "body": request("tools/list")}, 400, PARAMS),
    "a null _meta": (meta(None), 400, PARAMS),
    "_meta is no object": (meta(5), 400, PARAMS),
    "no revision": (meta({CAPABILITIES_KEY: {}}), 400, PARAMS),
    "a revision that is no string": (meta({VERSION_KEY: 5, CAPABILITIES_KEY: {}}), 400, PARAMS),
    "no capabilities": (meta({VERSION_KEY: MODERN}), 400, PARAMS),
    "capabilities that are no object": (meta({VERSION_KEY: MODERN, CAPABILITIES_KEY: []}), 400, PARAMS),
    "an unknown log level": (meta(envelope(**{"io.modelcontextprotocol/logLevel": "loud"})), 400, PARAMS),
    "no envelope for an unknown method": ({**meta(None), "body": request("nonsense", {})}, 400, PARAMS),
    # headers against body
    "no version header": (headers(MCP_Protocol_Version=None), 400, MISMATCH),
    "another version header": (headers(MCP_Protocol_Version="2025-11-25"), 400, MISMATCH),
    "an unknown version header": (headers(MCP_Protocol_Version="v999"), 400, MISMATCH),
    "no method header": (headers(Mcp_Method=None), 400, MISMATCH),
    "another method header": (headers(Mcp_Method="tools/call"), 400, MISMATCH),
    "a method header in capitals": (headers(Mcp_Method="TOOLS/LIST"), 400, MISMATCH),
    "no name header": (named(None), 400, MISMATCH),
    "another name header": (named("steps"), 400, MISMATCH),
    "a mismatch before the revision": (
        meta({VERSION_KEY: "v999", CAPABILITIES_KEY: {}}),
        400,
        MISMATCH,
    ),
    # the revision, the method, the tool's own headers, the params
    "an unknown revision": (
        meta({VERSION_KEY: "v999", CAPABILITIES_KEY: {}}, **{"MCP-Protocol-Version": "v999"}),
        400,
        VERSION,
    ),
    "a revision of the handshake era": (
        meta({VERSION_KEY: "2025-11-25", CAPABILITIES_KEY: {}}, **{"MCP-Protocol-Version": "2025-11-25"}),
        400,
        VERSION,
    ),
    "a removed method": (modern("ping"), 404, METHOD),
    "initialize": (modern("initialize", initialize()["params"]), 404, METHOD),
    "an unknown method": (modern("nonsense"), 404, METHOD),
    "no header for an argument": (call("region", {"region": "eu"}), 400, MISMATCH),
    "params of another shape": (modern("tools/call", {"name": 5}), 400, PARAMS),
    # what the handler says comes in a body that says it all
    "an unknown tool": (call("nobody"), 200, PARAMS),
    "an error of the handler": (call("error", {"code": -5}), 200, -5),
    "a missing capability": (call("error", {"code": CAPABILITY}), 400, CAPABILITY),
    "a method that a handler does not know": (call("error", {"code": METHOD}), 404, METHOD),
    # and what is right
    "a list": (LIST, 200, None),
    "a call": (call("echo", {"a": 1}), 200, None),
    "a call without arguments": (call("echo"), 200, None),
    "spaces around header values": (headers(Mcp_Method=" tools/list\t"), 200, None),
    "a session id": (headers(Mcp_Session_Id="gone"), 200, None),
    "an encoded name": (named("=?base64?ZWNobw==?="), 200, None),
    "a tool error": (call("crash"), 200, None),
}


@pytest.mark.parametrize("row", LADDER)
async def test_each_fault_has_its_status_and_code(row: str) -> None:
    given, status, code = LADDER[row]
    answered = await ask(make().asgi(), **given)
    assert answered.status == status, answered.body
    if code is not None:
        assert answered.json["error"]["code"] == code, answered.body
    elif status == 200:
        assert "result" in answered.json
    else:
        assert answered.body == b""
    assert b"null" not in answered.body
    assert "mcp-session-id" not in answered.headers
    id = given["body"].get("id") if isinstance(given["body"], dict) else None
    if status == 200 or (code is not None and code not in (PARSE, INVALID)):
        assert answered.json["id"] == id


ERAS: dict[str, tuple[Any, dict[str, str | None], int, int | None]] = {
    # body, headers -> status, code
    "initialize": (initialize(), {}, 200, None),
    "initialize with a header of its era": (initialize(), {"MCP-Protocol-Version": "2025-11-25"}, 200, None),
    "initialize with the modern header": (initialize(), {"MCP-Protocol-Version": MODERN}, 400, PARAMS),
    "initialize for an unknown revision": (initialize("1999-01-01"), {}, 200, None),
    "a request without a session": (request("tools/list"), {}, 400, INVALID),
    "a request with an unknown session": (request("tools/list"), {"Mcp-Session-Id": "x"}, 404, INVALID),
    "an unknown version": (request("tools/list"), {"MCP-Protocol-Version": "1900-01-01"}, 400, PARAMS),
    "an envelope alone": (LIST["body"], {}, 400, MISMATCH),
    "an envelope in a session": (LIST["body"], {"Mcp-Session-Id": "x"}, 400, MISMATCH),
    "a batch": ([request("ping")], {}, 400, INVALID),
    "a batch with the modern header": ([request("ping")], {"MCP-Protocol-Version": MODERN}, 400, INVALID),
    "an empty batch": ([], {}, 400, INVALID),
    "a response without a session": ({"jsonrpc": "2.0", "id": 1, "result": {}}, {}, 400, INVALID),
    "a modern notification": (
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"MCP-Protocol-Version": MODERN},
        202,
        None,
    ),
    "an enveloped notification": ({"jsonrpc": "2.0", "method": "any", "params": {"_meta": envelope()}}, {}, 202, None),
    "a notification of no revision": (
        {"jsonrpc": "2.0", "method": "any"},
        {"MCP-Protocol-Version": "v9"},
        400,
        VERSION,
    ),
    "a notification without a session": ({"jsonrpc": "2.0", "method": "any"}, {}, 400, INVALID),
}


@pytest.mark.parametrize("row", ERAS)
async def test_each_message_goes_to_its_era(row: str) -> None:
    body, given, status, code = ERAS[row]
    app = make().asgi()
    answered = await ask(app, body, headers=given)
    assert answered.status == status, answered.body
    if code is not None:
        assert answered.json["error"]["code"] == code
        assert sessions_of(app) == 0
    elif status == 200:
        assert answered.json["result"]["protocolVersion"] == "2025-11-25"
        assert sessions_of(app) == 1


def sessions_of(app: Any) -> int:
    return sum(len(place.sessions) for place in app._places.values())


async def test_the_error_for_an_unknown_revision_names_those_that_are_served() -> None:
    given = meta({VERSION_KEY: "v999", CAPABILITIES_KEY: {}}, **{"MCP-Protocol-Version": "v999"})
    error = (await ask(make().asgi(), **given)).json["error"]
    assert error["data"] == {"supported": [MODERN], "requested": "v999"}


REGION: dict[str, tuple[Any, dict[str, str], bool]] = {
    "equal": ({"region": "eu"}, {"Mcp-Param-Region": "eu"}, True),
    "encoded": ({"region": "Köln"}, {"Mcp-Param-Region": "=?base64?S8O2bG4=?="}, True),
    "another": ({"region": "eu"}, {"Mcp-Param-Region": "us"}, False),
    "missing": ({"region": "eu"}, {}, False),
    "without an argument": ({}, {"Mcp-Param-Region": "eu"}, False),
    "neither": ({}, {}, True),
    "null": ({"region": None}, {}, True),
    "broken base64": ({"region": "Hello"}, {"Mcp-Param-Region": "=?base64?SGVs!!!bG8=?="}, False),
    "no padding": ({"region": "Hello"}, {"Mcp-Param-Region": "=?base64?SGVsbG8?="}, False),
    "bits beyond the end": ({"region": "Hello"}, {"Mcp-Param-Region": "=?base64?SGVsbG9=?="}, False),
    "not UTF-8": ({"region": "\xff"}, {"Mcp-Param-Region": "=?base64?/w==?="}, False),
    "a prefix alone is a value": ({"region": "=?base64?eu"}, {"Mcp-Param-Region": "=?base64?eu"}, True),
    "an integer": ({"zone": {"number": 42}}, {"Mcp-Param-Zone": "42"}, True),
    "an integer as a decimal": ({"zone": {"number": 42}}, {"Mcp-Param-Zone": "42.0"}, True),
    "a decimal as an integer": ({"zone": {"number": 42.0}}, {"Mcp-Param-Zone": "42"}, True),
    "another integer": ({"zone": {"number": 42}}, {"Mcp-Param-Zone": "43"}, False),
    "an integer as Python writes it": ({"zone": {"number": 42}}, {"Mcp-Param-Zone": "4_2"}, False),
    "a boolean": ({"fast": True}, {"Mcp-Param-Fast": "true"}, True),
    "another boolean": ({"fast": True}, {"Mcp-Param-Fast": "True"}, False),
    "all": (
        {"region": "eu", "zone": {"number": 1}, "fast": False},
        {"mcp-param-region": "eu", "MCP-PARAM-ZONE": "1", "Mcp-Param-Fast": "false"},
        True,
    ),
}


@pytest.mark.parametrize("row", REGION)
async def test_arguments_are_repeated_in_headers(row: str) -> None:
    arguments, given, good = REGION[row]
    answered = await ask(make().asgi(), **call("region", arguments, headers=dict(given)))
    if good:
        assert answered.status == 200
        assert "result" in answered.json, answered.json
    else:
        assert (answered.status, answered.json["error"]["code"]) == (400, MISMATCH)


@pytest.mark.parametrize("name", ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Param-Region"])
async def test_a_routing_header_that_is_there_twice_is_a_mismatch(name: str) -> None:
    given = call("region", {"region": "eu"})
    pairs = [*given["headers"].items(), ("Mcp-Param-Region", "eu")]
    pairs.append((name, dict(pairs)[name]))
    answered = await ask(make().asgi(), given["body"], headers=pairs)
    assert (answered.status, answered.json["error"]["code"], answered.json["id"]) == (400, MISMATCH, 1)


@pytest.mark.parametrize("name", ["Host", "Origin", "Mcp-Session-Id", "Content-Type"])
async def test_a_header_that_decides_before_the_body_may_be_there_once(name: str) -> None:
    values = {"Host": "127.0.0.1:3000", "Origin": "http://localhost", "Content-Type": "application/json"}
    value = values.get(name, "x")
    usual = 1 if name in ("Host", "Content-Type") else 2
    answered = await ask(make().asgi(), request("ping"), headers=[(name, value)] * usual)
    assert (answered.status, answered.json["error"]["code"]) == (400, INVALID)


async def test_an_id_goes_back_with_its_type() -> None:
    app = make().asgi()
    for id in (1, "1", 0, "", 2**53):
        assert json.dumps((await ask(app, **modern("tools/list", id=id))).json["id"]) == json.dumps(id)


async def test_the_body_is_not_read_before_what_comes_first_is_right() -> None:
    for changed in ({"Host": "evil.test"}, {"Content-Type": "text/plain"}, {"Accept": "text/html"}):
        one = exchange(make().asgi(), LIST["body"], headers={**LIST["headers"], **changed})
        await one.run()
        assert one.received == 0
