"""A jsonschema validator as a schema: its class, format checker and registry count, its means to fetch don't."""

from __future__ import annotations

import urllib.request
from typing import Any

import jsonschema
import pytest
from jsonschema import Draft7Validator, Draft202012Validator, FormatChecker, ValidationError, validators
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from picomcp_py.errors import ConfigError
from picomcp_py.schemas.schema import Invalid, Schema, Valid, render_issues, schema_of


def text_of(schema: Schema[Any], value: Any) -> str:
    result = schema.validate(value)
    assert isinstance(result, Invalid)
    return render_issues(result.issues)


def test_a_validator_is_a_schema_in_its_own_dialect() -> None:
    source = {"type": "object", "properties": {"a": {"items": [{"type": "string"}]}, "b": {"default": 1}}}
    schema = schema_of(Draft7Validator(source))
    assert schema.vendor == "json-schema"
    assert schema.json_schema("input") == source
    assert schema.validate({"a": ["x", 1]}) == Valid({"a": ["x", 1], "b": 1})
    assert text_of(schema, {"a": [1]}) == "a[0]: Invalid input: expected string, received number"
    with pytest.raises(ConfigError, match="not a valid JSON Schema"):
        schema_of(Draft202012Validator(source))


def test_its_format_checker_counts() -> None:
    checker = FormatChecker(formats=())

    @checker.checks("even")
    def is_even(value: object) -> bool:
        return not isinstance(value, str) or len(value) % 2 == 0

    source = {"properties": {"a": {"format": "even"}, "b": {"format": "uuid"}}}
    schema = schema_of(Draft202012Validator(source, format_checker=checker))
    assert text_of(schema, {"a": "x", "b": "x"}) == "a: Invalid even"
    # Without one, the formats are the ones that dict schemas have.
    assert text_of(schema_of(Draft202012Validator(source)), {"a": "x", "b": "x"}) == "b: Invalid UUID"


def test_keywords_of_its_class_count_and_ours_stay() -> None:
    def even(validator: Any, wanted: bool, instance: Any, schema: Any) -> Any:
        if wanted and instance % 2:
            yield ValidationError(f"{instance} is odd, says the library at length")

    kind = validators.extend(Draft202012Validator, {"even": even})
    schema = schema_of(kind({"properties": {"a": {"even": True}, "b": {}}, "required": ["b"]}))
    assert text_of(schema, {"a": 1}).splitlines() == [
        'a: Invalid input: breaks "even" of the schema',
        "b: Invalid input: expected a value, received undefined",
    ]


def test_resources_of_its_registry_are_followed() -> None:
    name = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "string", "pattern": "^a$"}
    number = {"$id": "https://example.test/number", "type": "integer"}
    registry: Registry[Any] = Registry().with_resources(
        [
            ("https://example.test/name", Resource.from_contents(name)),
            ("https://example.test/number", Resource(number, DRAFT202012)),
        ]
    )
    source = {
        "properties": {"a": {"$ref": "https://example.test/name"}, "b": {"$ref": "https://example.test/number"}},
        "additionalProperties": False,
    }
    schema = schema_of(Draft202012Validator(source, registry=registry))
    result = schema.validate({"a": "a", "b": 5.0})
    assert result == Valid({"a": "a", "b": 5})
    assert type(result.value["b"]) is int
    # ECMA patterns and our words hold in there too, and the user's resources are not touched.
    assert text_of(schema, {"a": "a\n", "b": "x"}).splitlines() == [
        "a: Invalid string: must match pattern /^a$/",
        "b: Invalid input: expected number, received string",
    ]
    assert name["pattern"] == "^a$"
    assert "$schema" in name


def test_a_reference_inside_a_resource_is_checked_at_registration() -> None:
    registry: Registry[Any] = Registry().with_resource(
        "https://example.test/a", Resource({"$ref": "https://example.test/missing"}, DRAFT202012)
    )
    with pytest.raises(ConfigError, match=r"example\.test/missing"):
        schema_of(Draft202012Validator({"$ref": "https://example.test/a"}, registry=registry))


def test_nothing_is_fetched_neither_by_default_nor_by_a_registry_that_could(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(urllib.request, "urlopen", asked.append)

    def retrieve(uri: str) -> Any:
        asked.append(uri)
        return Resource({"type": "string"}, DRAFT202012)

    source = {"$ref": "http://127.0.0.1:1/schema.json"}
    for validator in (
        Draft202012Validator(source),
        Draft202012Validator(source, registry=Registry(retrieve=retrieve)),  # type: ignore[call-arg]
    ):
        with pytest.raises(ConfigError, match="nothing is ever fetched"):
            schema_of(validator)
    assert asked == []


def test_what_can_not_work_is_refused() -> None:
    with pytest.raises(ConfigError, match="JSON object"):
        schema_of(Draft202012Validator(True))
    with pytest.raises(ConfigError, match="draft-04"):
        schema_of(jsonschema.Draft4Validator({}))
    with pytest.raises(ConfigError, match=r"pass a validator, Draft202012Validator\(schema\)"):
        schema_of(Draft202012Validator)
    for value in (True, False, [], "x"):
        with pytest.raises(ConfigError, match="is not a schema"):
            schema_of(value)
