"""The page's advice on writing good tools, where it says something that can be checked."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import pytest

from picomcp_py import Server, pico
from tests.peer import EVERY, connected, text_of
from tests.tools_page.manifest import covers

pytestmark = pytest.mark.anyio

DESCRIBED = {
    "customer": "Number of the customer",
    "lines": "What is billed",
    "due": "Days until it is due",
}


class Line(msgspec.Struct):
    text: Annotated[str, msgspec.Meta(description="As it is printed")]


class Invoice(msgspec.Struct):
    customer: Annotated[int, msgspec.Meta(description=DESCRIBED["customer"])]
    lines: Annotated[list[Line], msgspec.Meta(description=DESCRIBED["lines"])]
    due: Annotated[int, msgspec.Meta(description=DESCRIBED["due"])] = 14


INVOICE = {
    "type": "object",
    "properties": {
        "customer": {"type": "integer", "description": DESCRIBED["customer"]},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"text": {"type": "string", "description": "As it is printed"}}},
            "description": DESCRIBED["lines"],
        },
        "due": {"type": "integer", "description": DESCRIBED["due"], "default": 14},
    },
    "required": ["customer", "lines"],
}


def pydantic_invoice() -> Any:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    text = Annotated[str, pydantic.Field(description="As it is printed")]
    line: Any = pydantic.create_model("Line", text=(text, ...))
    fields = {"customer": int, "lines": list[line], "due": int}
    typed = {name: Annotated[kind, pydantic.Field(description=DESCRIBED[name])] for name, kind in fields.items()}
    return pydantic.create_model(
        "Invoice", customer=(typed["customer"], ...), lines=(typed["lines"], ...), due=(typed["due"], 14)
    )


def resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """The subschema behind a `$ref` into `$defs`."""
    name = node.get("$ref", "").removeprefix("#/$defs/")
    return schema["$defs"][name] if name else node


@covers("G2", "G3", "F12")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind", ["json schema", "msgspec", "pydantic"])
async def test_each_argument_s_description_is_in_the_schema_nested_ones_too(revision: str, kind: str) -> None:
    inputs = {"json schema": lambda: INVOICE, "msgspec": lambda: Invoice, "pydantic": pydantic_invoice}
    server = pico({"name": "s"}).tool("create_invoice", {"input": inputs[kind](), "run": lambda: None})
    async with connected(server, revision) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
    schema = tool["inputSchema"]
    assert {name: node.get("description") for name, node in schema["properties"].items()} == DESCRIBED
    line = resolve(schema, schema["properties"]["lines"]["items"])
    assert line["properties"]["text"]["description"] == "As it is printed"


def billing() -> Server:
    number = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
    server = pico({"name": "billing"})
    server.tool("create_invoice", {"input": INVOICE, "run": lambda: "created"})
    server.tool("send_invoice", {"input": number, "run": lambda: "sent"})
    return server


@covers("G1")
@pytest.mark.parametrize("revision", EVERY)
async def test_two_tools_have_each_their_own_arguments(revision: str) -> None:
    async with connected(billing(), revision) as peer:
        tools = (await peer.request("tools/list"))["result"]["tools"]
        assert [(tool["name"], tool["inputSchema"]["required"]) for tool in tools] == [
            ("create_invoice", ["customer", "lines"]),
            ("send_invoice", ["number"]),
        ]
        assert text_of(await peer.call("send_invoice", {"number": 1})) == "sent"
        refused = await peer.call("create_invoice", {"number": 1})
        assert text_of(refused).startswith('Invalid arguments for tool "create_invoice":\ncustomer: ')
        unknown = await peer.request("tools/call", {"name": "invoice", "arguments": {"action": "send"}})
        assert unknown["error"]["code"] == -32602


@covers("G4")
@pytest.mark.parametrize("revision", EVERY)
async def test_the_json_that_a_model_reads_has_no_character_too_many(revision: str) -> None:
    value = {"title": "Ö — 工具", "n": 5.0, "tags": ["a", "b"], "big": 1e21}
    async with connected(pico({"name": "s"}).tool("t", {"run": lambda: value}), revision) as peer:
        text = text_of(await peer.call("t"))
    assert text == '{"title":"Ö — 工具","n":5,"tags":["a","b"],"big":1e+21}'


@covers("G5")
@pytest.mark.parametrize("revision", EVERY)
async def test_only_the_fields_that_were_returned_are_sent(revision: str) -> None:
    whole = {"id": 1, "title": "Crash", "html_url": "https://example.com/1", "user": {"login": "octo"}}

    def run() -> dict[str, Any]:
        return {key: whole[key] for key in ("title", "html_url")}

    async with connected(pico({"name": "s"}).tool("t", {"run": run}), revision) as peer:
        result = await peer.call("t")
    assert text_of(result) == '{"title":"Crash","html_url":"https://example.com/1"}'
    assert b"octo" not in peer.raw[-1]


@covers("G6", "G7")
@pytest.mark.parametrize("revision", [revision for revision in EVERY if revision >= "2025-03-26"])
async def test_nothing_is_read_only_unless_its_author_says_so(revision: str) -> None:
    server = pico({"name": "s"})
    server.tool("get_user", {"annotations": {"readOnlyHint": True}, "run": lambda: None})
    server.tool("delete_user", {"annotations": {"readOnlyHint": False, "destructiveHint": True}, "run": lambda: None})
    server.tool("read_list", {"title": "Read only", "description": "Reads.", "run": lambda: None})
    async with connected(server, revision) as peer:
        tools = (await peer.request("tools/list"))["result"]["tools"]
    assert [tool.get("annotations") for tool in tools] == [
        {"readOnlyHint": True},
        {"readOnlyHint": False, "destructiveHint": True},
        None,
    ]


@covers("G6", "G7")
@pytest.mark.parametrize("wrong", ["yes", 1, "true"])
def test_a_hint_that_is_neither_true_nor_false_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match='"readOnlyHint" must be True or False'):
        pico({"name": "s"}).tool("t", {"annotations": {"readOnlyHint": wrong}, "run": lambda: None})
