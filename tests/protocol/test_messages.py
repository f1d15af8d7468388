"""The JSON-RPC envelope: what is answered, with which code and id, and what is ignored."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from picomcp_py import pico
from picomcp_py.jsonrpc import MAX_DEPTH
from tests.peer import EVERY, HANDSHAKE, MODERN, connected, envelope

pytestmark = pytest.mark.anyio

PARSE, REQUEST, METHOD, PARAMS = -32700, -32600, -32601, -32602
MISSING = object()


def server() -> Any:
    return pico({"name": "test", "version": "1"}).tool("echo", {"run": lambda: "ok", "thread": False})


def ping(id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "ping"}


async def answer(data: Any, revision: str = "2025-11-25", **options: Any) -> Any:
    """What one message is answered with: the first message after it, a ping's reply showing that none came."""
    async with connected(server(), revision, **options) as peer:
        before = len(peer.messages)
        peer.send(data)
        peer.send(ping("end"))
        await peer.reply("end")
        await anyio.wait_all_tasks_blocked()
        got = peer.messages[before:]
        others = [m for m in got if isinstance(m, list) or m.get("id") != "end"]
        assert len(others) <= 1
        assert len(got) == len(others) + 1, "alive"
        return others[0] if others else None


@pytest.mark.parametrize(
    ("data", "code", "id"),
    [
        (b"{not json}", PARSE, MISSING),
        (b"\xff\xfe", PARSE, MISSING),
        (b"", PARSE, MISSING),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"} x', PARSE, MISSING),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', PARSE, MISSING),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":', PARSE, MISSING),
        ({"hello": "world"}, REQUEST, MISSING),
        (42, REQUEST, MISSING),
        (None, REQUEST, MISSING),
        ("text", REQUEST, MISSING),
        (True, REQUEST, MISSING),
        ({"id": 99, "method": "ping"}, REQUEST, 99),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, REQUEST, 1),
        ({"jsonrpc": 2, "id": 1, "method": "ping"}, REQUEST, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, REQUEST, 1),
        ({"jsonrpc": "2.0", "id": 1}, REQUEST, 1),
        ({"jsonrpc": "2.0"}, REQUEST, MISSING),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, REQUEST, MISSING),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, REQUEST, MISSING),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, REQUEST, MISSING),
        ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, REQUEST, MISSING),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "text"}, PARAMS, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, PARAMS, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "totally/bogus"}, METHOD, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "prompts/list"}, METHOD, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, METHOD, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": ""}, METHOD, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "notifications/cancelled"}, METHOD, 1),
        ([], REQUEST, MISSING),
        ([ping(1), ping(2)], REQUEST, MISSING),
    ],
)
async def test_a_message_that_cannot_be_served(data: Any, code: int, id: Any) -> None:
    reply = await answer(data)
    assert reply["error"]["code"] == code
    assert reply["error"]["message"]
    assert reply.get("id", MISSING) == id
    assert "result" not in reply


