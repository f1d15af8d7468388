"""What a model reads when a value doesn't fit: the words are zod's, every fault is told, where it can be mended."""

from __future__ import annotations

from typing import Any

import pytest

from picomcp_py.schemas.explain import MAX_ISSUES, Explainer
from picomcp_py.schemas.schema import Issue, render_issues


def told(schema: dict[str, Any], value: Any) -> str:
    return render_issues(Explainer(schema).issues(value))


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        ({"type": "string"}, 5, "Invalid input: expected string, received number"),
        ({"type": "string"}, None, "Invalid input: expected string, received null"),
        ({"type": "object"}, [], "Invalid input: expected object, received array"),
        ({"type": "array"}, {}, "Invalid input: expected array, received object"),
        ({"type": "null"}, True, "Invalid input: expected null, received boolean"),
        ({"type": "integer"}, 5.5, "Invalid input: expected int, received number"),
        ({"type": "integer"}, "5", "Invalid input: expected number, received string"),
        ({"type": "integer"}, True, "Invalid input: expected number, received boolean"),
        ({"type": ["string", "null"]}, 5, "Invalid input: expected string, received number"),
        ({"type": ["string", "number"]}, True, "Invalid input: expected string | number, received boolean"),
        ({"maximum": 50}, 51, "Too big: expected number to be <=50"),
        ({"maximum": 50.0}, 51, "Too big: expected number to be <=50"),
        ({"minimum": 3}, 2, "Too small: expected number to be >=3"),
        ({"exclusiveMinimum": 3}, 3, "Too small: expected number to be >3"),
        ({"exclusiveMaximum": 3}, 3, "Too big: expected number to be <3"),
        ({"minLength": 3}, "ab", "Too small: expected string to have >=3 characters"),
        ({"maxLength": 1}, "ab", "Too big: expected string to have <=1 characters"),
        ({"minItems": 1}, [], "Too small: expected array to have >=1 items"),
        ({"maxItems": 1}, [1, 2], "Too big: expected array to have <=1 items"),
        ({"minProperties": 1}, {}, "Too small: expected object to have >=1 keys"),
        ({"multipleOf": 5}, 7, "Invalid number: must be a multiple of 5"),
        ({"pattern": "^a"}, "b", "Invalid string: must match pattern /^a/"),
        ({"pattern": "^x\\..*"}, "b", 'Invalid string: must start with "x."'),
        ({"pattern": ".*x$"}, "b", 'Invalid string: must end with "x"'),
        ({"pattern": "^\\d+$"}, "b", "Invalid string: must match pattern /^\\d+$/"),
        ({"enum": ["a", "b"]}, "c", 'Invalid option: expected one of "a"|"b"'),
        ({"enum": ["a", 1, None]}, "c", 'Invalid option: expected one of "a"|1'),
        ({"enum": ["a"]}, "c", 'Invalid input: expected "a"'),
        ({"const": "x"}, "c", 'Invalid input: expected "x"'),
        ({"const": 1}, True, "Invalid input: expected 1"),
        ({"format": "email"}, "x", "Invalid email address"),
        ({"format": "uuid"}, "x", "Invalid UUID"),
        ({"format": "uri"}, "x", "Invalid URL"),
        ({"format": "date-time"}, "x", "Invalid ISO datetime"),
        ({"format": "date"}, "x", "Invalid ISO date"),
        ({"contains": {"const": 1}}, [2], "Too small: expected array to have >=1 matching items"),
        ({"contains": {"const": 1}, "maxContains": 1}, [1, 1], "Too big: expected array to have <=1 matching items"),
        ({"not": {"enum": ["a", "b"]}}, "a", 'Invalid input: must not be "a" or "b"'),
        ({"not": {"required": ["a"]}}, {"a": 1}, 'Invalid input: must not have "a"'),
        ({"not": {"type": "string"}}, "a", "Invalid input: it is what the schema excludes"),
        ({"items": False}, [1], "Too big: expected array to have <=0 items"),
        (
            {"prefixItems": [{}], "unevaluatedItems": False},
            [1, 2],
            "Too big: the array has items that the schema does not allow",
        ),
        ({"uniqueItems": True}, ["a", "b", "a"], "[2]: Invalid input: items must be unique, this one repeats item 0"),
        (
            {"propertyNames": {"pattern": "^a"}},
            {"b": 1},
            "b: Invalid key in record: Invalid string: must match pattern /^a/",
        ),
        ({"properties": {"x": False}}, {"x": 1}, 'x: Unrecognized key: "x"'),
        ({"prefixItems": [False]}, [1], "[0]: Invalid input: expected never, received number"),
        (
            {"properties": {"b": {"type": "string"}}, "dependentRequired": {"a": ["b"]}},
            {"a": 1},
            'b: Invalid input: expected string, received undefined, as "a" is given',
        ),
    ],
)
def test_each_keyword_has_its_words(schema: dict[str, Any], value: Any, text: str) -> None:
    assert told(schema, value) == text


