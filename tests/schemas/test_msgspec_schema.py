"""The JSON Schema of msgspec types, and what is refused when a type is adapted."""

import dataclasses
import datetime
import decimal
import enum
import json
import sys
import uuid
from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypedDict, TypeVar

import annotated_types
import attrs
import msgspec
import pytest
from jsonschema import Draft202012Validator
from msgspec import UNSET, Meta, Struct, UnsetType, field
from pydantic import BaseModel, Field

from picomcp_py.errors import ConfigError
from picomcp_py.schemas.adapters import json_schema, msgspec_type, pydantic_type
from picomcp_py.schemas.schema import Schema, schema_of

T = TypeVar("T")


class Color(enum.Enum):
    red = "red"
    blue = "blue"
    azure = "azure"


class Inner(Struct, forbid_unknown_fields=True):
    """An inner thing.

    In two paragraphs.
    """

    zed: int
    alpha: Annotated[Literal["b", "a"], Meta(description="pick one")] = "b"


class Tree(Struct):
    value: int
    kids: "list[Tree]" = []


class Cat(Struct, tag="cat"):
    n: int


class Dog(Struct, tag="dog"):
    n: int


class Person(TypedDict):
    zip: int
    age: NotRequired[int]


@dataclasses.dataclass
class Point:
    y: int
    x: int = 0


class Pair(NamedTuple):
    b: int
    a: str = "q"


@attrs.define
class Limits:
    n: int
    s: str = ""


class Box(Struct, Generic[T]):
    item: T


def published(source: Any, io: Any = "input") -> dict[str, Any]:
    schema = schema_of(source).json_schema(io)
    Draft202012Validator.check_schema(schema)
    return json.loads(json.dumps(schema, allow_nan=False))


def test_it_is_a_schema_of_vendor_msgspec():
    schema = schema_of(Inner)
    assert isinstance(schema, Schema)
    assert schema.vendor == "msgspec"


def test_the_root_of_a_struct_is_an_object_without_ref_or_title():
    assert published(Inner) == {
        "description": "An inner thing.\n\nIn two paragraphs.",
        "type": "object",
        "properties": {
            "zed": {"type": "integer"},
            "alpha": {"type": "string", "enum": ["b", "a"], "description": "pick one", "default": "b"},
        },
        "required": ["zed"],
        "additionalProperties": False,
    }


def test_a_recursive_struct_keeps_its_definition_and_has_an_object_root():
    schema = published(Tree)
    assert schema["type"] == "object"
    assert schema["properties"]["kids"]["items"] == {"$ref": "#/$defs/Tree"}
    assert schema["$defs"]["Tree"]["type"] == "object"


def test_an_empty_struct_has_empty_properties():
    class Empty(Struct):
        pass

    assert published(Empty) == {"type": "object", "properties": {}}


@pytest.mark.parametrize("kind", [Person, Point, Limits, Inner])
def test_every_object_kind_keeps_the_order_of_its_declaration(kind):
    names = {Person: ["zip", "age"], Point: ["y", "x"], Limits: ["n", "s"], Inner: ["zed", "alpha"]}
    assert list(published(kind)["properties"]) == names[kind]


def test_a_dataclass_with_keyword_only_fields_keeps_the_order_of_the_class_body():
    @dataclasses.dataclass(kw_only=True)
    class Mixed:
        first: int = 1
        second: int

    assert list(published(Mixed)["properties"]) == ["first", "second"]
    assert published(Mixed)["required"] == ["second"]


def test_enum_members_and_literals_keep_their_order():
    assert published(Color) == {"type": "string", "enum": ["red", "blue", "azure"]}
    assert published(Literal["b", "a", None]) == {"enum": ["b", "a", None]}
    assert published(list[Literal["z", "y"]])["items"] == {"type": "string", "enum": ["z", "y"]}


def test_automatic_docstrings_are_no_descriptions():
    assert "description" not in published(Point)
    assert "description" not in published(Pair)
    assert "description" not in published(Color)


def test_a_docstring_of_a_dataclass_is_a_description():
    @dataclasses.dataclass
    class Documented:
        """A documented thing."""

        x: int

    assert published(Documented)["description"] == "A documented thing."


def test_an_authors_title_stays_and_a_property_may_be_called_title():
    class Page(Struct):
        title: Annotated[str, Meta(title="The Title")]

    assert published(Page)["properties"]["title"] == {"type": "string", "title": "The Title"}


