"""Dict schemas: what a tool gets for what a client sends."""

from __future__ import annotations

import copy
import math
from datetime import UTC, datetime
from typing import Any

import pytest

from picomcp_py.schemas.schema import Invalid, Issue, Schema, Valid, render_issues, schema_of


def value_of(schema: dict[str, Any], value: Any) -> Any:
    result = schema_of(schema).validate(value)
    assert isinstance(result, Valid), result
    return result.value


def text_of(schema: Any, value: Any) -> str:
    result = schema_of(schema).validate(value)
    assert isinstance(result, Invalid), result
    return render_issues(result.issues)


def json_result(schema: dict[str, Any], data: bytes) -> Any:
    return schema_of(schema).validate_json(data)  # type: ignore[attr-defined]


OBJECT = {"type": "object"}
LIMIT = {
    "required": ["limit"],
    "type": "object",
    "properties": {"limit": {"type": "integer", "default": 10}, "tags": {"type": "array", "default": []}},
}


def test_it_is_a_schema_published_verbatim_for_both_directions() -> None:
    source = {"description": "first", "type": "object", "x-vendor": {"a": [1]}, "properties": {"b": {}, "a": {}}}
    before = copy.deepcopy(source)
    schema = schema_of(source)
    assert isinstance(schema, Schema)
    assert schema.vendor == "json-schema"
    for io in ("input", "output"):
        assert schema.json_schema(io) == before
        assert [*schema.json_schema(io)] == [*before]
        assert [*schema.json_schema(io)["properties"]] == ["b", "a"]
    assert source == before


def test_neither_the_source_nor_what_was_published_reaches_the_validator() -> None:
    source: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    schema = schema_of(source)
    source["properties"]["a"]["type"] = "integer"
    schema.json_schema("input")["properties"].clear()
    assert schema.json_schema("input") == {"type": "object", "properties": {"a": {"type": "string"}}}
    assert schema.validate({"a": "x"}) == Valid({"a": "x"})


# Defaults


def test_defaults_are_filled_in_whatever_the_order_of_keywords() -> None:
    assert value_of(LIMIT, {}) == {"limit": 10, "tags": []}
    turned = dict(reversed(LIMIT.items()))
    assert value_of(turned, {}) == {"limit": 10, "tags": []}
    assert json_result(LIMIT, b"{}") == Valid({"limit": 10, "tags": []})
    assert value_of(LIMIT, {"limit": 0, "tags": [1]}) == {"limit": 0, "tags": [1]}


def test_mutable_defaults_are_fresh_on_each_call() -> None:
    schema = schema_of(LIMIT)
    first = schema.validate({})
    assert isinstance(first, Valid)
    first.value["tags"].append("mine")
    assert schema.validate({}) == Valid({"limit": 10, "tags": []})
    assert schema.json_schema("input") == LIMIT


def test_the_value_itself_is_not_changed() -> None:
    value = {"n": 5.0, "inner": {}}
    schema = {
        "properties": {
            "n": {"type": "integer"},
            "inner": {"properties": {"a": {"default": 1}}},
        }
    }
    assert value_of(schema, value) == {"n": 5, "inner": {"a": 1}}
    assert value == {"n": 5.0, "inner": {}}
    assert type(value["n"]) is float


def test_defaults_are_found_through_items_all_of_and_references() -> None:
    schema = {
        "properties": {
            "list": {"items": {"$ref": "#/$defs/Item"}},
            "pair": {"prefixItems": [{"$ref": "#/$defs/Item"}]},
            "direct": {"$ref": "#/$defs/Size"},
            "beside": {"$ref": "#/$defs/Size", "default": 2},
        },
        "allOf": [{"properties": {"more": {"default": "m"}}}],
        "$defs": {
            "Item": {"type": "object", "properties": {"a": {"default": 1}}},
            "Size": {"type": "integer", "default": 1},
        },
    }
    assert value_of(schema, {"list": [{}, {"a": 2}], "pair": [{}]}) == {
        "list": [{"a": 1}, {"a": 2}],
        "pair": [{"a": 1}],
        "direct": 1,
        "beside": 2,
        "more": "m",
    }