@pytest.mark.parametrize(
    "data",
    [
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"},
        {"jsonrpc": "2.0", "method": "notifications/xyz"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": "nonsense"},
        {"jsonrpc": "2.0", "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        {"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12345}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": None}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12345, "reason": 5}},
    ],
)
@pytest.mark.parametrize("revision", ["2025-11-25", "2025-03-26"])
async def test_notifications_and_responses_are_never_answered(data: Any, revision: str) -> None:
    assert await answer(data, revision) is None


@pytest.mark.parametrize("id", ["1", "", 0, -3, 1, 9007199254740993, 2**70, "ä", "😀"])
@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_an_id_comes_back_as_it_was_sent(id: Any, revision: str) -> None:
    async with connected(server(), revision) as peer:
        reply = await peer.request("tools/call", {"name": "echo"}, id=id)
        assert reply["id"] == id
        assert type(reply["id"]) is type(id)


async def test_a_whole_number_id_written_as_a_float_is_an_integer() -> None:
    assert (await answer(b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}'))["id"] == 1


async def test_a_byte_order_mark_is_dropped() -> None:
    assert (await answer(b"\xef\xbb\xbf" + json.dumps(ping(5)).encode()))["result"] == {}


async def test_a_lone_surrogate_anywhere_costs_no_reply() -> None:
    data = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","x":"\\ud800"}}'
    assert (await answer(data))["result"]["content"][0]["text"] == "ok"
    reply = await answer(b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')
    assert reply["result"] == {}


@pytest.mark.parametrize("coerce", [False, True])
async def test_arguments_that_are_no_utf8_are_a_parse_error_with_the_id(coerce: bool) -> None:
    s = pico({"name": "t"}).tool("t", {"input": {"type": "object"}, "coerce": coerce, "run": lambda input: "ok"})
    async with connected(s, "2025-11-25") as peer:
        peer.send(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"a":"\xff"}}}')
        assert (await peer.reply(7))["error"]["code"] == PARSE


@pytest.mark.parametrize("depth", [MAX_DEPTH + 20, 1_000, 100_000])
async def test_nesting_beyond_the_limit_is_refused(depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    data = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":%b}}}' % deep
    reply = await answer(data)
    assert reply["error"]["code"] == REQUEST
    assert "nested deeper than" in reply["error"]["message"]
    assert reply.get("id", 1) == 1


async def test_a_deep_notification_is_dropped() -> None:
    deep = b"[" * 500 + b"]" * 500
    assert await answer(b'{"jsonrpc":"2.0","method":"notifications/x","params":{"x":%b}}' % deep) is None
    assert await answer(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"x":%b}}' % deep) is None


async def test_many_brackets_are_not_depth() -> None:
    wide = b"[" + b",".join([b'{"a":["[[[[",{}]}'] * 500) + b"]"
    data = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":%b}}}' % wide
    assert "result" in await answer(data)


async def test_unclosed_brackets_are_a_parse_error() -> None:
    assert (await answer(b"[" * 100_000))["error"]["code"] == PARSE
    assert (await answer(b"[" + b"{}," * 500))["error"]["code"] == PARSE


# ------------------------------------------------------------ handshake


@pytest.mark.parametrize("revision", HANDSHAKE)
async def test_a_served_revision_is_echoed(revision: str) -> None:
    async with connected(server(), revision) as peer:
        assert peer.messages[0]["result"]["protocolVersion"] == revision


@pytest.mark.parametrize("asked", ["2099-01-01", "1.12.0", "2026-07-28", ""])
async def test_another_revision_is_answered_with_the_newest_of_the_era(asked: str) -> None:
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    reply = await answer({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}, initialize=False)
    assert reply["result"] == {
        "protocolVersion": "2025-11-25",
        "capabilities": {"logging": {}, "tools": {"listChanged": True}},
        "serverInfo": {"name": "test", "version": "1"},
    }


@pytest.mark.parametrize("params", [None, {}, {"protocolVersion": 5}])
async def test_initialize_without_a_revision_is_invalid_params(params: Any) -> None:
    reply = await answer({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}, initialize=False)
    assert reply["error"]["code"] == PARAMS
    assert "protocolVersion" in reply["error"]["message"]


async def test_before_initialize_only_ping_is_served_and_then_all_is() -> None:
    async with connected(server(), "2025-11-25", initialize=False) as peer:
        reply = await peer.request("tools/call", {"name": "echo"})
        assert reply["error"]["code"] == REQUEST
        assert "send initialize first" in reply["error"]["message"]
        assert (await peer.request("ping"))["result"] == {}
        info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        assert (await peer.request("initialize", info))["result"]["protocolVersion"] == "2025-06-18"
        assert (await peer.request("tools/list"))["result"]["tools"], "before notifications/initialized"


async def test_set_level_takes_the_eight_levels() -> None:
    async with connected(server(), "2025-11-25") as peer:
        assert (await peer.request("logging/setLevel", {"level": "emergency"}))["result"] == {}
        reply = await peer.request("logging/setLevel", {"level": "loud"})
        assert reply["error"]["code"] == PARAMS
        assert "use one of debug, info, notice" in reply["error"]["message"]


# ------------------------------------------------------------ batches


async def test_a_batch_at_2025_03_26_is_answered_with_an_array() -> None:
    async with connected(server(), "2025-03-26") as peer:
        call = {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "echo"}}
        peer.send([ping(1), {"jsonrpc": "2.0", "method": "notifications/x"}, call, 5, [ping(3)]])
        replies = await peer.until(lambda m: isinstance(m, list))
        assert sorted((str(r.get("id")), r.get("error", {}).get("code", 0)) for r in replies) == [
            ("1", 0),
            ("None", REQUEST),
            ("None", REQUEST),
            ("c", 0),
        ]


async def test_a_batch_of_notifications_is_not_answered() -> None:
    assert await answer([{"jsonrpc": "2.0", "method": "notifications/x"}], "2025-03-26") is None


async def test_an_empty_batch_and_initialize_in_a_batch_are_refused() -> None:
    assert (await answer([], "2025-03-26"))["error"]["code"] == REQUEST
    reply = await answer([{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}], "2025-03-26")
    assert reply[0]["error"]["code"] == REQUEST


async def test_a_request_with_the_envelope_of_2026_07_28_is_refused_in_a_batch() -> None:
    """A listen in it would hold back the answers to the others for ever."""
    listen = modern("subscriptions/listen", notifications={"toolsListChanged": True})
    replies = await answer([listen, ping(2)], "2025-03-26")
    assert sorted((r["id"], r.get("error", {}).get("code", 0)) for r in replies) == [(1, REQUEST), (2, 0)]


# ------------------------------------------------------------ 2026-07-28


