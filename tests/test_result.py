"""What a handler's value becomes: the return table, explicit results, and what is refused."""

from __future__ import annotations

import base64
import collections
import dataclasses
import enum
import json
import logging
from datetime import date
from pathlib import Path
from typing import Any

import pydantic
import pytest
from jsonschema import Draft202012Validator
from msgspec import Raw, Struct

from picomcp_py.content import image, link, text
from picomcp_py.jsontext import encode_json
from picomcp_py.offered.result import CallResult, error_result, result, to_result
from tests.results import SENT, error_text, texts, wire


class Color(enum.Enum):
    RED = "red"


class Word(enum.StrEnum):
    HELLO = "hello"


class Point(Struct):
    x: int


@dataclasses.dataclass
class Data:
    x: int


class Model(pydantic.BaseModel):
    some_x: int = pydantic.Field(alias="someX")


class MyList(list[Any]):
    pass


class MyStr(str):
    pass


# ---- the return table ----


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("hello", {"content": texts("hello")}),
        ("", {"content": texts("")}),
        (MyStr("x"), {"content": texts("x")}),
        (Word.HELLO, {"content": texts("hello")}),
        (None, {"content": []}),
        (5, {"content": texts("5")}),
        (5.0, {"content": texts("5")}),
        (True, {"content": texts("true")}),
        ([], {"content": texts("[]")}),
        ((), {"content": texts("[]")}),
        ([1, {"a": 2}], {"content": texts('[1,{"a":2}]')}),
        (["a", "b"], {"content": texts('["a","b"]')}),
        ({1}, {"content": texts("[1]")}),
        (collections.namedtuple("Pair", "a b")(1, 2), {"content": texts("[1,2]")}),
        (date(2020, 1, 1), {"content": texts('"2020-01-01"')}),
        (Color.RED, {"content": texts('"red"')}),
        (b"\x00", {"content": texts('"AA=="')}),
        ({}, {"content": texts("{}"), "structuredContent": {}}),
        ({"a": 1}, {"content": texts('{"a":1}'), "structuredContent": {"a": 1}}),
        (collections.OrderedDict(a=1), {"content": texts('{"a":1}'), "structuredContent": {"a": 1}}),
        (Point(1), {"content": texts('{"x":1}'), "structuredContent": {"x": 1}}),
        (Data(1), {"content": texts('{"x":1}'), "structuredContent": {"x": 1}}),
        (Model(someX=1), {"content": texts('{"someX":1}'), "structuredContent": {"someX": 1}}),
        (Raw(b'{"a": \n1}'), {"content": texts('{"a":1}'), "structuredContent": {"a": 1}}),
        (text("a"), {"content": texts("a")}),
        ({"type": "text", "text": "a"}, {"content": texts("a")}),
        ([text("a"), "b", {"type": "text", "text": "c"}], {"content": texts("a", "b", "c")}),
        (("b", text("a")), {"content": texts("b", "a")}),
        (MyList(["b", text("a")]), {"content": texts("b", "a")}),
        ({"content": texts("a")}, {"content": texts("a")}),
        ({"content": [text("a")]}, {"content": texts("a")}),
        ({"content": (text("a"),)}, {"content": texts("a")}),
        ({"content": []}, {"content": []}),
        (
            {"content": texts("a"), "structuredContent": {"b": 1.0}, "isError": False, "_meta": {"m": 1}},
            {"content": texts("a"), "structuredContent": {"b": 1}, "isError": False, "_meta": {"m": 1}},
        ),
        (
            {"content": texts("a"), "structuredContent": None, "isError": None, "_meta": None},
            {"content": texts("a")},
        ),
        (CallResult([text("a")], isError=True), {"content": texts("a"), "isError": True}),
    ],
)
def test_return_values_without_an_output_schema(value: Any, expected: Any) -> None:
    assert wire(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"content": "just text"},
        {"content": ["a"]},
        {"content": [{"kind": "x"}]},
        {"content": texts("a"), "other": 1},
        {"content": [*texts("a"), 5]},
        {"isError": True},
        {"type": "text"},
        {"type": "json", "json": {}},
    ],
)
def test_objects_that_only_resemble_results_or_blocks_are_data(value: dict[str, Any]) -> None:
    made = wire(value)
    assert made["structuredContent"] == value
    assert json.loads(made["content"][0]["text"]) == value