def test_no_default_comes_from_a_union_or_a_condition() -> None:
    branch = {"properties": {"kind": {"const": "a"}, "x": {"default": 1}}, "required": ["kind"]}
    for schema in (
        {"anyOf": [branch, {"required": ["other"]}]},
        {"oneOf": [branch, {"required": ["other"]}]},
        {"if": branch, "then": branch, "else": branch | {"required": []}},
        {"properties": {"other": {"anyOf": [branch, {"type": "boolean"}]}}},
    ):
        assert value_of(schema, {"other": True}) == {"other": True}


def test_a_default_is_taken_as_it_is_even_where_it_could_go_on_for_ever() -> None:
    schema = {"type": "object", "properties": {"child": {"$ref": "#", "default": {}}}}
    assert value_of(schema, {}) == {"child": {}}
    twice = {"allOf": [{"properties": {"c": {"default": {}}}}, {"properties": {"c": {"$ref": "#"}}}]}
    assert value_of(twice, {}) == {"c": {}}


# Numbers


def test_an_integer_valued_float_is_an_integer_where_integers_are_asked_for() -> None:
    schema = {"properties": {"i": {"type": "integer"}, "n": {"type": "number"}}}
    result = json_result(schema, b'{"i": 1e2, "n": 5.0}')
    assert (type(result.value["i"]), type(result.value["n"])) == (int, float)
    assert result.value == {"i": 100, "n": 5.0}
    assert text_of({"type": "integer"}, 5.5) == "Invalid input: expected int, received number"


def test_a_boolean_is_no_number_and_a_number_no_boolean() -> None:
    assert text_of({"type": "integer"}, True) == "Invalid input: expected number, received boolean"
    assert text_of({"type": "number"}, False) == "Invalid input: expected number, received boolean"
    assert text_of({"type": "boolean"}, 1) == "Invalid input: expected boolean, received number"
    assert text_of({"enum": [1]}, True) == "Invalid input: expected 1"


@pytest.mark.parametrize("number", [9007199254740993, 2512292042121000001, 123456789012345678901234567890])
def test_large_integers_keep_every_digit(number: int) -> None:
    schema = {"properties": {"id": {"type": "integer"}}}
    assert json_result(schema, b'{"id": %d}' % number) == Valid({"id": number})


def test_multiples_are_counted_in_decimals() -> None:
    cents = {"multipleOf": 0.01}
    for good in (19.99, 0.07, 1, 1e300, 123456789012345678901234567890):
        value_of(cents, good)
    assert text_of(cents, 19.999) == "Invalid number: must be a multiple of 0.01"
    assert text_of({"multipleOf": 2}, 3.0) == "Invalid number: must be a multiple of 2"


@pytest.mark.parametrize(("number", "name"), [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "Infinity")])
def test_nan_and_infinity_are_not_json(number: float, name: str) -> None:
    assert text_of({}, {"a": [1, number]}) == f"a[1]: Invalid input: expected number, received {name}"


# What comes in


def test_python_values_are_taken_as_json_or_refused_where_they_are() -> None:
    assert value_of({"properties": {"a": {"type": "array"}}}, {"a": (1, (2,))}) == {"a": [1, [2]]}
    now = datetime.now(UTC)
    assert text_of({}, {"a": [now]}) == "a[0]: Invalid input: expected a JSON value, received datetime"
    assert text_of({}, {"a": {1: 2}}) == "a: Invalid input: expected a JSON value, received object"


@pytest.mark.parametrize(
    "data", [b"", b"{", b"{}{}", b"[NaN]", b"[-Infinity]", b"\xff", b'{"a": }', b"[1e400", b"9" * 9999 + b"]"]
)
def test_broken_json_is_one_issue_at_the_root(data: bytes) -> None:
    result = json_result({}, data)
    assert isinstance(result, Invalid)
    [issue] = result.issues
    assert issue.path == ()
    assert issue.message.startswith("Invalid JSON: ")
    assert len(issue.message) < 100


