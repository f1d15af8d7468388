"""Section C, arguments: the same for the three kinds of schema, in both eras."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct, to_builtins
from pydantic import BaseModel, ConfigDict

from picomcp_py import McpError, pico
from tests.peer import MODERN, connected, text_of

pytestmark = pytest.mark.anyio
KINDS = ("dict", "msgspec", "pydantic")
by_kind = pytest.mark.parametrize("kind", KINDS)


def plain(value: Any) -> Any:
    return value.model_dump() if isinstance(value, BaseModel) else to_builtins(value)


def server(source: Any, **options: Any) -> Any:
    """A tool "t" that gives back what it got, and keeps it in `t.seen`."""
    seen: list[Any] = []

    def run(input: Any) -> Any:
        seen.append(input)
        return plain(input)

    s = pico({"name": "test"}).tool("t", {"input": source, "run": run, **options})
    s.seen = seen
    return s


async def refused(s: Any, arguments: Any) -> str:
    got = await s.call("t", arguments)
    assert got["isError"] is True
    assert s.seen == []
    return text_of(got)


def nothing(kind: str) -> Any:
    class Nothing(Struct):
        pass

    class NoModel(BaseModel):
        pass

    return {"dict": {"type": "object"}, "msgspec": Nothing, "pydantic": NoModel}[kind]


class OptionalStruct(Struct):
    limit: int = 10
    tags: list[str] = []


class OptionalModel(BaseModel):
    limit: int = 10
    tags: list[str] = []


OPTIONAL = {
    "dict": {
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "default": 10},
            "tags": {"type": "array", "items": {"type": "string"}, "default": []},
        },
    },
    "msgspec": OptionalStruct,
    "pydantic": OptionalModel,
}


class AllStruct(Struct):
    s: str
    n: int
    b: bool
    l: list[int]  # noqa: E741  the report's own name


class AllModel(BaseModel):
    s: str
    n: int
    b: bool
    l: list[int]  # noqa: E741  the report's own name


ALL = {
    "dict": {
        "type": "object",
        "properties": {
            "s": {"type": "string"},
            "n": {"type": "integer"},
            "b": {"type": "boolean"},
            "l": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["s", "n", "b", "l"],
    },
    "msgspec": AllStruct,
    "pydantic": AllModel,
}


class Node(Struct):
    k: int


class NodeStruct(Struct):
    node: Node


class NodeModel(BaseModel):
    class Inner(BaseModel):
        k: int

    node: Inner


NODES = {
    "dict": {
        "type": "object",
        "properties": {"node": {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]}},
        "required": ["node"],
    },
    "msgspec": NodeStruct,
    "pydantic": NodeModel,
}


class StrictStruct(Struct, forbid_unknown_fields=True):
    maxDepth: int = 2


class StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid")
    maxDepth: int = 2


STRICT = {
    "dict": {
        "type": "object",
        "properties": {"maxDepth": {"type": "integer", "default": 2}},
        "additionalProperties": False,
    },
    "msgspec": StrictStruct,
    "pydantic": StrictModel,
}


@by_kind
@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_b42_missing_arguments_are_an_empty_object(kind: str, revision: str) -> None:
    s = pico({"name": "test"}).tool("none", {"run": lambda input: str(input)})
    s.tool("open", {"input": nothing(kind), "run": lambda input: str(plain(input))})
    s.tool("optional", {"input": OPTIONAL[kind], "run": lambda input: plain(input)["limit"]})
    s.tool("required", {"input": NODES[kind], "run": lambda input: "never"})
    async with connected(s, revision) as peer:
        for given in ({}, {"arguments": None}, {"arguments": {}}):
            assert text_of(await peer.call("none", **given)) == "{}"
            assert text_of(await peer.call("open", **given)) == "{}"
            assert text_of(await peer.call("optional", **given)) == "10"
            got = await peer.call("required", **given)
            assert got["isError"] is True
            assert text_of(got) == (
                'Invalid arguments for tool "required":\nnode: Invalid input: expected object, received undefined'
            )


@by_kind
async def test_b44_an_object_as_json_text_is_told_at_its_key_and_read_only_in_the_lenient_mode(kind: str) -> None:
    told = await refused(server(NODES[kind]), {"node": '{"k":1}'})
    assert told == 'Invalid arguments for tool "t":\nnode: Invalid input: expected object, received string'
    s = server(NODES[kind], coerce=True)
    assert (await s.call("t", {"node": '{"k":1}'}))["structuredContent"] == {"node": {"k": 1}}


@by_kind
@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("text", ['{"a":1}', "12345", "true", "null", "[1]", " 5 ", "1e3", ""])
async def test_b45_text_stays_text(kind: str, lenient: bool, text: str) -> None:
    class Text(Struct):
        p: str

    class TextModel(BaseModel):
        p: str

    document = {"type": "object", "properties": {"p": {"type": "string"}}}
    s = server({"dict": document, "msgspec": Text, "pydantic": TextModel}[kind], coerce=lenient)
    await s.call("t", {"p": text})
    (seen,) = s.seen
    assert type(plain(seen)["p"]) is str
    assert plain(seen)["p"] == text


@by_kind
async def test_b47_numbers_and_booleans_as_text(kind: str) -> None:
    good = {"s": "", "n": 1, "b": True, "l": []}
    assert await refused(server(ALL[kind]), {**good, "n": "5", "b": "false"}) == (
        'Invalid arguments for tool "t":\n'
        "n: Invalid input: expected number, received string\n"
        "b: Invalid input: expected boolean, received string"
    )
    s = server(ALL[kind], coerce=True)
    await s.call("t", {**good, "n": "5", "b": "false", "l": "[1]"})
    assert plain(s.seen.pop()) == {"s": "", "n": 5, "b": False, "l": [1]}
    for text in ("0x10", "1,000", " 5 ", "", "5.5", "true"):
        assert "n: Invalid input" in await refused(s, {**good, "n": text})
    for text in ("yes", "0", "False", ""):
        assert "b: Invalid input" in await refused(s, {**good, "b": text})


@by_kind
async def test_b50_defaults_are_applied_and_fresh_on_each_call(kind: str) -> None:
    def run(input: Any) -> Any:
        tags = input["tags"] if isinstance(input, dict) else input.tags
        tags.append("mine")
        return plain(input)

    s = pico({"name": "test"}).tool("t", {"input": OPTIONAL[kind], "run": run})
    for _ in range(2):
        assert (await s.call("t"))["structuredContent"] == {"limit": 10, "tags": ["mine"]}
    assert s.list_tools()[0]["inputSchema"]["properties"]["tags"]["default"] == []


@by_kind
async def test_b51_null_is_taken_where_the_schema_says_so(kind: str) -> None:
    class Text(Struct):
        q: str = ""

    class TextModel(BaseModel):
        q: str = ""

    class Null(Struct):
        q: str | None = None

    class NullModel(BaseModel):
        q: str | None = None

    text = {"type": "object", "properties": {"q": {"type": "string"}}}
    null = {"type": "object", "properties": {"q": {"type": ["string", "null"]}}}
    s = server({"dict": text, "msgspec": Text, "pydantic": TextModel}[kind])
    assert await refused(s, {"q": None}) == (
        'Invalid arguments for tool "t":\nq: Invalid input: expected string, received null'
    )
    s = server({"dict": null, "msgspec": Null, "pydantic": NullModel}[kind])
    assert (await s.call("t", {"q": None}))["structuredContent"] == {"q": None}


@by_kind
async def test_b52_empty_values_arrive(kind: str) -> None:
    s = server(ALL[kind])
    empty = {"s": "", "n": 0, "b": False, "l": []}
    await s.call("t", empty)
    assert repr(plain(s.seen[0])) == repr(empty)


@by_kind
async def test_b53_a_misspelled_argument_is_refused_with_the_right_name(kind: str) -> None:
    s = server(STRICT[kind])
    assert await refused(s, {"depth": 1}) == (
        'Invalid arguments for tool "t":\ndepth: Unrecognized key: "depth", did you mean "maxDepth"?'
    )
    assert s.list_tools()[0]["inputSchema"]["additionalProperties"] is False


@by_kind
async def test_b54_members_of_a_clients_own_are_let_in_unless_forbidden(kind: str) -> None:
    s = server(OPTIONAL[kind])
    got = await s.call("t", {"limit": 1, "sessionId": "x", "toolCallId": "y"})
    assert got["structuredContent"].items() >= {"limit": 1, "tags": []}.items()
    # A dict schema's handler gets them; a type has no place for them.
    assert ("sessionId" in got["structuredContent"]) == (kind == "dict")


@by_kind
@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25", MODERN])
async def test_b55_invalid_arguments_are_a_tool_error(kind: str, revision: str) -> None:
    async with connected(server(NODES[kind]), revision) as peer:
        for arguments in ({"node": "x"}, {}):
            got = await peer.call("t", arguments)
            assert got["isError"] is True
            assert text_of(got).startswith('Invalid arguments for tool "t":\nnode: ')


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_b56_an_unknown_tool_is_a_protocol_error_that_names_it(revision: str) -> None:
    s = server({"type": "object"})
    async with connected(s, revision) as peer:
        for params, named in (({"name": "nope"}, "nope"), ({"name": "T"}, "T"), ({}, "name"), ({"name": 5}, "name")):
            reply = await peer.request("tools/call", params)
            assert reply["error"]["code"] == -32602
            assert named in reply["error"]["message"]
            assert "result" not in reply
    with pytest.raises(McpError, match="Unknown tool: nope"):
        await s.call("nope")


@by_kind
@pytest.mark.parametrize("number", [9007199254740993, 2512292042121000001, -(2**63), 10**25])
@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_b58_integers_keep_every_digit(kind: str, number: int, revision: str) -> None:
    class Id(Struct):
        id: int

    class IdModel(BaseModel):
        id: int

    document = {"type": "object", "properties": {"id": {"type": "integer"}}}
    s = server({"dict": document, "msgspec": Id, "pydantic": IdModel}[kind])
    async with connected(s, revision) as peer:
        got = await peer.call("t", {"id": number})
        assert plain(s.seen[0])["id"] == number
        assert got["structuredContent"] == {"id": number}
        assert text_of(got) == f'{{"id":{number}}}'
        assert b'"structuredContent":{"id":%d}' % number in peer.raw[-1]
