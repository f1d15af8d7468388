"""The JSON Schemas of pydantic types, and what is refused when a type is adapted."""

import datetime
import decimal
import enum
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pydantic
import pytest
from jsonschema import Draft202012Validator
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, RootModel, TypeAdapter, computed_field

from picomcp_py.errors import ConfigError
from picomcp_py.schemas.adapters import json_schema, msgspec_type, pydantic_type
from picomcp_py.schemas.schema import Schema, schema_of


class Color(enum.Enum):
    red = "red"
    blue = "blue"
    azure = "azure"


class Inner(BaseModel):
    """An inner thing."""

    model_config = ConfigDict(extra="forbid")
    zed: int
    title: str = Field("t", title="The Title", description="its title")


class Tree(BaseModel):
    value: int
    kids: "list[Tree]" = []


class Cat(BaseModel):
    kind: Literal["cat"]
    n: int


class Dog(BaseModel):
    kind: Literal["dog"]
    n: int


@pydantic.dataclasses.dataclass
class Point:
    y: int
    x: int = 0


def published(source: Any, io: Any = "input") -> dict[str, Any]:
    schema = schema_of(source).json_schema(io)
    Draft202012Validator.check_schema(schema)
    return json.loads(json.dumps(schema, allow_nan=False))


def test_it_is_a_schema_of_vendor_pydantic():
    schema = schema_of(Inner)
    assert isinstance(schema, Schema)
    assert schema.vendor == "pydantic"


def test_generated_titles_are_pruned_and_written_ones_and_properties_called_title_stay():
    assert published(Inner) == {
        "description": "An inner thing.",
        "type": "object",
        "properties": {
            "zed": {"type": "integer"},
            "title": {"type": "string", "default": "t", "title": "The Title", "description": "its title"},
        },
        "required": ["zed"],
        "additionalProperties": False,
    }
    assert list(published(Inner)["properties"]) == ["zed", "title"]


def test_a_recursive_model_keeps_its_definition_and_has_an_object_root():
    schema = published(Tree)
    assert schema["type"] == "object"
    assert schema["properties"]["kids"]["items"] == {"$ref": "#/$defs/Tree"}
    assert schema["$defs"]["Tree"]["type"] == "object"


def test_an_empty_model_has_empty_properties():
    class Empty(BaseModel):
        pass

    assert published(Empty) == {"type": "object", "properties": {}}


def test_enums_keep_their_order_and_have_no_title():
    class Holder(BaseModel):
        first: Color
        second: Color = Field(Color.blue, description="beside")

    schema = published(Holder)
    assert schema["$defs"] == {"Color": {"type": "string", "enum": ["red", "blue", "azure"]}}
    assert schema["properties"]["second"] == {"$ref": "#/$defs/Color", "description": "beside", "default": "blue"}


def test_tuples_are_closed():
    class Holder(BaseModel):
        pair: tuple[int, int]

    assert published(Holder)["properties"]["pair"] == {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "integer"}],
        "items": False,
        "minItems": 2,
        "maxItems": 2,
    }


def test_discriminated_unions_are_one_of_without_the_openapi_keyword():
    class Holder(BaseModel):
        pet: Annotated[Cat | Dog, Field(discriminator="kind")]

    pet = published(Holder)["properties"]["pet"]
    assert list(pet) == ["oneOf"]
    assert [m["properties"]["kind"]["const"] for m in pet["oneOf"]] == ["cat", "dog"]


def test_every_kind_of_pydantic_type_is_a_schema():
    class Numbers(RootModel[list[int]]):
        pass

    assert published(Numbers) == {"type": "array", "items": {"type": "integer"}}
    assert published(TypeAdapter(list[int])) == {"type": "array", "items": {"type": "integer"}}
    assert list(published(Point)["properties"]) == ["y", "x"]
    assert published(list[Cat])["items"]["required"] == ["kind", "n"]
    assert published(Cat | None)["anyOf"][1] == {"type": "null"}
    assert published(Annotated[int, Field(ge=1)]) == {"type": "integer", "minimum": 1}


