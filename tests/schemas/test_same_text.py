"""The same faults have the same text, whether the schema is a dict, a msgspec type or a pydantic model."""

import json
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from msgspec import Meta, Struct
from pydantic import BaseModel, ConfigDict, Field

from picomcp_py.schemas.schema import Valid, render_issues, schema_of


class StructFilter(Struct, forbid_unknown_fields=True):
    since: Annotated[str, Meta(min_length=4)]
    depth: int = 1


class StructSearch(Struct):
    repo: Annotated[str, Meta(pattern="^[a-z]")]
    limit: Annotated[int, Meta(ge=1, le=50)] = 10
    exact: bool = False
    sort: Literal["new", "old"] = "new"
    ratio: float | None = None
    filters: Annotated[list[StructFilter], Meta(max_length=3)] = []
    pair: tuple[int, int] = (0, 0)
    labels: dict[str, int] = {}
    step: Annotated[int, Meta(multiple_of=5)] = 5


class ModelFilter(BaseModel):
    model_config = ConfigDict(extra="forbid")
    since: str = Field(min_length=4)
    depth: int = 1


class ModelSearch(BaseModel):
    repo: str = Field(pattern="^[a-z]")
    limit: int = Field(10, ge=1, le=50)
    exact: bool = False
    sort: Literal["new", "old"] = "new"
    ratio: float | None = None
    filters: list[ModelFilter] = Field([], max_length=3)
    pair: tuple[int, int] = (0, 0)
    labels: dict[str, int] = {}
    step: int = Field(5, multiple_of=5)


class DictFilter(TypedDict):
    since: Annotated[str, Meta(min_length=4)]
    depth: NotRequired[int]


DOCUMENT = {
    "type": "object",
    "properties": {
        "repo": {"type": "string", "pattern": "^[a-z]"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "exact": {"type": "boolean", "default": False},
        "sort": {"type": "string", "enum": ["new", "old"], "default": "new"},
        "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None},
        "filters": {
            "type": "array",
            "maxItems": 3,
            "default": [],
            "items": {
                "type": "object",
                "properties": {
                    "since": {"type": "string", "minLength": 4},
                    "depth": {"type": "integer", "default": 1},
                },
                "required": ["since"],
                "additionalProperties": False,
            },
        },
        "pair": {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "integer"}],
            "items": False,
            "minItems": 2,
            "maxItems": 2,
            "default": [0, 0],
        },
        "labels": {"type": "object", "additionalProperties": {"type": "integer"}, "default": {}},
        "step": {"type": "integer", "multipleOf": 5, "default": 5},
    },
    "required": ["repo"],
}
KINDS = {"dict": DOCUMENT, "msgspec": StructSearch, "pydantic": ModelSearch}

NUMBER = "Invalid input: expected number, received"
FAULTS: list[tuple[Any, list[str]]] = [
    ({}, ["repo: Invalid input: expected string, received undefined"]),
    ({"repo": None}, ["repo: Invalid input: expected string, received null"]),
    ({"repo": "A"}, ["repo: Invalid string: must match pattern /^[a-z]/"]),
    ({"repo": "a/b", "limit": 100}, ["limit: Too big: expected number to be <=50"]),
    ({"repo": "a/b", "limit": 0}, ["limit: Too small: expected number to be >=1"]),
    ({"repo": "a/b", "limit": 5.5}, ["limit: Invalid input: expected int, received number"]),
    ({"repo": "a/b", "limit": "5"}, [f"limit: {NUMBER} string"]),
    ({"repo": "a/b", "limit": True}, [f"limit: {NUMBER} boolean"]),
    ({"repo": "a/b", "exact": "false"}, ["exact: Invalid input: expected boolean, received string"]),
    ({"repo": "a/b", "exact": 0}, ["exact: Invalid input: expected boolean, received number"]),
    ({"repo": "a/b", "sort": "best"}, ['sort: Invalid option: expected one of "new"|"old"']),
    ({"repo": "a/b", "filters": '[{"since":"2026"}]'}, ["filters: Invalid input: expected array, received string"]),
    ({"repo": "a/b", "filters": [{"since": "x"}]}, None),
    ({"repo": "a/b", "filters": [{"depth": "x"}, 5]}, None),
    ({"repo": "a/b", "filters": [{"since": "2026", "depth": 1, "zz": 1}]}, None),
    ({"repo": "a/b", "filters": [{"since": "2026"}] * 4}, None),
    ({"repo": "a/b", "pair": [1]}, None),
    ({"repo": "a/b", "pair": [1, 2, 3]}, None),
    ({"repo": "a/b", "pair": [1, "x"]}, [f"pair[1]: {NUMBER} string"]),
    (
        {"repo": "a/b", "labels": {"a b": "x", "c": None}},
        [f'labels["a b"]: {NUMBER} string', f"labels.c: {NUMBER} null"],
    ),
    ({"repo": "a/b", "ratio": "x"}, None),
    ({"repo": "a/b", "step": 7}, ["step: Invalid number: must be a multiple of 5"]),
    (
        {
            "step": 1,
            "limit": 100,
            "filters": [{"since": "2026"}, {"since": 5, "depth": 1, "zz": 1}],
            "exact": "no",
            "pair": 1,
        },
        None,
    ),
    ([], ["Invalid input: expected object, received array"]),
    ("x", ["Invalid input: expected object, received string"]),
    (None, ["Invalid input: expected object, received null"]),
]