@pytest.mark.parametrize(
    ("subschema", "text"),
    [
        ({"type": "string"}, "expected string, received undefined"),
        ({"type": "integer"}, "expected number, received undefined"),
        ({"$ref": "#/$defs/Tags"}, "expected array, received undefined"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "expected string, received undefined"),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, "expected string | number, received undefined"),
        ({}, "expected a value, received undefined"),
        ({"const": "x"}, 'expected "x"'),
    ],
)
def test_a_missing_property_is_told_at_its_key_with_its_type(subschema: dict[str, Any], text: str) -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": subschema},
        "$defs": {"Tags": {"type": "array"}},
    }
    assert told(schema, {}) == f"a: Invalid input: {text}"


def test_a_missing_property_that_is_not_described_is_told_too() -> None:
    assert told({"required": ["a"]}, {}) == "a: Invalid input: expected a value, received undefined"


def test_every_fault_is_told_in_schema_order_whatever_the_order_of_keywords_and_of_the_value() -> None:
    schema = {
        "additionalProperties": False,
        "required": ["z", "b", "a"],
        "properties": {
            "a": {"type": "string"},
            "filters": {"type": "array", "items": {"properties": {"since": {"format": "date"}, "n": {"maximum": 1}}}},
            "b": {"minimum": 3},
            "z": {"type": "boolean"},
        },
        "type": "object",
    }
    value = {"extra": 1, "b": 1, "filters": [{"n": 2, "since": "x"}, {}, {"n": 5}], "a": 1}
    assert told(schema, value).splitlines() == [
        "a: Invalid input: expected string, received number",
        "filters[0].since: Invalid ISO date",
        "filters[0].n: Too big: expected number to be <=1",
        "filters[2].n: Too big: expected number to be <=1",
        "b: Too small: expected number to be >=3",
        "z: Invalid input: expected boolean, received undefined",
        'extra: Unrecognized key: "extra", expected one of "z"',
    ]


def test_an_unknown_key_gets_a_hint() -> None:
    schema = {"properties": {"maxDepth": {}, "query": {}}, "additionalProperties": False}
    assert told(schema, {"depth": 1}) == 'depth: Unrecognized key: "depth", did you mean "maxDepth"?'
    assert told(schema, {"max_depth": 1}) == 'max_depth: Unrecognized key: "max_depth", did you mean "maxDepth"?'
    assert told(schema, {"foo": 1}) == 'foo: Unrecognized key: "foo", expected one of "maxDepth"|"query"'
    # What is there already was not meant.
    assert told(schema, {"depth": 1, "maxDepth": 1}) == 'depth: Unrecognized key: "depth", expected one of "query"'


def test_unevaluated_properties_are_told_at_their_keys() -> None:
    schema = {"allOf": [{"properties": {"query": {}}}], "unevaluatedProperties": False}
    assert told(schema, {"query": 1, "quary": 2}) == 'quary: Unrecognized key: "quary"'
    typed = {"properties": {"a": {}}, "unevaluatedProperties": {"type": "string"}}
    assert told(typed, {"a": 1, "b": 2}) == "b: Invalid input: expected string, received number"


def test_unknown_keys_come_in_the_order_of_the_value() -> None:
    keys = [f"k{n}" for n in range(20)]
    issues = Explainer({"additionalProperties": False}).issues(dict.fromkeys(keys, 1))
    assert [issue.path for issue in issues] == [(key,) for key in keys]


CAT = {
    "type": "object",
    "required": ["t", "lives"],
    "properties": {"t": {"const": "cat"}, "lives": {"type": "integer"}},
}
DOG = {"type": "object", "required": ["t"], "properties": {"t": {"enum": ["dog"]}, "name": {"type": "string"}}}


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_a_tagged_union_is_explained_by_its_tag(union: str) -> None:
    schema = {union: [{"$ref": "#/$defs/Cat"}, DOG], "$defs": {"Cat": CAT}}
    assert told(schema, {"t": "cow"}) == "t: Invalid discriminator value. Expected 'cat' | 'dog'"
    assert told(schema, {}) == "t: Invalid discriminator value. Expected 'cat' | 'dog'"
    assert told(schema, {"t": "cat"}) == "lives: Invalid input: expected number, received undefined"
    assert told(schema, {"t": "dog", "name": 1}) == "name: Invalid input: expected string, received number"
    assert told(schema, 5) == "Invalid input: expected object, received number"