def test_members_go_over_the_wire_in_order_and_unset_ones_not_at_all() -> None:
    made = CallResult([text("a")], {"x": 1}, True, "complete", {"m": 1})
    assert list(json.loads(encode_json(made))) == ["content", "structuredContent", "isError", "resultType", "_meta"]
    assert encode_json(CallResult()) == b'{"content":[]}'


def test_text_copy_shows_the_characters_themselves() -> None:
    assert wire({"name": "Привет 中文"})["content"] == texts('{"name":"Привет 中文"}')


def test_integers_keep_their_digits_in_both_copies() -> None:
    for number in (9007199254740993, 2512292042121000001, 2**200):
        made = wire({"id": number}, {"type": "object", "properties": {"id": {"type": "integer"}}})
        assert made["structuredContent"] == {"id": number}
        assert made["content"] == texts(f'{{"id":{number}}}')


def test_nan_is_null_in_both_copies_where_no_schema_objects() -> None:
    nan, inf = float("nan"), float("inf")
    made = wire({"mean": nan, "max": inf})
    assert made == {"content": texts('{"mean":null,"max":null}'), "structuredContent": {"mean": None, "max": None}}
    assert wire(nan) == {"content": texts("null")}


def test_lone_surrogates_never_cost_a_reply() -> None:
    assert wire("caf\udce9") == {"content": texts("caf\ufffd")}
    assert wire({"\udce9": "caf\udce9"})["structuredContent"] == {"\ufffd": "caf\ufffd"}
    assert wire({"type": "text", "text": "\udce9"}) == {"content": texts("\ufffd")}
    assert wire(error_result("caf\udce9")) == {"content": texts("caf\ufffd"), "isError": True}


def test_the_result_is_always_a_new_one() -> None:
    shared = result(text("a"), meta={"m": 1})
    first = to_result(shared, None, "t")
    assert isinstance(first, CallResult)
    first.resultType = "complete"
    first.meta = {}
    assert wire(shared) == {"content": texts("a"), "_meta": {"m": 1}}


