"""A dict schema that can't work is refused when it is registered, with the place and the fix."""

from __future__ import annotations

import subprocess
import sys
import urllib.request
from typing import Any

import pytest

from picomcp_py.errors import ConfigError
from picomcp_py.schemas.document import MAX_DEPTH, MAX_SUBSCHEMAS
from picomcp_py.schemas.schema import Valid, schema_of


def refusal(schema: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        schema_of(schema)
    return str(caught.value)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError(f"something was fetched: {args}")

    monkeypatch.setattr(urllib.request, "urlopen", opened)
    monkeypatch.setattr("socket.create_connection", opened)


@pytest.mark.parametrize(
    ("schema", "where", "what"),
    [
        ({"type": "objekt"}, "#/type", "Invalid option: expected one of"),
        ({"properties": {"a": {"type": ["string", "strng"]}}}, "#/properties/a/type/1", "Invalid option"),
        ({"properties": {"a": 5}}, "#/properties/a", "expected object | boolean, received number"),
        ({"properties": []}, "#/properties", "expected object, received array"),
        ({"required": "a"}, "#/required", "expected array, received string"),
        ({"required": ["a", "a"]}, "#/required/1", "items must be unique"),
        ({"minimum": "5"}, "#/minimum", "expected number, received string"),
        ({"maxLength": -1}, "#/maxLength", "Too small: expected number to be >=0"),
        ({"enum": "a"}, "#/enum", "expected array, received string"),
        ({"allOf": []}, "#/allOf", ">=1 items"),
        ({"items": [{}]}, "#/items", "expected object | boolean, received array"),  # a tuple of draft-07
        ({"$ref": 5}, "#/$ref", "expected string, received number"),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": 5}, "#/items", "received number"),
    ],
)
def test_an_invalid_schema_is_refused_at_the_place(schema: dict[str, Any], where: str, what: str) -> None:
    text = refusal(schema)
    assert "not a valid JSON Schema" in text
    assert f"{where}: " in text
    assert what in text


def test_all_faults_of_an_invalid_schema_are_named() -> None:
    text = refusal({"minLength": "x", "properties": {"a": {"type": "int"}}})
    assert "#/minLength: " in text
    assert "#/properties/a/type: " in text


@pytest.mark.parametrize(
    "uri",
    [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "https://example.test/my-dialect",
        5,
    ],
)
def test_an_unknown_dialect_is_refused_by_name_with_the_known_ones(uri: Any) -> None:
    text = refusal({"$schema": uri, "type": "object"})
    assert repr(uri) in text
    for known in ("2020-12", "2019-09", "draft-07"):
        assert known in text


def test_a_second_dialect_inside_is_refused() -> None:
    schema = {"$defs": {"a": {"$id": "a", "$schema": "http://json-schema.org/draft-07/schema#"}}}
    assert refusal(schema).startswith("#/$defs/a/$schema: ")


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"properties": {"a": {"$ref": "#/$defs/Nope"}}, "$defs": {"Yes": {}}}, "#/properties/a/$ref"),
        ({"items": {"$ref": "#/$defs/a/b/0"}, "$defs": {"a": {}}}, "#/items/$ref"),
        ({"anyOf": [{}, {"$ref": "#/required"}], "required": ["a"]}, "#/anyOf/1/$ref"),
        ({"properties": {"a/b": {"$ref": "#nowhere"}}}, "#/properties/a~1b/$ref"),
        ({"items": {"$dynamicRef": "#nowhere"}}, "#/items/$dynamicRef"),
        ({"$ref": "#/x", "x": {"$ref": "#/y"}}, "#/$ref/$ref"),
        ({"$id": "https://example.test/a", "items": {"$ref": "#/$defs/no"}}, "#/items/$ref"),
        ({"unknown": {"$ref": "#/no"}, "items": {"$ref": "#/unknown"}}, "#/items/$ref/$ref"),
    ],
)
def test_a_dangling_reference_is_refused(schema: dict[str, Any], where: str) -> None:
    text = refusal(schema)
    assert text.startswith(f"{where}: ")
    assert "points to nothing in the schema" in text


def test_a_dangling_reference_names_what_there_is() -> None:
    assert "defined are Yes, No" in refusal({"$ref": "#/$defs/Nope", "$defs": {"Yes": {}, "No": {}}})


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    "ref",
    ["https://example.test/schema.json", "http://127.0.0.1:1/x", "file:///etc/hosts", "other.json", "../up.json#/a"],
)
@pytest.mark.parametrize("root", [{}, {"$id": "https://example.test/root.json"}])
def test_a_reference_to_elsewhere_is_refused_and_nothing_is_fetched(ref: str, root: dict[str, Any]) -> None:
    text = refusal({**root, "properties": {"a": {"$ref": ref}}})
    assert text.startswith("#/properties/a/$ref: ")
    assert ref in text
    assert '"$defs"' in text