@pytest.mark.parametrize("number", [b"1e400", b"-1e400", b"9" * 9999, b"9" * 400 + b".5"])
def test_a_number_beyond_the_limits_is_an_issue_at_its_place(number: bytes) -> None:
    result = json_result({}, b'{"a":[0,' + number + b'],"b":1}')
    assert isinstance(result, Invalid)
    [issue] = result.issues
    assert issue.path == ("a", 1)
    assert issue.message.startswith("Invalid input: number out of range")


def test_a_lone_surrogate_is_read() -> None:
    assert json_result({"type": "string", "maxLength": 1}, b'"\\ud800"') == Valid("\ud800")


def test_values_too_deep_are_an_issue_both_ways() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    try:
        assert text_of({"items": {"$ref": "#"}}, value) == "Invalid input: nested too deeply"
    finally:
        while value:  # let go of it level by level
            value = value[0]
    result = json_result({"items": {"$ref": "#"}}, b"[" * 100_000 + b"]" * 100_000)
    assert isinstance(result, Invalid)
    assert "nested too deeply" in result.issues[0].message


@pytest.mark.parametrize("text", ['{"a":1}', "12345", "true", "null", "[1]", ""])
def test_text_stays_text(text: str) -> None:
    schema = {"properties": {"p": {"type": "string"}}}
    assert value_of(schema, {"p": text}) == {"p": text}


def test_text_for_something_else_is_refused_by_name_and_type() -> None:
    schema = {"properties": {"node": {"type": "object"}, "n": {"type": "integer"}, "b": {"type": "boolean"}}}
    assert text_of(schema, {"node": '{"k":1}', "n": "5", "b": "false"}).splitlines() == [
        "node: Invalid input: expected object, received string",
        "n: Invalid input: expected number, received string",
        "b: Invalid input: expected boolean, received string",
    ]


def test_null_follows_the_schema() -> None:
    assert text_of({"properties": {"q": {"type": "string"}}}, {"q": None}) == (
        "q: Invalid input: expected string, received null"
    )
    assert value_of({"properties": {"q": {"type": ["string", "null"]}}}, {"q": None}) == {"q": None}


def test_empty_values_arrive() -> None:
    schema = {"required": ["s", "n", "b", "l"], "properties": {"s": {"default": "x"}, "n": {}, "b": {}, "l": {}}}
    value = {"s": "", "n": 0, "b": False, "l": []}
    assert value_of(schema, value) == value


def test_unknown_keys_are_refused_only_if_the_schema_says_so() -> None:
    properties = {"maxDepth": {"type": "integer"}}
    assert value_of({"properties": properties}, {"maxDepth": 1, "sessionId": "x"}) == {"maxDepth": 1, "sessionId": "x"}
    assert text_of({"properties": properties, "additionalProperties": False}, {"depth": 1}) == (
        'depth: Unrecognized key: "depth", did you mean "maxDepth"?'
    )


def test_tuples_are_checked_in_length_and_type() -> None:
    pair = {"type": "array", "prefixItems": [{"type": "integer"}] * 2, "items": False, "minItems": 2}
    assert value_of(pair, [1, 2.0]) == [1, 2]
    assert text_of(pair, [1]) == "Too small: expected array to have >=2 items"
    assert text_of(pair, [1, 2, 3]) == "Too big: expected array to have <=2 items"
    assert text_of(pair, ["a", 2]) == "[0]: Invalid input: expected number, received string"


def test_an_object_root_with_one_of_is_published_and_validated() -> None:
    schema = {
        "type": "object",
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
    }
    assert schema_of(schema).json_schema("input") == schema
    assert value_of(schema, {"a": "x"}) == {"a": "x"}
    assert text_of(schema, {"a": "x", "b": "y"}) == (
        "Invalid input: more than one of the alternatives matches, expected exactly one"
    )


