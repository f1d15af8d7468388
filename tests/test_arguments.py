"""What a call's arguments may be, beyond what a schema says: sizes, numbers, the lenient mode's limits."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from msgspec import Struct
from pydantic import BaseModel

from picomcp_py import ConfigError, Server, pico
from picomcp_py.jsontext import OutOfRange, decode_json
from tests.peer import connected, text_of


class Wide(Struct):
    n: int = 0
    a: Any = None
    rows: list[Any] | None = None


class Model(BaseModel):
    n: int = 0
    a: int = 0


DICT = {"type": "object", "properties": {"n": {"type": "integer"}, "rows": {"type": "array"}}}


def server(input: Any, **keys: Any) -> Server:
    return pico(name="x").tool("t", {"input": input, "run": lambda input: input, **keys})


async def call(s: Server, arguments: bytes) -> dict[str, Any]:
    """The reply to a call with these arguments, byte for byte."""
    async with connected(s, "2025-11-25") as peer:
        params = b'{"name":"t","arguments":' + arguments + b"}"
        peer.send(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":' + params + b"}")
        return await peer.reply(7)  # type: ignore[no-any-return]


# ------------------------------------------------------------ the lenient mode


def calls_made(s: Server) -> int:
    """Python functions called to check the arguments of the first tool once more."""
    tool = next(iter(s._app.tools))
    assert tool.check is not None
    count = 0

    def profile(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        tool.check(b'{"n":"5"}')
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("input", [DICT, Wide])
def test_a_lenient_call_costs_the_same_among_many_tools(input: Any) -> None:
    def loaded(tools: int) -> Server:
        s = pico(name="x", coerce=True)
        for n in range(tools):
            s.tool(f"t{n}", {"input": input, "run": print})
        for tool in s._app.tools:
            tool.check(b'{"n":"5"}')  # type: ignore[misc]  # there is one
        return s

    assert calls_made(loaded(300)) == calls_made(loaded(1))


@pytest.mark.parametrize("input", [Wide, DICT])
@pytest.mark.parametrize("depth", [130, 300, 5000])
@pytest.mark.anyio
async def test_text_in_the_lenient_mode_is_nested_no_deeper_than_a_message(input: Any, depth: int) -> None:
    rows = "[" * depth + "]" * depth
    answer = await server(input, coerce=True).call("t", {"rows": rows})
    assert answer["isError"]
    assert len(text_of(answer)) < 300


@pytest.mark.anyio
async def test_text_within_text_counts_together() -> None:
    inner = "[" * 70 + "]" * 70
    within = {"type": "object", "properties": {"rows": {"$ref": "#/$defs/R"}}, "$defs": {"R": {}}}
    within["$defs"]["R"] = {"type": "array", "items": {"$ref": "#/$defs/R"}}  # type: ignore[index]
    s = server(within, coerce=True)
    text = json.dumps(["x"]).replace('"x"', "[" * 70 + json.dumps(inner) + "]" * 70)
    assert "nested deeper than 128 levels" in text_of(await s.call("t", {"rows": text}))
    assert "isError" not in await s.call("t", {"rows": inner})


# ------------------------------------------------------------ numbers beyond the limits


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"9" * 5000])
@pytest.mark.parametrize("keys", [{}, {"coerce": True}])
@pytest.mark.parametrize("input", [Wide, DICT, Model])
@pytest.mark.anyio
async def test_a_number_beyond_the_limits_is_a_tool_error(input: Any, keys: Any, number: bytes) -> None:
    reply = await call(server(input, **keys), b'{"n":' + number + b"}")
    text = text_of(reply["result"])
    assert text.startswith('Invalid arguments for tool "t":\nn: Invalid input')
    assert len(text) < 300


@pytest.mark.parametrize("text", [b'{"n":1e999,}', b'{"n":1e999,"a":}', b'{"a":[1e999,' + b"9" * 5000 + b"]"])
def test_broken_json_behind_such_a_number_is_no_json(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"character|truncated|malformed") as caught:
        decode_json(text)
    assert not isinstance(caught.value, OutOfRange)


def test_the_place_of_such_a_number_is_told() -> None:
    with pytest.raises(OutOfRange) as caught:
        decode_json(b'{"a":"\\ud800","b":[1,{"c":-1e400}],"d":1e999}')
    assert caught.value.path == ("b", 1, "c")


# ------------------------------------------------------------ what was sent is not repeated at length


class Strict(Struct, forbid_unknown_fields=True):
    a: int = 0


class StrictModel(BaseModel, extra="forbid"):
    a: int = 0


LONG = "k" * 100_000


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        (dict[int, int], {"f": {LONG: 1}}),
        (dict[str, int], {"f": {LONG: "x"}}),
        (dict[str, dict[str, int]], {"f": {"a.b" + LONG: {LONG: "x"}}}),
        (Strict, {"f": {LONG: 1}}),
        (StrictModel, {"f": {LONG: 1}}),
        (int, {"f": LONG}),
    ],
)
@pytest.mark.anyio
async def test_a_long_key_is_not_echoed(field: Any, arguments: Any) -> None:
    if isinstance(field, type) and issubclass(field, BaseModel):
        holder: Any = type("Holder", (BaseModel,), {"__annotations__": {"f": field}})
    else:
        holder = type("Holder", (Struct,), {"__annotations__": {"f": field}})
    answer = await server(holder).call("t", arguments)
    assert answer["isError"]
    assert len(text_of(answer)) < 700


@pytest.mark.anyio
async def test_a_long_key_in_a_dict_schema_is_not_echoed() -> None:
    s = server({"type": "object", "additionalProperties": {"type": "integer"}})
    text = text_of(await s.call("t", {LONG: "x", "n": "y"}))
    assert len(text) < 400
    assert 'kkk…"]: Invalid input' in text
    assert "\nn: Invalid input: expected number, received string" in text


@pytest.mark.anyio
async def test_a_long_key_in_what_a_handler_returned_is_not_echoed() -> None:
    s = pico(name="x").tool("t", {"run": lambda: {LONG: [{LONG: object()}]}})
    assert len(text_of(await s.call("t"))) < 700


# ------------------------------------------------------------ tools without arguments


def test_an_empty_schema_is_no_schema_of_an_object() -> None:
    for empty in ({}, {"description": "nothing"}):
        with pytest.raises(ConfigError, match=r'^tool "t": "input": add "type": "object"'):
            server(empty)


@pytest.mark.anyio
async def test_a_tool_without_input_publishes_that_it_takes_nothing_and_tolerates_what_clients_add() -> None:
    s = pico(name="x").tool("t", {"run": lambda input: input})
    assert s.list_tools()[0]["inputSchema"] == {"type": "object", "properties": {}, "additionalProperties": False}
    assert text_of(await s.call("t", {"added": 1})) == "{}"