def test_dates_times_and_ids_have_the_formats_of_2020_12():
    assert published(datetime.datetime) == {"type": "string", "format": "date-time"}
    assert published(datetime.date) == {"type": "string", "format": "date"}
    assert published(datetime.timedelta) == {"type": "string", "format": "duration"}
    assert published(uuid.UUID) == {"type": "string", "format": "uuid"}
    assert published(Annotated[datetime.datetime, Meta(tz=False)]) == {"type": "string"}


def test_decimal_is_read_from_numbers_too_and_written_as_text():
    read, written = published(decimal.Decimal), published(decimal.Decimal, "output")
    assert read["type"] == ["string", "number"]
    assert written["type"] == "string"
    assert "format" not in read
    check = Draft202012Validator(written)
    assert [check.is_valid(v) for v in ("1.50", "-0", "1E+5", ".5", "x", "")] == [True, True, True, True, False, False]


def test_tuples_are_closed():
    assert published(tuple[int, str]) == {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "string"}],
        "items": False,
        "minItems": 2,
        "maxItems": 2,
    }
    assert published(Pair)["minItems"] == 1
    assert published(Pair)["maxItems"] == 2
    assert published(Pair)["items"] is False


def test_tagged_unions_have_no_openapi_discriminator():
    schema = published(Cat | Dog)
    assert [m["properties"]["type"]["const"] for m in schema["anyOf"]] == ["cat", "dog"]
    assert "discriminator" not in json.dumps(schema)


def test_a_definition_used_twice_is_shared_and_keeps_its_siblings():
    class Two(Struct):
        first: Color
        second: Annotated[Color, Meta(description="beside")] = Color.blue

    schema = published(Two)
    assert schema["properties"]["second"] == {"$ref": "#/$defs/Color", "description": "beside", "default": "blue"}
    assert list(schema["$defs"]) == ["Color"]


def test_a_definition_used_once_is_written_where_it_is_used():
    class One(Struct):
        color: Annotated[Color, Meta(description="beside")] = Color.blue

    schema = published(One)
    assert "$defs" not in schema
    assert schema["properties"]["color"]["enum"] == ["red", "blue", "azure"]
    assert schema["properties"]["color"]["description"] == "beside"


def test_classes_of_one_name_stay_apart():
    def make(kind: type) -> type:
        class Same(Struct):
            value: kind

        return Same

    class Both(Struct):
        a: list[make(int)]
        b: list[make(str)]
        c: tuple[Box[int], Box[str]]

    text = json.dumps(published(Both))
    assert text.count('"value"') == 4  # each once in properties, once in required
    (ints, strings) = published(Both)["properties"]["c"]["prefixItems"]
    assert ints["properties"]["item"] == {"type": "integer"}
    assert strings["properties"]["item"] == {"type": "string"}


def test_constraints_are_published():
    class Limited(Struct):
        a: Annotated[int, Meta(ge=1, le=5, multiple_of=2)]
        b: Annotated[float, Meta(gt=0, lt=1)]
        c: Annotated[str, Meta(min_length=1, max_length=3, pattern="^a")]
        d: Annotated[list[int], Meta(min_length=1, max_length=3)]
        e: Annotated[dict[str, int], Meta(min_length=1, max_length=3)]
        f: set[int]

    assert published(Limited)["properties"] == {
        "a": {"type": "integer", "minimum": 1, "maximum": 5, "multipleOf": 2},
        "b": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "c": {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^a"},
        "d": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3},
        "e": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 3},
        "f": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
    }


def test_unset_and_not_required_are_optional_and_not_null():
    class Partial(Struct):
        a: int | UnsetType = UNSET

    assert published(Partial) == {"type": "object", "properties": {"a": {"type": "integer"}}}
    assert published(Person)["required"] == ["zip"]


def test_rename_shows():
    class Camel(Struct, rename="camel"):
        first_name: str

    assert published(Camel)["required"] == ["firstName"]