def test_what_only_looks_like_a_reference_is_none() -> None:
    looks = {"$ref": "#/nowhere"}
    schema = {
        "enum": [looks],
        "default": looks,
        "examples": [looks],
        "x-vendor": looks,
        "properties": {"$ref": {"type": "string"}, "default": {"type": "object"}},
    }
    schema_of(schema)


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"properties": {"a": {"pattern": "("}}}, "#/properties/a/pattern"),
        ({"patternProperties": {"[a": {}}}, "#/patternProperties"),
        ({"items": {"pattern": r"\Z"}}, "#/items/pattern"),
        ({"propertyNames": {"pattern": "(?P<x>a)"}}, "#/propertyNames/pattern"),
        ({"pattern": r"\p{Nope}"}, "#/pattern"),
    ],
)
def test_a_pattern_that_does_not_compile_is_refused(schema: dict[str, Any], where: str) -> None:
    text = refusal(schema)
    assert text.startswith(f"{where}: ")
    assert "ECMA-262" in text


@pytest.mark.parametrize(
    ("schema", "where", "why"),
    [
        (
            {"properties": {"a": {"type": "string", "default": 5}}},
            "#/properties/a/default",
            "expected string, received number",
        ),
        ({"properties": {"a": {"maximum": 50, "default": 100}}}, "#/properties/a/default", "<=50"),
        ({"properties": {"a": {"type": "string", "default": None}}}, "#/properties/a/default", "received null"),
        (
            {"items": {"$ref": "#/$defs/N", "default": "x"}, "$defs": {"N": {"type": "integer"}}},
            "#/items/default",
            "number",
        ),
        ({"$defs": {"N": {"enum": ["a"], "default": "b"}}}, "#/$defs/N/default", 'expected "a"'),
        ({"anyOf": [{"format": "date", "default": "today"}]}, "#/anyOf/0/default", "Invalid ISO date"),
        ({"properties": {"a": {"required": ["b"], "default": {}}}}, "#/properties/a/default", "b: Invalid input"),
        (
            {
                "$defs": {
                    "d": {
                        "$id": "inner",
                        "$defs": {"s": {"type": "string"}},
                        "items": {"$ref": "#/$defs/s", "default": 1},
                    }
                }
            },
            "#/$defs/d/items/default",
            "expected string",
        ),
    ],
)
def test_a_default_that_breaks_its_own_subschema_is_refused(schema: dict[str, Any], where: str, why: str) -> None:
    text = refusal(schema)
    assert text.startswith(f"{where}: ")
    assert why in text


def test_a_default_that_fits_is_fine() -> None:
    assert schema_of({"properties": {"a": {"type": "integer", "default": 5.0}}}).validate({}) == Valid({"a": 5})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {
            "properties": {"a": {"$ref": "#/$defs/A"}},
            "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/B"}, {}]}, "B": {"not": {"$ref": "#/$defs/A"}}},
        },
    ],
)
def test_a_schema_that_only_refers_to_itself_is_refused(schema: dict[str, Any]) -> None:
    assert "refers to itself" in refusal(schema)


def test_recursion_through_the_value_is_fine() -> None:
    schema_of(
        {
            "properties": {"a": {"$ref": "#"}, "b": {"items": {"$ref": "#/properties/b"}}},
            "allOf": [{"items": {"$ref": "#"}}],
        }
    )


def test_bounds_on_depth_and_number() -> None:
    deep: dict[str, Any] = {}
    for _ in range(MAX_DEPTH // 2 - 1):
        deep = {"properties": {"a": deep}}
    schema_of(deep)
    for levels in (MAX_DEPTH, 50_000):
        for _ in range(levels):
            deep = {"not": deep}
        assert f"{MAX_DEPTH} levels" in refusal(deep)
    assert f"{MAX_SUBSCHEMAS} subschemas" in refusal({"$defs": {f"d{n}": {} for n in range(MAX_SUBSCHEMAS + 1)}})


def test_a_schema_that_holds_itself_is_refused() -> None:
    endless: dict[str, Any] = {}
    endless["items"] = endless
    assert "levels" in refusal(endless)


@pytest.mark.parametrize(
    ("part", "kind"), [({1, 2}, "set"), (object(), "object"), (float("nan"), "NaN"), ({1: 2}, "key is int")]
)
def test_a_schema_that_is_not_json_is_refused_at_the_place(part: Any, kind: str) -> None:
    text = refusal({"properties": {"a": {"x": part}}})
    assert "#/properties/a/x" in text
    assert kind in text


def test_a_tuple_in_a_schema_is_a_list() -> None:
    schema = schema_of({"enum": ("a", "b")})
    assert schema.json_schema("input") == {"enum": ["a", "b"]}
    assert schema.validate("a") == Valid("a")


def test_jsonschema_is_imported_for_dict_schemas_only() -> None:
    code = (
        "import sys, picomcp_py; from picomcp_py.schemas.schema import schema_of; from msgspec import Struct\n"
        "from picomcp_py.schemas.coerce import Walker\n"
        "from picomcp_py.schemas.document import Document\n"
        "class A(Struct):\n    x: int\n"
        "schema_of(A).validate({'x': 1})\n"
        "refers = {'properties': {'a': {'$ref': '#/$defs/A'}}, '$defs': {'A': {'type': 'integer'}}}\n"
        "assert Walker(Document(refers), lenient=True)({'a': '1'}) == {'a': 1}\n"
        "assert not {'jsonschema', 'referencing'} & sys.modules.keys()\n"
        "schema_of({'type': 'object'})\n"
        "assert 'jsonschema' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