def test_a_big_value_is_not_echoed() -> None:
    assert text_of(OBJECT, ["x" * 1_000_000]) == "Invalid input: expected object, received array"
    assert len(text_of({"anyOf": [{"type": "object", "required": ["a"]}, {"const": 1}]}, {"b": "x" * 100_000})) < 200


def test_a_long_list_of_objects_is_checked_for_repeats_in_linear_time() -> None:
    # All pairs of 20,000 would take minutes; the time limit of the tests stops it.
    value: list[Any] = [{"n": n} for n in range(20_000)]
    value_of({"uniqueItems": True}, value)
    assert text_of({"uniqueItems": True}, [*value, {"n": 7.0}]) == (
        "[20000]: Invalid input: items must be unique, this one repeats item 7"
    )
    value_of({"uniqueItems": True}, [1, True, "1", [1], [True], {"a": 1}, {"a": True}, 0, False, None])


# Dialects


def test_a_declared_dialect_is_followed_and_passed_on() -> None:
    for uri in ("http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema"):
        schema = {
            "$schema": uri,
            "type": "object",
            "definitions": {"N": {"type": "integer"}},
            "properties": {
                "pair": {"items": [{"$ref": "#/definitions/N"}], "additionalItems": False},
                "ref": {"$ref": "#/definitions/N", "maximum": 1},  # draft-07 ignores what stands beside $ref
            },
            "dependencies": {"pair": ["ref"]},
        }
        assert schema_of(schema).json_schema("input")["$schema"] == uri
        assert value_of(schema, {"pair": [5.0], "ref": 9}) == {"pair": [5], "ref": 9}
        assert text_of(schema, {"pair": ["x", 2]}).splitlines() == [
            "pair[0]: Invalid input: expected number, received string",
            "pair: Too big: expected array to have <=1 items",
            'ref: Invalid input: expected number, received undefined, as "pair" is given',
        ]


def test_2019_09_is_followed() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "properties": {"next": {"$recursiveRef": "#"}, "v": {"type": "string"}},
        "unevaluatedProperties": False,
    }
    assert text_of(schema, {"next": {"v": 1}}) == "next.v: Invalid input: expected string, received number"
    assert text_of(schema, {"w": 1}) == 'w: Unrecognized key: "w", expected one of "next"|"v"'


def test_references_by_anchor_id_and_pointer_are_followed() -> None:
    schema = {
        "$id": "https://example.test/root",
        "properties": {
            "anchor": {"$ref": "#here"},
            "id": {"$ref": "inner"},
            "absolute": {"$ref": "https://example.test/root#/$defs/a~1b"},
            "dynamic": {"$dynamicRef": "#node"},
        },
        "$defs": {
            "x": {"$anchor": "here", "type": "string"},
            "y": {"$id": "inner", "$ref": "#/$defs/z", "$defs": {"z": {"type": "integer"}}},
            "a/b": {"type": "boolean"},
            "d": {"$dynamicAnchor": "node", "type": "null"},
        },
    }
    value = {"anchor": "a", "id": 5.0, "absolute": True, "dynamic": None}
    assert type(value_of(schema, value)["id"]) is int
    assert [issue.path for issue in schema_of(schema).validate(dict.fromkeys(value, 1.5)).issues] == [  # type: ignore[union-attr]
        ("anchor",),
        ("id",),
        ("absolute",),
        ("dynamic",),
    ]


def test_a_reference_to_a_metaschema_is_known_without_fetching() -> None:
    schema = {"properties": {"schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}
    value_of(schema, {"schema": {"type": "string"}})
    assert schema_of(schema).validate({"schema": {"type": 5}}) != Valid({"schema": {"type": 5}})


def test_issues_carry_paths_in_json_names() -> None:
    schema = {"properties": {"a.b": {"items": {"properties": {"c d": {"type": "string"}}}}}}
    result = schema_of(schema).validate({"a.b": [{"c d": 1}]})
    assert result == Invalid((Issue("Invalid input: expected string, received number", ("a.b", 0, "c d")),))