def test_defaults_of_factories_are_shown_if_they_are_the_same_each_time():
    class Made(Struct):
        tags: list[str] = field(default_factory=lambda: ["x"])
        color: Color = Color.azure
        limits: Limits = field(default_factory=lambda: Limits(5))
        today: datetime.date = field(default_factory=datetime.date.today)
        key: uuid.UUID = field(default_factory=uuid.uuid4)
        fails: int = field(default_factory=lambda: 1 // 0)
        infinite: float = float("inf")

    shown = {name: part.get("default", "none") for name, part in published(Made)["properties"].items()}
    assert shown == {
        "tags": ["x"],
        "color": "azure",
        "limits": {"n": 5, "s": ""},
        "today": "none",
        "key": "none",
        "fails": "none",
        "infinite": "none",
    }


def test_the_published_schema_is_a_copy():
    schema = schema_of(Inner)
    schema.json_schema("input")["properties"].clear()
    assert schema.json_schema("input")["properties"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (int, {"type": "integer"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Annotated[int, Meta(ge=1)], {"type": "integer", "minimum": 1}),
        (dict, {"type": "object", "properties": {}}),
        (Any, {}),
        (Box[int], {"type": "object", "properties": {"item": {"type": "integer"}}, "required": ["item"]}),
    ],
)
def test_any_type_that_msgspec_reads_is_a_schema(source, expected):
    assert published(source) == expected


def test_type_aliases_are_schemas():
    if sys.version_info < (3, 12):
        pytest.skip("the type statement is from Python 3.12")
    names: dict[str, Any] = {}
    exec("type Ids = list[int]", names)
    assert published(names["Ids"]) == {"type": "array", "items": {"type": "integer"}}


# ---- refused when adapted ------------------------------------------------------------------------------------------


def refusal(source: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        schema_of(source)
    return str(caught.value)


def test_a_default_that_breaks_its_own_type_is_refused():
    class Search(Struct):
        limit: Annotated[int, Meta(le=50)] = 100

    class Outer(Struct):
        searches: list[Search]

    assert "limit: the default 100 does not fit" in refusal(Search)
    assert "searches.limit: the default 100" in refusal(Outer)


def test_none_as_the_default_of_an_int_is_refused_with_the_fix():
    class Bad(Struct):
        n: int = None

    assert "`... | None`" in refusal(Bad)


def test_a_default_made_by_a_factory_is_checked_too():
    class Bad(Struct):
        tags: list[int] = field(default_factory=lambda: ["x"])

    assert "tags: the default ['x']" in refusal(Bad)


def test_an_unresolvable_forward_reference_is_refused_by_name():
    class Outer(Struct):
        inner: "Local"

    class Local(Struct):
        x: int

    text = refusal(Outer)
    assert "Outer" in text
    assert "'Local' is not defined" in text


class Opaque:
    pass


class Model(BaseModel):
    x: int


@pytest.mark.parametrize(
    ("part", "named"),
    [
        (list[Opaque], "Opaque"),
        (Callable[[int], int], "Callable"),
        (complex, "complex"),
        (Model, "pydantic.TypeAdapter"),
    ],
)
def test_a_part_that_json_cannot_hold_is_refused_by_field_and_name(part, named):
    kind = msgspec.defstruct("Holder", [("some_field", part)])
    text = refusal(kind)
    assert "some_field" in text
    assert named in text


def test_a_python_only_pattern_is_refused():
    assert "pattern" in refusal(Annotated[str, Meta(pattern=r"(?P<x>a)\Z")])


def test_an_untagged_union_of_structs_is_refused():
    class A(Struct):
        x: int

    class B(Struct):
        y: int

    assert "tag" in refusal(A | B)


def test_constraints_that_msgspec_would_ignore_are_refused():
    class Loose(Struct):
        n: list[Annotated[int, Field(ge=1)]]

    assert "n: msgspec ignores FieldInfo" in refusal(Loose)
    assert "msgspec.Meta" in refusal(
        dataclasses.make_dataclass("Other", [("n", Annotated[int, annotated_types.Ge(1)])])
    )


def test_types_of_other_libraries_are_not_recognised():
    assert not msgspec_type.recognises(Model)
    assert not msgspec_type.recognises(list[Model])
    assert not msgspec_type.recognises({"type": "object"})
    assert not msgspec_type.recognises(Inner(1))
    assert not msgspec_type.recognises(lambda x: x)
    assert not msgspec_type.recognises("Inner")
    for kind in (Inner, Person, Point, Pair, Limits, dict, list[int], Cat | Dog):
        assert msgspec_type.recognises(kind)
        assert not pydantic_type.recognises(kind)
        assert not json_schema.recognises(kind)