def test_an_optional_property_with_options_is_no_tag() -> None:
    mode = {"enum": ["a", "b"]}
    schema = {
        "anyOf": [
            {"properties": {"mode": mode, "x": {"type": "integer"}}, "required": ["x"]},
            {"properties": {"mode": mode, "y": {"type": "integer"}}, "required": ["y", "z"]},
        ]
    }
    assert told(schema, {"x": "1"}) == "x: Invalid input: expected number, received string"


def test_a_nullable_schema_is_explained_without_null() -> None:
    schema = {"anyOf": [{"type": "integer", "maximum": 5}, {"type": "null"}]}
    assert told(schema, 6) == "Too big: expected number to be <=5"
    assert told(schema, "x") == "Invalid input: expected number, received string"
    assert told({"anyOf": [{"const": "x"}, {"const": "y"}, {"type": "null"}]}, "z") == (
        'Invalid option: expected one of "x"|"y"'
    )


def test_other_unions_are_explained_by_the_branch_that_fits_best() -> None:
    plain = {"anyOf": [{"type": "string"}, {"type": "number"}]}
    assert told(plain, True) == "Invalid input: expected string | number, received boolean"
    formats = {"anyOf": [{"type": "string", "format": "email"}, {"type": "string", "format": "uri"}]}
    assert told(formats, "x") == "Invalid email address or invalid URL"
    lists = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    assert told(lists, ["a", 1]) == "[1]: Invalid input: expected string, received number"


def test_one_of_with_two_matches_says_so() -> None:
    assert told({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, 3) == (
        "Invalid input: more than one of the alternatives matches, expected exactly one"
    )


def test_one_cause_is_told_once() -> None:
    assert told({"type": "string", "enum": ["a", "b"], "minLength": 9}, 5) == 'Invalid option: expected one of "a"|"b"'
    pair = {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{}, {}], "items": False}
    assert told(pair, [1, 2, 3]) == "Too big: expected array to have <=2 items"


def test_recursive_schemas_are_followed() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"type": "string"}}}
    assert told(node, {"next": {"next": {"v": 1}}}) == "next.next.v: Invalid input: expected string, received number"
    # A declared dialect must not bring back the library's own keywords on the way through the reference.
    declared = {"$schema": "http://json-schema.org/draft-07/schema#", **node, "required": ["v"]}
    assert told(declared, {"v": "a", "next": {}}) == "next.v: Invalid input: expected string, received undefined"


def test_deep_values_are_one_issue() -> None:
    value: list[Any] = []
    for _ in range(5000):
        value = [value]
    assert Explainer({"items": {"$ref": "#"}}).issues(value) == (Issue("Invalid input: nested too deeply"),)


def test_texts_stay_short_whatever_comes_in() -> None:
    big = "x" * 20_000
    schema = {
        "properties": {
            "a": {"type": "integer"},
            "b": {"enum": [f"option {n}" for n in range(1000)]},
            "c": {"const": big},
            "d": {"pattern": f"^{big}$"},
            "e": {"anyOf": [{"const": big}, {"type": "integer"}]},
        },
        "additionalProperties": False,
        "type": "object",
    }
    value = {"a": big, "b": "option 9990", "c": big + "x", "d": big, "e": big + "y", big: big}
    value["d"] = "no"
    text = told(schema, value)
    assert len(text) < 2000
    assert all(f"\n{key}: " in f"\n{text}" for key in "abcde")
    assert 'did you mean "option 999"?' in text
    assert "Unrecognized key: " in text


def test_a_long_list_of_faults_is_cut() -> None:
    issues = Explainer({"items": {"type": "string"}}).issues([1] * 100_000)
    assert len(issues) == MAX_ISSUES + 1
    assert issues[-1] == Issue(f"Only the first {MAX_ISSUES} issues are listed")


def test_a_lone_surrogate_in_a_key_or_option_does_not_break_the_text() -> None:
    assert told({"additionalProperties": False}, {"\ud800": 1}).endswith('Unrecognized key: "\ud800"')
    assert told({"enum": ["\ud800", "b"]}, 1) == 'Invalid option: expected one of "\ud800"|"b"'


def test_a_generated_schema_with_a_pattern_of_another_dialect_is_used_as_far_as_it_goes() -> None:
    schema = {"properties": {"a": {"pattern": r"(?i)^a\Z"}, "b": {"pattern": "*"}, "c": {"type": "string"}}}
    assert told(schema, {"a": "b", "b": "x", "c": 1}).splitlines() == [
        r"a: Invalid string: must match pattern /(?i)^a\Z/",
        "c: Invalid input: expected string, received number",
    ]


def test_valid_values_have_no_issues() -> None:
    assert Explainer({"type": "integer"}).issues(5.0) == ()
    assert Explainer(CAT).issues({"t": "cat", "lives": 9, "more": 1}) == ()
