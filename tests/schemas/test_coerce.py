"""The changes made to a value before it is validated: narrowing and the lenient mode."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from picomcp_py.schemas.coerce import Walker
from picomcp_py.schemas.document import Document


def coerce(schema: dict[str, Any], value: Any) -> Any:
    return Walker(Document(schema), lenient=True)(value)


def narrow(schema: dict[str, Any], value: Any) -> Any:
    return Walker(Document(schema))(value)


def lenient(schema: dict[str, Any], value: Any) -> Any:
    """The lenient mode on a property, so that what comes back is of one value."""
    return coerce({"type": "object", "properties": {"x": schema}}, {"x": value})["x"]


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "integer"}, "5", 5),
        ({"type": "integer"}, "-12", -12),
        ({"type": "integer"}, "9007199254740993", 9007199254740993),
        ({"type": "number"}, "5.5", 5.5),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "number"}, "5", 5),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "false", False),
        ({"type": ["integer", "null"]}, "5", 5),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "5", 5),
        ({"enum": [1, 2]}, "2", 2),
        ({"type": "object"}, '{"k": 1}', {"k": 1}),
        ({"type": "array"}, ' [1, "2"]', [1, "2"]),
        ({"type": "array", "items": {"type": "integer"}}, '["1", 2]', [1, 2]),
        ({"anyOf": [{"type": "array"}, {"type": "null"}]}, "[]", []),
    ],
)
def test_text_becomes_what_the_schema_asks_for(schema: dict[str, Any], text: str, value: Any) -> None:
    got = lenient(schema, text)
    assert (got, type(got)) == (value, type(value))


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        *(
            ({"type": "integer"}, text)
            for text in (
                "0x10",
                "1,000",
                " 5 ",
                "",
                "5.5",
                "5.0",
                "1_0",
                "+5",
                "05",
                "٥",
                "5\n",
                "true",
                "null",
                "9" * 5000,
            )
        ),
        *(({"type": "number"}, text) for text in ("NaN", "Infinity", "1e400", ".5", "5.", "1,5", "0x1p3")),
        *(({"type": "boolean"}, text) for text in ("yes", "no", "True", "1", "0", "on", "")),
        ({"type": "null"}, "null"),
        ({"type": "object"}, "[1]"),
        ({"type": "object"}, "{broken"),
        ({"type": "array"}, '{"a":1}'),
        ({"type": "array"}, "a,b"),
        # Where a string is fine, it is one, whatever it looks like.
        *(({"type": "string"}, text) for text in ("5", "true", "null", '{"a":1}', "[1]")),
        ({}, "5"),
        ({"type": ["string", "integer"]}, "5"),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, '{"a":1}'),
        ({"enum": ["1", 1]}, "1"),
        ({"minimum": 1}, "5"),
    ],
)
def test_nothing_else_is_read_into_text(schema: dict[str, Any], text: str) -> None:
    assert lenient(schema, text) == text


@pytest.mark.parametrize("value", [5, True, None, 1.5, [], {}])
def test_only_text_is_read(value: Any) -> None:
    for name in ("string", "integer", "boolean", "array", "object"):
        got = lenient({"type": name}, value)
        assert (got, type(got)) == (value, type(value))


SCHEMA = {
    "type": "object",
    "properties": {
        "list": {"type": "array", "items": {"$ref": "#/$defs/N"}},
        "pair": {"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": {"type": "boolean"}},
        "both": {"allOf": [{"type": "integer"}, {"minimum": 1}]},
    },
    "patternProperties": {"^n_": {"type": "integer"}},
    "additionalProperties": {"type": "boolean"},
    "$defs": {"N": {"type": "object", "properties": {"n": {"type": "integer"}, "next": {"$ref": "#/$defs/N"}}}},
}


def test_the_walk_goes_wherever_the_schema_describes_the_value() -> None:
    value = {
        "list": [{"n": "1", "next": {"n": "2"}}],
        "pair": ["1", "2", "true"],
        "both": "3",
        "n_x": "4",
        "other": "false",
    }
    before = copy.deepcopy(value)
    assert coerce(SCHEMA, value) == {
        "list": [{"n": 1, "next": {"n": 2}}],
        "pair": [1, "2", True],
        "both": 3,
        "n_x": 4,
        "other": False,
    }
    assert value == before


def test_what_does_not_change_is_the_same_object() -> None:
    value = {"list": [{"n": 1}], "pair": [1], "both": 2, "n_x": 1, "other": True}
    assert coerce(SCHEMA, value) is value
    assert narrow(SCHEMA, value) is value


def test_a_draft_07_tuple_is_walked() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "items": [{"type": "integer"}],
        "additionalItems": {"type": "boolean"},
    }
    assert coerce(schema, ["1", "true"]) == [1, True]


def test_of_a_union_the_tagged_branch_is_followed_and_an_open_one_is_left_alone() -> None:
    tagged = {
        "oneOf": [
            {"type": "object", "properties": {"t": {"const": "a"}, "v": {"type": "integer"}}},
            {"type": "object", "properties": {"t": {"const": "b"}, "v": {"type": "string"}}},
        ]
    }
    assert coerce(tagged, {"t": "a", "v": "5"}) == {"t": "a", "v": 5}
    assert coerce(tagged, {"t": "b", "v": "5"}) == {"t": "b", "v": "5"}
    assert coerce(tagged, {"v": "5"}) == {"v": "5"}
    assert coerce(
        {"anyOf": [{"type": "object", "properties": {"v": {"type": "integer"}}}, {"type": "null"}]}, {"v": "5"}
    ) == {"v": 5}


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, 5.0, int),
        ({"type": "integer"}, 1e2, int),
        ({"type": ["integer", "null"]}, 5.0, int),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 5.0, int),
        ({"enum": [5]}, 5.0, int),
        ({"type": "integer"}, 5.5, float),
        ({"type": "number"}, 5.0, float),
        ({"type": ["integer", "number"]}, 5.0, float),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, 5.0, float),
        ({}, 5.0, float),
        ({"type": "integer"}, True, bool),
        ({"type": "integer"}, "5", str),
    ],
)
def test_narrow_makes_integers_only_where_the_schema_asks_for_them(
    schema: dict[str, Any], value: Any, expected: type
) -> None:
    got = narrow(schema, value)
    assert (got, type(got)) == (value, expected)


def test_narrow_works_in_untagged_unions_and_coerce_narrows_too() -> None:
    schema = {"anyOf": [{"properties": {"v": {"type": "integer"}}}, {"properties": {"w": {"type": "integer"}}}]}
    assert type(narrow(schema, {"v": 5.0})["v"]) is int
    assert type(coerce({"type": "integer"}, 5.0)) is int


def test_values_too_deep_to_walk_come_back_as_they_are() -> None:
    value: list[Any] = ["5"]
    for _ in range(5000):
        value = [value]
    assert coerce({"items": {"$ref": "#"}, "type": "array"}, value) is value


def test_a_schema_that_refers_to_itself_alone_does_not_hang() -> None:
    assert narrow({"$ref": "#"}, 5.0) == 5.0
    assert narrow({"anyOf": [{"$ref": "#"}, {"type": "integer"}]}, "x") == "x"