def told(source: Any, value: Any) -> list[str]:
    outcome = schema_of(source).validate_json(json.dumps(value).encode())
    assert not isinstance(outcome, Valid)
    return render_issues(outcome.issues).splitlines()


@pytest.mark.parametrize(("value", "lines"), FAULTS, ids=[json.dumps(value)[:60] for value, _ in FAULTS])
def test_one_fault_has_one_text(value, lines):
    by_kind = {kind: told(source, value) for kind, source in KINDS.items()}
    assert by_kind["msgspec"] == by_kind["dict"]
    assert by_kind["pydantic"] == by_kind["dict"]
    if lines is not None:
        assert by_kind["dict"] == lines


def test_every_fault_is_told_at_its_path_in_schema_order():
    value = {
        "step": 1,
        "limit": 100,
        "filters": [{"since": "2026"}, {"since": 5, "depth": 1, "zz": 1}],
        "exact": "no",
        "pair": 1,
    }
    for source in KINDS.values():
        paths = [line.partition(":")[0] for line in told(source, value)]
        assert paths == ["repo", "limit", "exact", "filters[1].since", "filters[1].zz", "pair", "step"]


@pytest.mark.parametrize(
    "value",
    [
        {"repo": "a/b"},
        {"repo": "a/b", "limit": 5.0},
        {"repo": "a/b", "ratio": 5},
        {"repo": "a/b", "ratio": None},
        {"repo": "a/b", "sessionId": "x"},
        {
            "repo": "a/b",
            "filters": [{"since": "2026", "depth": 2.0}],
            "pair": [1, 2.0],
            "labels": {"a": 3.0},
            "step": 1e1,
        },
    ],
)
def test_all_kinds_accept_the_same(value):
    for source in KINDS.values():
        assert isinstance(schema_of(source).validate_json(json.dumps(value).encode()), Valid)


def test_defaults_are_the_same():
    seen = {kind: schema_of(source).validate_json(b'{"repo":"a/b"}').value for kind, source in KINDS.items()}
    assert seen["dict"]["limit"] == seen["msgspec"].limit == seen["pydantic"].limit == 10
    assert seen["dict"]["sort"] == seen["msgspec"].sort == seen["pydantic"].sort == "new"


def test_a_constraint_of_one_library_has_the_text_of_the_others():
    """A TypedDict is read by msgspec; the keys that are wrong are told as everywhere."""
    assert told(DictFilter, {"since": "x", "depth": "y"}) == [
        "since: Too small: expected string to have >=4 characters",
        f"depth: {NUMBER} string",
    ]


def test_published_schemas_of_all_kinds_are_the_same():
    dict_schema, struct_schema, model_schema = (schema_of(source).json_schema("input") for source in KINDS.values())
    assert struct_schema == dict_schema
    assert model_schema == dict_schema