def test_defaults_of_factories_are_shown_if_they_are_the_same_each_time():
    class Made(BaseModel):
        tags: list[str] = Field(default_factory=lambda: ["x"])
        point: Point = Field(default_factory=lambda: Point(5))
        today: datetime.date = Field(default_factory=datetime.date.today)
        fails: int = Field(default_factory=lambda: 1 // 0)
        infinite: float = float("inf")

    shown = {name: part.get("default", "none") for name, part in published(Made)["properties"].items()}
    assert shown == {"tags": ["x"], "point": {"y": 5, "x": 0}, "today": "none", "fails": "none", "infinite": "none"}


class Component(BaseModel):
    number: int = Field(validation_alias=AliasChoices("id", "component_id"), serialization_alias="componentId")
    price: decimal.Decimal = Field(alias="thePrice")

    @computed_field
    def double(self) -> int:
        return self.number * 2


def test_input_names_are_those_accepted_and_output_names_those_written():
    assert list(published(Component)["properties"]) == ["id", "thePrice"]
    assert list(published(Component, "output")["properties"]) == ["componentId", "thePrice", "double"]
    dumped = schema_of(Component).dump(Component(id=1, thePrice="1.50"))
    assert dumped == {"componentId": 1, "thePrice": "1.50", "double": 2}
    Draft202012Validator(published(Component, "output")).validate(dumped)


def test_names_follow_the_models_own_switches():
    class ByName(BaseModel):
        model_config = ConfigDict(validate_by_alias=False, validate_by_name=True)
        a: int = Field(alias="b")

    schema = schema_of(ByName)
    (read,) = published(ByName)["properties"]
    (written,) = published(ByName, "output")["properties"]
    assert schema.validate_json(f'{{"{read}":1}}'.encode()).value.a == 1
    assert list(schema.dump(ByName(a=1))) == [written]


# ---- refused when adapted ------------------------------------------------------------------------------------------


def refusal(source: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        schema_of(source)
    assert "http" not in str(caught.value)
    return str(caught.value)


def test_a_default_that_breaks_its_own_type_is_refused():
    class Search(BaseModel):
        limit: int = Field(100, le=50)

    class Outer(BaseModel):
        searches: list[Search]

    class Nothing(BaseModel):
        n: int = None

    assert "limit: the default 100 does not fit" in refusal(Search)
    assert "searches.limit: the default 100" in refusal(Outer)
    assert "`... | None`" in refusal(Nothing)


def test_defaults_that_fit_in_json_are_kept():
    class Fine(BaseModel):
        when: datetime.date = "2026-07-28"
        price: decimal.Decimal = 0
        ratio: float = 1
        tree: Tree = Tree(value=1)
        color: Color = Field(Color.red, validate_default=True)

    assert schema_of(Fine).validate_json(b"{}").value.color is Color.red


def test_a_default_that_would_fail_at_each_call_is_refused():
    class Checked(BaseModel):
        n: int = Field("5", validate_default=True)

    assert "n: the default '5'" in refusal(Checked)


def test_an_unresolvable_forward_reference_is_refused_by_name():
    class Outer(BaseModel):
        inner: "Local"

    class Local(BaseModel):
        x: int

    text = refusal(Outer)
    assert "Outer" in text
    assert "'Local' is not defined" in text


class Opaque:
    pass


@pytest.mark.parametrize(
    ("part", "named"),
    [(Callable[[int], int], "callable"), (Callable[[int], int] | int, "callable"), (Opaque, "Opaque")],
)
def test_a_part_without_json_schema_is_refused_by_field_and_name(part, named):
    class Holder(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        some_field: part

    text = refusal(Holder)
    assert "some_field" in text
    assert named in text


def test_an_alias_path_alone_cannot_be_published():
    class Deep(BaseModel):
        k: int = Field(validation_alias=AliasPath("a", 0))

    assert "AliasPath" in refusal(Deep)


def test_a_pattern_of_another_dialect_is_refused():
    class Odd(BaseModel):
        p: str = Field(pattern=r"\Aa\z")

    assert "pattern" in refusal(Odd)


def test_a_reference_of_the_authors_that_leads_nowhere_is_refused():
    class Lost(BaseModel):
        p: int = Field(json_schema_extra={"$ref": "#/$defs/Nowhere"})

    assert "#/$defs/Nowhere" in refusal(Lost)


def test_types_of_other_libraries_are_not_recognised():
    import dataclasses

    import msgspec

    @dataclasses.dataclass
    class Plain:
        x: int

    for source in (Plain, msgspec.defstruct("S", ["x"]), dict, list[int], int | None, {"type": "object"}, Inner(zed=1)):
        assert not pydantic_type.recognises(source)
    for source in (
        Inner,
        Point,
        TypeAdapter(int),
        list[Inner],
        dict[str, Inner],
        Inner | None,
        Annotated[int, Field(ge=1)],
    ):
        assert pydantic_type.recognises(source)
        assert not msgspec_type.recognises(source)
        assert not json_schema.recognises(source)


def test_recognising_does_not_import_pydantic():
    code = (
        "import sys\nfrom picomcp_py.schemas.adapters import pydantic_type\n"
        "assert not pydantic_type.recognises(dict)\nassert not pydantic_type.recognises(list[int])\n"
        "assert 'pydantic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