# ---- refusals ----


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"content": [{"type": "json", "json": {}}]}, "content[0].type: expected one of text, image, audio, "),
        ({"content": [{"type": "text"}]}, "content[0].text: missing"),
        ({"content": [text("a"), {"type": "image", "data": b".."}]}, "content[1].mimeType: missing"),
        ({"content": [text("a"), "b"]}, "content[1]: expected a content block, received string: use text(...)"),
        ([text("a"), {"type": "json", "json": {}}], "content[1].type: expected one of"),
        ([text("a"), 5], "content[1]: expected a content block, received number"),
        ([text("a"), None], "content[1]: expected a content block, received null"),
        ({"type": "image", "data": b".."}, "content[0].mimeType: missing"),
        ({"content": texts("a"), "isError": "yes"}, "isError: expected boolean, received string"),
        ({"content": texts("a"), "_meta": [1]}, "_meta: expected object, received array"),
        ({"content": texts("a"), "_meta": {"a": 1j}}, "_meta.a: a value of type complex has no JSON form"),
        ({"content": texts("a"), "structuredContent": {"a": 1j}}, "a: a value of type complex has no JSON form"),
        ([text("a", meta={"when": 1j})], "content[0]._meta.when: a value of type complex has no JSON form"),
        ([link("a:b", "n", icons=[{"src": "", "x": 1j}])], "content[0].icons[0].x: a value of type complex"),
        ([{"type": "text", "text": "a", "more": {"x": 1j}}], "content[0].more.x: a value of type complex"),
        ({"rows": [{}, {"when": 1j}]}, "rows[1].when: a value of type complex has no JSON form"),
        ((i for i in "ab"), "a value of type generator has no JSON form: make it a list"),
        ({(1, 2): 3}, "a value of type tuple can't be a key: use a string"),
        (Raw(b"nonsense"), "a msgspec.Raw that is not JSON: "),
        ({"a": Raw(b'"\xff"')}, "a msgspec.Raw in it is not UTF-8"),
        (result([{"type": "text"}]), "content[0].text: missing"),
        (result(structured=1j), "a value of type complex has no JSON form"),
        (CallResult([text("a")], meta=[]), "_meta: expected object, received array"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_sent_is_a_tool_error_naming_the_place(
    value: Any, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    message = error_text(value)
    assert message.startswith(SENT + fault)
    assert [(record.name, record.levelno) for record in caplog.records] == [("picomcp_py", logging.ERROR)]


def test_image_data_is_refused_or_leaves_as_one_line_of_base64() -> None:
    wrapped = base64.encodebytes(bytes(100)).decode()
    for data in ("data:image/png;base64,AAAA", "https://x/y.png", wrapped):
        block = {"type": "image", "data": data, "mimeType": "image/png"}
        assert error_text({"content": [block]}).startswith(SENT + "content[0].data: ")
    block = {"type": "image", "data": b"\x00\x01", "mimeType": "image/png"}
    for value in (block, [block], {"content": [block]}, image(b"\x00\x01", "image/png")):
        assert wire(value)["content"] == [{"type": "image", "data": "AAE=", "mimeType": "image/png"}]


@pytest.mark.parametrize("message", ["", " \n"])
def test_an_error_is_never_without_text(message: str) -> None:
    assert wire(error_result(message)) == {"content": texts("The tool failed and gave no reason."), "isError": True}
    assert wire(error_result("No user with id 5.")) == {"content": texts("No user with id 5."), "isError": True}


# ---- result() ----


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (result(), {"content": []}),
        (result("a"), {"content": texts("a")}),
        (result(text("a")), {"content": texts("a")}),
        (result({"type": "text", "text": "a"}), {"content": texts("a")}),
        (result(["a", text("b")]), {"content": texts("a", "b")}),
        (result(structured={"x": 1.0}), {"content": texts('{"x":1}'), "structuredContent": {"x": 1}}),
        (result([], structured={"x": 1}), {"content": [], "structuredContent": {"x": 1}}),
        (result("a", structured=[1]), {"content": texts("a"), "structuredContent": [1]}),
        (result("a", structured=None), {"content": texts("a"), "structuredContent": None}),
        (result("a", structured=Raw(b'{"x": 1}')), {"content": texts("a"), "structuredContent": {"x": 1}}),
        (result("a", is_error=True, meta={"m": 1}), {"content": texts("a"), "isError": True, "_meta": {"m": 1}}),
        (
            result("a", structuredContent={"x": 1}, isError=True, _meta={"m": 1}),
            {"content": texts("a"), "structuredContent": {"x": 1}, "isError": True, "_meta": {"m": 1}},
        ),
        (
            result({"content": [text("a")], "structuredContent": {"x": 1}, "isError": True}),
            {"content": texts("a"), "structuredContent": {"x": 1}, "isError": True},
        ),
        (
            result({"structuredContent": {"x": 1}}),
            {"content": texts('{"x":1}'), "structuredContent": {"x": 1}},
        ),
    ],
)
def test_result_gives_full_control_in_both_spellings(made: CallResult, expected: Any) -> None:
    assert wire(made) == expected


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"structred": 1}, "unknown keyword 'structred': use content, structured, is_error and meta"),
        ({"is_error": "yes"}, "is_error must be True or False, not string"),
        ({"meta": [1]}, "meta: expected object, received array"),
    ],
)
def test_result_refuses_wrong_arguments_at_once(arguments: dict[str, Any], fault: str) -> None:
    with pytest.raises(TypeError, match=r"^result: ") as caught:
        result("a", **arguments)
    assert fault in str(caught.value)


SCHEMAS = Path(__file__).parents[1] / "../shared/wire-schemas"


@pytest.mark.skipif(not SCHEMAS.exists(), reason="the wire schemas are not here")
def test_results_fit_the_wire_schema() -> None:
    document = json.loads((SCHEMAS / "2026-07-28.json").read_text())
    validator = Draft202012Validator({"$ref": "#/$defs/CallToolResult", "$defs": document["$defs"]})
    for value in ("a", None, 5, [1], {"a": 1}, text("a"), result("a", structured=[1], meta={"m": 1}), object()):
        made = to_result(value, None, "t")
        assert isinstance(made, CallResult)
        made.resultType = "complete"  # what the protocol adds
        validator.validate(json.loads(encode_json(made)))
