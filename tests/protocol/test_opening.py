"""Opening a request in one pass gives what the careful way gives, or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picomcp_py import jsonrpc
from picomcp_py.jsonrpc import MAX_DEPTH, Message, is_request
from picomcp_py.protocol.inbound import open_quickly, open_request
from picomcp_py.protocol.methods import METHODS, Params

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
FEATURES = {row.needs for row in METHODS.values()}
LEVEL = "io.modelcontextprotocol/logLevel"
PARAMS: dict[str, dict[str, Any]] = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
    "logging/setLevel": {"level": "info"},
    "subscriptions/listen": {"notifications": {"toolsListChanged": True}},
    "tools/call": {"name": "add", "arguments": {"a": 1, "b": "ü"}},
    "prompts/get": {"name": "p"},
    "resources/read": {"uri": "note://1"},
    "resources/subscribe": {"uri": "note://1"},
    "resources/unsubscribe": {"uri": "note://1"},
    "completion/complete": {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}},
}
ERAS = [
    (method, stateless)
    for method, row in METHODS.items()
    for stateless in (False, True)
    if (row.stateless if stateless else row.handshake)
]


def message(method: str, stateless: bool, **meta: Any) -> dict[str, Any]:
    params = dict(PARAMS.get(method, {}))
    meta = {**ENVELOPE, **meta} if stateless else meta
    if meta:
        params["_meta"] = meta
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def carefully(data: bytes) -> tuple[Any, Params] | None:
    """The message and its params, if it is a request that may be served."""
    found = jsonrpc.decode(data)
    if not isinstance(found, Message) or not is_request(found):
        return None
    params = open_request(found, FEATURES)
    return (found, params) if isinstance(params, Params) else None


def check(data: bytes) -> bool:
    """Whether it was opened quickly; if so, everything is as the careful way has it."""
    request = open_quickly(data)
    if request is None:
        return False
    careful = carefully(data)
    assert careful is not None, data
    found, params = careful
    assert (request.id, request.method, request.params) == (found.id, found.method, params)
    assert type(request.params) is type(params)
    assert bytes(request.meta_text()) == bytes(found.meta_text())
    return True


@pytest.mark.parametrize(("method", "stateless"), ERAS)
def test_every_method_is_opened_in_one_pass(method: str, stateless: bool) -> None:
    assert check(json.dumps(message(method, stateless)).encode())
    assert check(json.dumps(message(method, stateless, progressToken=3, other=[1]), ensure_ascii=False).encode())
    assert check(json.dumps(message(method, stateless, **{LEVEL: "info"})).encode())
    turned = dict(reversed(message(method, stateless).items()))
    assert check(json.dumps(turned).encode())


GOOD = message("tools/call", True)


def changed(**members: Any) -> dict[str, Any]:
    return {**GOOD, **members}


DEEP: Any = 1
for _ in range(MAX_DEPTH + 1):
    DEEP = [DEEP]

NOT_QUICK: dict[str, dict[str, Any] | bytes] = {
    "a notification": {"jsonrpc": "2.0", "method": "notifications/initialized"},
    "a response": {"jsonrpc": "2.0", "id": 1, "result": {}},
    "a batch": b"[]",
    "broken": b'{"jsonrpc": "2.0", "id": 1, "method": "ping"',
    "a method that isn't known": changed(method="tools/fly"),
    "a method of the other era": message("ping", True),
    "another version of JSON-RPC": changed(jsonrpc="1.0"),
    "an id that is null": changed(id=None),
    "params that don't fit": changed(params={"name": 5}),
    "a revision that isn't served": message("tools/list", True, **{next(iter(ENVELOPE)): "2027-01-01"}),
    "no capabilities": changed(params={"name": "add", "_meta": {next(iter(ENVELOPE)): "2026-07-28"}}),
    "an unknown log level": message("tools/list", True, **{LEVEL: "loud"}),
    "nested too deeply": changed(params={"name": "add", "arguments": {"a": DEEP}}),
    "no UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":"\xff"}}}',
}


@pytest.mark.parametrize("name", NOT_QUICK)
def test_all_else_is_left_to_the_careful_way(name: str) -> None:
    given = NOT_QUICK[name]
    assert not check(given if isinstance(given, bytes) else json.dumps(given).encode())


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, 0, 1, 1.0, 2**70, -1, "", "x", "2026-07-28", "2025-11-25", "ping", [], {}, {"a": 1}, True]
)
KEYS = st.sampled_from(
    [
        "jsonrpc",
        "id",
        "method",
        "params",
        "text",
        "result",
        "error",
        "name",
        "arguments",
        "cursor",
        "_meta",
        LEVEL,
        *ENVELOPE,
    ]
)
MEMBERS = st.lists(st.tuples(KEYS, VALUES), max_size=3)


def written(members: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{json.dumps(key)}:{text}" for key, text in members) + "}"


def pairs(value: dict[str, Any], more: list[tuple[str, Any]], *, first: bool) -> list[tuple[str, str]]:
    """Members as JSON text, with more at one end: some are there twice then."""
    own = [(key, json.dumps(member)) for key, member in value.items()]
    others = [(key, json.dumps(member)) for key, member in more]
    return others + own if first else own + others


@settings(deadline=None)
@given(st.sampled_from(ERAS), MEMBERS, MEMBERS, MEMBERS, st.booleans())
def test_whatever_is_in_a_message(
    era: tuple[str, bool],
    top: list[tuple[str, Any]],
    params: list[tuple[str, Any]],
    meta: list[tuple[str, Any]],
    first: bool,
) -> None:
    whole = message(*era)
    inner = whole.pop("params")
    own_meta = inner.pop("_meta", {})
    meta_text = written(pairs(own_meta, meta, first=first))
    params_text = written([*pairs(inner, params, first=first), ("_meta", meta_text)])
    check(written([*pairs(whole, top, first=first), ("params", params_text)]).encode())
