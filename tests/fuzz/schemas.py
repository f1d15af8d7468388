"""Strategies for small schemas: JSON Schema documents, and one object written as a dict, a Struct and a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
import pydantic
from hypothesis import strategies as st

NAMES = ["a", "b", "cc", "d-e", "ü"]
TEXTS = st.sampled_from(["", "a", "ab", "abc", "5", "true", "ü", "😀", "a\n", " "]) | st.text(max_size=4)
NUMBERS = st.sampled_from([0, 1, -1, 5, 5.0, 5.5, 0.1, 0.3, -0.0, 10**20, 1e20, 2**53 + 1, 1e-9]) | st.integers(-9, 9)
SCALARS: st.SearchStrategy[Any] = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=8,
)
BOUNDS = st.integers(-3, 9)
SIZES = st.integers(0, 3)


def _leaves() -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        st.just({}),
        st.sampled_from([{"type": name} for name in ("null", "boolean", "object", "array")]),
        st.lists(
            st.sampled_from(["null", "boolean", "integer", "number", "string"]), min_size=1, max_size=3, unique=True
        ).map(lambda names: {"type": names}),
        st.fixed_dictionaries(
            {"type": st.sampled_from(["integer", "number"])},
            optional={
                "minimum": BOUNDS,
                "maximum": BOUNDS,
                "exclusiveMinimum": BOUNDS,
                "exclusiveMaximum": BOUNDS,
                "multipleOf": st.sampled_from([1, 2, 5, 0.5]),
            },
        ),
        st.fixed_dictionaries(
            {"type": st.just("string")},
            # No "$": in Python's re, and so in jsonschema, it lets a line break pass.
            optional={
                "minLength": SIZES,
                "maxLength": SIZES,
                "pattern": st.sampled_from(["^a", "b", "[0-9]+", "^.?.?"]),
            },
        ),
        st.lists(SCALARS, min_size=1, max_size=3, unique_by=repr).map(lambda values: {"enum": values}),
        SCALARS.map(lambda value: {"const": value}),
    )


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        objects(inner),
        st.fixed_dictionaries(
            {"type": st.just("array")},
            optional={
                "items": inner,
                "prefixItems": st.lists(inner, min_size=1, max_size=2),
                "minItems": SIZES,
                "maxItems": SIZES,
                "uniqueItems": st.booleans(),
                "contains": inner,
            },
        ),
        st.builds(
            lambda key, branches: {key: branches},
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        inner.map(lambda schema: {"not": schema}),
        st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner}),
    )


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)},
        optional={
            "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "additionalProperties": st.booleans() | inner,
            "unevaluatedProperties": st.booleans(),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "c"]), inner, max_size=1),
            "propertyNames": st.sampled_from([{"maxLength": 1}, {"enum": NAMES[:3]}]),
            "minProperties": SIZES,
            "maxProperties": SIZES,
            "dependentRequired": st.just({"a": ["b"]}),
        },
    )


DOCUMENTS = objects(st.recursive(_leaves() | st.booleans(), _nested, max_leaves=5))


# ------------------------------------------------------------ one object, three ways to write it


@dataclass(frozen=True)
class Field:
    """One member in the three ways; `default` is `...` for a required one."""

    schema: dict[str, Any]
    struct: Any
    model: Any
    default: Any = ...


def _integers(least: int | None, most: int | None, step: int | None) -> Field:
    schema = {"type": "integer", "minimum": least, "maximum": most, "multipleOf": step}
    meta = msgspec.Meta(ge=least, le=most, multiple_of=step)
    field = pydantic.Field(ge=least, le=most, multiple_of=step)
    return Field(_given(schema), Annotated[int, meta], Annotated[int, field])


def _numbers(least: int | None, most: int | None) -> Field:
    schema = {"type": "number", "exclusiveMinimum": least, "exclusiveMaximum": most}
    return Field(
        _given(schema),
        Annotated[float, msgspec.Meta(gt=least, lt=most)],
        Annotated[float, pydantic.Field(gt=least, lt=most)],
    )


def _strings(least: int | None, most: int | None, pattern: str | None) -> Field:
    schema = {"type": "string", "minLength": least, "maxLength": most, "pattern": pattern}
    meta = msgspec.Meta(min_length=least, max_length=most, pattern=pattern)
    field = pydantic.Field(min_length=least, max_length=most, pattern=pattern)
    return Field(_given(schema), Annotated[str, meta], Annotated[str, field])


def _lists(item: Field, least: int | None, most: int | None) -> Field:
    schema = {"type": "array", "items": item.schema, "minItems": least, "maxItems": most}
    return Field(
        _given(schema),
        Annotated[list[item.struct], msgspec.Meta(min_length=least, max_length=most)],  # type: ignore[name-defined]
        Annotated[list[item.model], pydantic.Field(min_length=least, max_length=most)],  # type: ignore[name-defined]
    )


def _nullable(inner: Field) -> Field:
    return Field({"anyOf": [inner.schema, {"type": "null"}]}, inner.struct | None, inner.model | None)


def _maps(inner: Field) -> Field:
    schema = {"type": "object", "additionalProperties": inner.schema}
    return Field(schema, dict[str, inner.struct], dict[str, inner.model])  # type: ignore[name-defined]


def _given(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if value is not None}


def objects_of(fields: dict[str, Field], forbid: bool) -> Field:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            name: field.schema | ({} if field.default is ... else {"default": field.default})
            for name, field in fields.items()
        },
        "required": [name for name, field in fields.items() if field.default is ...],
    }
    if forbid:
        schema["additionalProperties"] = False
    struct_fields = [
        (name, field.struct) if field.default is ... else (name, field.struct, field.default)
        for name, field in fields.items()
    ]
    struct = msgspec.defstruct("Generated", struct_fields, kw_only=True, forbid_unknown_fields=forbid)
    model_fields: dict[str, Any] = {name: (field.model, field.default) for name, field in fields.items()}
    config = pydantic.ConfigDict(extra="forbid" if forbid else "ignore")
    return Field(schema, struct, pydantic.create_model("Generated", __config__=config, **model_fields))


_BOUND = st.none() | st.integers(-2, 6)
_SIZE = st.none() | st.integers(0, 3)
_LEAF_FIELDS = st.one_of(
    st.builds(_integers, _BOUND, _BOUND, st.sampled_from([None, 2, 5])),
    st.builds(_numbers, _BOUND, _BOUND),
    st.builds(_strings, _SIZE, _SIZE, st.sampled_from([None, "^a", "b"])),
    st.just(Field({"type": "boolean"}, bool, bool)),
    st.just(Field({"type": "string", "enum": ["new", "old"]}, Literal["new", "old"], Literal["new", "old"])),
)


def _deeper(inner: st.SearchStrategy[Field]) -> st.SearchStrategy[Field]:
    return st.one_of(
        st.builds(_lists, inner, _SIZE, _SIZE), st.builds(_nullable, inner), st.builds(_maps, inner), _objects(inner)
    )


def _optional(field: Field) -> Field:
    """With a default of its own type: null if it may be."""
    nullable = Field({"anyOf": [field.schema, {"type": "null"}]}, field.struct | None, field.model | None, None)
    if "anyOf" in field.schema:
        return Field(field.schema, field.struct, field.model, None)
    return nullable


def _objects(inner: st.SearchStrategy[Field]) -> st.SearchStrategy[Field]:
    member = inner | inner.map(_optional)
    names = st.sampled_from(["a", "b", "cc", "limit"])
    return st.builds(objects_of, st.dictionaries(names, member, min_size=1, max_size=3), st.booleans())


OBJECTS = _objects(st.recursive(_LEAF_FIELDS, _deeper, max_leaves=4))
ARGUMENTS = st.dictionaries(
    st.sampled_from(["a", "b", "cc", "limit", "Limit", "x y"]),
    st.recursive(
        SCALARS | st.sampled_from(["new", "old", "abc", "b"]),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "cc", "limit"]), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    max_size=4,
)
