"""Annotations that are strings (`from __future__ import annotations`), resolved in the module that holds the class."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Literal, NotRequired, TypedDict

import pytest
from msgspec import Meta, Struct
from pydantic import BaseModel, Field

from picomcp_py.schemas.schema import Valid, render_issues, schema_of

Positive = Annotated[int, Meta(ge=1)]
PydanticPositive = Annotated[int, Field(ge=1)]
Mode = Literal["fast", "exact"]


class AsStruct(Struct):
    n: Positive
    mode: Mode = "fast"


class AsTypedDict(TypedDict):
    n: Positive
    mode: NotRequired[Mode]


@dataclasses.dataclass
class AsDataclass:
    n: Positive
    mode: Mode = "fast"


class AsModel(BaseModel):
    n: PydanticPositive
    mode: Mode = "fast"


@pytest.mark.parametrize("source", [AsStruct, AsTypedDict, AsDataclass, AsModel])
def test_constraints_and_literals_of_string_annotations_are_kept(source):
    schema = schema_of(source)
    published = schema.json_schema("input")
    assert published["properties"]["n"]["minimum"] == 1
    assert published["properties"]["mode"]["enum"] == ["fast", "exact"]
    assert published["required"] == ["n"]
    assert isinstance(schema.validate_json(b'{"n":1}'), Valid)
    assert render_issues(schema.validate_json(b'{"n":0,"mode":"x"}').issues).splitlines() == [
        "n: Too small: expected number to be >=1",
        'mode: Invalid option: expected one of "fast"|"exact"',
    ]
