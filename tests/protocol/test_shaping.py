"""Entries and results as each revision wants them, made from one form that never changes."""

from __future__ import annotations

import copy
import json
from typing import Any

import jsonschema
import pytest
from msgspec import Raw

from picomcp_py import CallResult, pico, result
from picomcp_py.protocol.shaping import wrap_schema
from tests.peer import EVERY, MODERN, connected

DRAFT = "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(
    "schema",
    [
        {"$schema": DRAFT, "type": "array", "items": {"type": "integer"}},
        {"$schema": DRAFT, "$id": "https://example.com/s", "type": "array", "items": {"type": "integer"}},
    ],
)
@pytest.mark.anyio
async def test_a_list_for_an_old_revision_leaves_the_next_one_as_it_was(schema: dict[str, Any]) -> None:
    s = pico(name="x").tool("t", {"output": copy.deepcopy(schema), "run": lambda: [1]})
    for revision in ["2025-11-25", MODERN, "2025-11-25", MODERN]:
        async with connected(s, revision) as peer:
            (entry,) = (await peer.request("tools/list"))["result"]["tools"]
        if revision == MODERN:
            assert entry["outputSchema"] == schema
        else:
            assert entry["outputSchema"]["$schema"] == DRAFT
            assert "$schema" not in entry["outputSchema"]["properties"]["result"]
    assert s.list_tools()[0]["outputSchema"] == schema


NAMES = ("default", "const", "enum", "examples", "$id", "$ref", "properties")
INTEGER = {"$defs": {"N": {"type": "integer"}}}


def holds(schema: dict[str, Any], value: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid({"result": value}))


@pytest.mark.parametrize("name", NAMES)
def test_a_property_may_have_the_name_of_a_keyword(name: str) -> None:
    schema = {**INTEGER, "type": ["object", "null"], "properties": {name: {"$ref": "#/$defs/N"}}}
    wrapped = wrap_schema(schema)
    assert holds(wrapped, {name: 1})
    assert not holds(wrapped, {name: "x"})


@pytest.mark.parametrize(
    "schema",
    [
        {**INTEGER, "items": {"$ref": "#/$defs/N"}},
        {**INTEGER, "prefixItems": [{"anyOf": [{"$ref": "#/$defs/N"}]}]},
        {"other": {"N": {"$ref": "#/other/M"}, "M": {"type": "integer"}}, "items": {"$ref": "#/other/N"}},
        {"items": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}, "type": "array"},
        {"$id": "https://example.com/s", **INTEGER, "items": {"$ref": "#/$defs/N"}},
        {"items": {"$id": "https://example.com/s", **INTEGER, "$ref": "#/$defs/N"}},
    ],
)
def test_references_keep_pointing_at_what_they_did(schema: dict[str, Any]) -> None:
    before = copy.deepcopy(schema)
    wrapped = wrap_schema(schema)
    assert schema == before
    assert holds(wrapped, [1])
    assert not holds(wrapped, ["x"])


def test_data_that_looks_like_a_reference_stays() -> None:
    data = {"$ref": "#/$defs/N"}
    schema = {"items": {"default": data, "const": data, "enum": [data], "examples": [data]}}
    assert wrap_schema(schema)["properties"]["result"] == schema


# ------------------------------------------------------------ results


@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.anyio
async def test_meta_given_as_raw_json_is_sent(revision: str) -> None:
    s = pico(name="x").tool("t", {"run": lambda: {"content": [], "_meta": Raw(b'{"mine": 1}')}})
    async with connected(s, revision) as peer:
        assert (await peer.call("t"))["_meta"]["mine"] == 1


@pytest.mark.parametrize("raw", [b"[1]", b"}{", b'{"a":'])
@pytest.mark.anyio
async def test_raw_meta_that_is_no_object_is_refused(raw: bytes) -> None:
    answer = await pico(name="x").tool("t", {"run": lambda: {"content": [], "_meta": Raw(raw)}}).call("t")
    assert answer["isError"]
    assert "_meta" in answer["content"][0]["text"]


@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.anyio
async def test_result_type_is_of_its_revision_whatever_the_handler_says(revision: str) -> None:
    def run() -> CallResult:
        made = result("hi")
        made.resultType = "mine"
        return made

    async with connected(pico(name="x").tool("t", {"run": run}), revision) as peer:
        answer = await peer.call("t")
    assert answer.get("resultType") == ("complete" if revision == MODERN else None)


# ------------------------------------------------------------ what a client made up is not repeated at length


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
@pytest.mark.parametrize("params", [{}, {"_meta": {"progressToken": []}}])
@pytest.mark.anyio
async def test_a_long_method_is_not_echoed(revision: str, params: dict[str, Any]) -> None:
    async with connected(pico(name="x"), revision) as peer:
        reply = await peer.request("m" * 100_000, params)
    assert len(json.dumps(reply)) < 500


@pytest.mark.anyio
async def test_a_long_version_is_not_echoed() -> None:
    async with connected(pico(name="x"), MODERN) as peer:
        meta = {"io.modelcontextprotocol/protocolVersion": "9" * 100_000}
        error = (await peer.request("tools/list", {"_meta": meta}))["error"]
    assert error["code"] == -32022
    assert len(error["data"]["requested"]) < 200