def modern(method: str, meta: Any = None, **params: Any) -> dict[str, Any]:
    meta = envelope() if meta is None else meta
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": meta, **params}}


VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
INFO = "io.modelcontextprotocol/clientInfo"
LEVEL = "io.modelcontextprotocol/logLevel"


@pytest.mark.parametrize(
    ("message", "code", "text"),
    [
        (modern("tools/list", {VERSION: MODERN}), PARAMS, CAPABILITIES),
        (modern("tools/list", {VERSION: MODERN, CAPABILITIES: 5}), PARAMS, "clientCapabilities"),
        (modern("tools/list", {VERSION: 5, CAPABILITIES: {}}), PARAMS, "protocolVersion"),
        (modern("tools/list", {VERSION: MODERN, CAPABILITIES: {}, LEVEL: "loud"}), PARAMS, "log level"),
        (modern("tools/list", {VERSION: "v999.0.0", CAPABILITIES: {}}), -32022, "Unsupported protocol version"),
        (modern("tools/list", {VERSION: "2025-06-18", CAPABILITIES: {}}), -32022, "Unsupported protocol version"),
        (modern("bogus", {VERSION: "v999.0.0", CAPABILITIES: {}}), -32022, "Unsupported protocol version"),
        (modern("bogus", {VERSION: "v999.0.0"}), PARAMS, CAPABILITIES),
        (modern("initialize"), METHOD, "initialize"),
        (modern("ping"), METHOD, "ping"),
        (modern("logging/setLevel"), METHOD, "logging/setLevel"),
        (modern("resources/subscribe"), METHOD, "resources/subscribe"),
        (modern("unknown/method"), METHOD, "unknown/method"),
        (modern("tools/call"), PARAMS, "name"),
        (modern("tools/call", name=5), PARAMS, "name"),
        (modern("tools/call", name="nope"), PARAMS, "Unknown tool: nope"),
        (modern("tools/call", name="Echo"), PARAMS, 'Unknown tool: Echo (did you mean "echo"?)'),
        (modern("tools/call", name="echo", arguments=[1]), PARAMS, "arguments must be an object"),
        (modern("tools/call", name="echo", arguments="{}"), PARAMS, "arguments must be an object"),
        (modern("tools/list", cursor="zzz"), PARAMS, "Invalid cursor"),
        (modern("tools/list", cursor=5), PARAMS, "cursor"),
        ({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}, PARAMS, VERSION),
    ],
)
async def test_the_first_failing_check_of_a_stateless_request_answers(message: Any, code: int, text: str) -> None:
    reply = await answer(message, MODERN)
    # the harness's own ping has no handshake here: its refusal is the sign of life
    assert reply["id"] == 1
    assert (reply["error"]["code"], text in reply["error"]["message"]) == (code, True), reply


async def test_an_unsupported_version_names_what_is_served() -> None:
    reply = await answer(modern("tools/list", {VERSION: "v999", CAPABILITIES: {}}), MODERN)
    assert reply["error"]["data"] == {"supported": [MODERN], "requested": "v999"}


async def test_discover() -> None:
    s = pico(
        {"name": "n", "version": "2", "title": "T", "instructions": "Do this.", "ttlMs": 5, "cacheScope": "public"}
    )
    async with connected(s) as peer:
        assert (await peer.request("server/discover"))["result"] == {
            "supportedVersions": [MODERN],
            "capabilities": {"logging": {}, "tools": {"listChanged": True}},
            "instructions": "Do this.",
            "resultType": "complete",
            "ttlMs": 5,
            "cacheScope": "public",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "n", "version": "2", "title": "T"}},
        }


async def test_both_eras_on_one_connection_message_by_message() -> None:
    async with connected(server(), "2025-06-18") as peer:
        old = await peer.request("tools/list")
        peer.send(modern("tools/list") | {"id": "new"})
        new = await peer.reply("new")
        assert "resultType" not in old["result"]
        assert new["result"]["resultType"] == "complete"
        assert (await peer.request("ping"))["result"] == {}


@pytest.mark.parametrize("revision", EVERY)
async def test_unknown_members_of_params_are_ignored_and_nulls_are_absent(revision: str) -> None:
    async with connected(server(), revision) as peer:
        result = await peer.call("echo", _meta={"vendor/x": "y", "progressToken": 1}, task={}, cursor=5)
        assert result["content"] == [{"type": "text", "text": "ok"}]
        assert (await peer.request("tools/list", {"cursor": None}))["result"]["tools"]
        reply = await peer.request("tools/call", {"name": "echo", "arguments": None})
        assert reply["result"]["content"][0]["text"] == "ok"


async def test_params_may_be_null_or_missing_in_the_handshake_era() -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert (await answer(message))["result"]["tools"]
    assert (await answer({**message, "params": None}))["result"]["tools"]
    assert (await answer({**message, "params": {"_meta": None}}))["result"]["tools"]
