"""Section D, schemas and tools/list, as far as the tests of the adapters and of registration don't have it."""

from __future__ import annotations

import enum
import json
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import jsonschema
import pytest
from msgspec import UNSET, Meta, Struct, UnsetType
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, RootModel

from picomcp_py import ConfigError, pico
from tests.peer import EVERY, MODERN, connected, text_of

pytestmark = pytest.mark.anyio


class Inner(Struct):
    x: int


class Outer(Struct):
    x: int
    b: Inner


class Colour(enum.Enum):
    RED = "red"


class Nested(BaseModel):
    k: int


class Described(BaseModel):
    colour: Colour = Field(Colour.RED, description="of the wall")
    nested: Nested = Field(description="what is inside")


def refs(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [ref for item in schema for ref in refs(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    return own + [ref for value in schema.values() for ref in refs(value)]


def resolves(schema: dict[str, Any], ref: str) -> bool:
    node: Any = schema
    for key in ref.removeprefix("#/").split("/"):
        if not isinstance(node, dict) or key not in node:
            return False
        node = node[key]
    return True


async def listed(revision: str, **config: Any) -> dict[str, Any]:
    """The one tool as tools/list shows it; its schemas are valid and their references lead somewhere."""
    s = pico({"name": "test"}).tool("t", {"run": lambda input: input, **config})
    async with connected(s, revision) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
    for key in {"inputSchema", "outputSchema"} & tool.keys():
        jsonschema.Draft202012Validator.check_schema(tool[key])
        assert all(resolves(tool[key], ref) for ref in refs(tool[key]))
    return tool


@pytest.mark.parametrize("revision", EVERY)
async def test_b61_the_root_of_a_structs_schema_is_an_object(revision: str) -> None:
    tool = await listed(revision, input=Outer, output=Inner)
    for key in {"inputSchema", "outputSchema"} & tool.keys():
        assert tool[key]["type"] == "object"
        assert tool[key]["properties"]["x"] == {"type": "integer"}
    assert ("outputSchema" in tool) == (revision >= "2025-06-18")


async def test_b63_nested_types_keep_what_stands_beside_them() -> None:
    schema = (await listed(MODERN, input=Described))["inputSchema"]
    assert schema["properties"]["colour"]["description"] == "of the wall"
    assert schema["properties"]["colour"]["default"] == "red"
    assert schema["properties"]["nested"]["description"] == "what is inside"
    assert '"red"' in json.dumps(schema)
    assert refs(schema) == [], "used once, so written where it is used"


class Cat(Struct, tag=True):
    a: int


class Dog(Struct, tag=True):
    b: int


class EitherModel(RootModel[Nested | Described]):
    pass


@pytest.mark.parametrize("source", [Cat | Dog, EitherModel, {"oneOf": [{"type": "object"}]}], ids=repr)
async def test_b65_an_input_that_is_no_object_at_its_root_is_refused(source: Any) -> None:
    with pytest.raises(ConfigError, match=r'tool "pet": "input" must describe an object'):
        pico({"name": "test"}).tool("pet", {"input": source, "run": lambda input: input})


async def test_b65_an_object_with_one_of_is_listed_as_it_is() -> None:
    schema = {"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert (await listed("2025-11-25", input=schema))["inputSchema"] == schema


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25", MODERN])
@pytest.mark.parametrize(
    ("output", "value"), [({"description": "x"}, "text"), ({"type": "array"}, [1]), (list[int], [1]), (int, 5)]
)
async def test_b66_an_output_that_is_no_object_is_wrapped_for_revisions_that_want_one(
    revision: str, output: Any, value: Any
) -> None:
    s = pico({"name": "test"}).tool("t", {"output": output, "run": lambda: value})
    async with connected(s, revision) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
        got = await peer.call("t")
    jsonschema.validate(got["structuredContent"], tool["outputSchema"])
    if revision == MODERN:
        assert got["structuredContent"] == value
    else:
        assert tool["outputSchema"]["type"] == "object"
        assert got["structuredContent"] == {"result": value}


async def test_b66_an_output_that_is_no_schema_is_refused() -> None:
    with pytest.raises(ConfigError, match='tool "t": "output"'):
        pico({"name": "test"}).tool("t", {"output": True, "run": lambda: None})


class NoFields(Struct):
    pass


class NoModelFields(BaseModel):
    pass


@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("config", [{}, {"input": NoFields}, {"input": NoModelFields}, {"input": None}], ids=repr)
async def test_b67_a_tool_without_arguments_lists_an_object_with_empty_properties(
    config: dict[str, Any], revision: str
) -> None:
    schema = (await listed(revision, **config))["inputSchema"]
    assert schema["type"] == "object"
    assert schema["properties"] == {}


@pytest.mark.parametrize("source", [Outer, Described, NoFields], ids=repr)
async def test_b68_generated_schemas_name_no_dialect(source: Any) -> None:
    tool = await listed(MODERN, input=source, output=source)
    assert "$schema" not in tool["inputSchema"]
    assert "$schema" not in tool["outputSchema"]


class PairStruct(Struct):
    pair: tuple[int, int]


class PairModel(BaseModel):
    pair: tuple[int, int]


@pytest.mark.parametrize("source", [PairStruct, PairModel])
async def test_b70_tuples_have_their_length_and_types(source: Any) -> None:
    schema = (await listed("2025-11-25", input=source))["inputSchema"]["properties"]["pair"]
    assert (schema["minItems"], schema["maxItems"], len(schema["prefixItems"])) == (2, 2, 2)
    s = pico({"name": "test"}).tool("t", {"input": source, "run": lambda input: repr(input.pair)})
    assert text_of(await s.call("t", {"pair": [1, 2]})) == "(1, 2)"
    for wrong in ([1], [1, 2, 3], [1, "x"], 5):
        got = await s.call("t", {"pair": wrong})
        assert got["isError"] is True
        assert "\npair" in text_of(got)


Level = Literal["low", "high"]  # an alias of this module, and all annotations here are strings


class FutureStruct(Struct):
    n: Annotated[int, Meta(ge=1)]
    level: Level = "low"


class FutureDict(TypedDict):
    n: Annotated[int, Meta(ge=1)]
    level: NotRequired[Level]


class FutureModel(BaseModel):
    n: Annotated[int, Field(ge=1)]
    level: Level = "low"


@pytest.mark.parametrize("source", [FutureStruct, FutureDict, FutureModel])
async def test_b72_annotations_that_are_strings_are_read_in_their_own_module(source: Any) -> None:
    properties = (await listed("2025-11-25", input=source))["inputSchema"]["properties"]
    assert properties["n"]["minimum"] == 1
    assert properties["level"]["enum"] == ["low", "high"]
    s = pico({"name": "test"}).tool("t", {"input": source, "run": lambda input: "never"})
    assert text_of(await s.call("t", {"n": 0})).endswith("\nn: Too small: expected number to be >=1")


def test_b73_a_name_that_can_not_be_found_is_told_at_registration() -> None:
    class LocalOuter(Struct):
        inner: LocalInner

    class LocalInner(Struct):
        x: int

    class LocalModel(BaseModel):
        inner: LaterModel

    class LaterModel(BaseModel):
        x: int

    for source, name in ((LocalOuter, "LocalInner"), (LocalModel, "LaterModel")):
        with pytest.raises(ConfigError, match=rf'tool "pet": "input": .*{name}'):
            pico({"name": "test"}).tool("pet", {"input": source, "run": lambda input: "ok"})


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=False)
    id: int = Field(validation_alias=AliasChoices("id", "component_id"), serialization_alias="componentId")


class Camel(Struct, rename="camel"):
    component_id: int


@pytest.mark.parametrize(
    ("source", "arguments", "given_in", "given_out"),
    [
        (Aliased, {"id": 5}, "id", "componentId"),
        (Aliased, {"component_id": 5}, "id", "componentId"),
        (Camel, {"componentId": 5}, "componentId", "componentId"),
    ],
)
async def test_b74_listed_names_are_the_accepted_and_the_returned_ones(
    source: Any, arguments: Any, given_in: str, given_out: str
) -> None:
    tool = await listed("2025-11-25", input=source, output=source)
    assert list(tool["inputSchema"]["properties"]) == [given_in]
    assert list(tool["outputSchema"]["properties"]) == [given_out]
    s = pico({"name": "test"}).tool("t", {"input": source, "output": source, "run": lambda input: input})
    got = await s.call("t", arguments)
    assert got["structuredContent"] == {given_out: 5}
    assert json.loads(text_of(got)) == {given_out: 5}


class Person(TypedDict):
    name: str
    age: NotRequired[int]


class PersonStruct(Struct):
    name: str
    age: int | UnsetType = UNSET


@pytest.mark.parametrize(("output", "value"), [(Person, {"name": "x"}), (PersonStruct, PersonStruct("x"))])
@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_b76_a_key_that_is_not_there_is_left_out(output: Any, value: Any, revision: str) -> None:
    tool = await listed(revision, output=output)
    assert tool["outputSchema"]["required"] == ["name"]
    async with connected(pico({"name": "test"}).tool("t", {"output": output, "run": lambda: value}), revision) as peer:
        assert (await peer.call("t"))["structuredContent"] == {"name": "x"}


async def test_b79_a_description_is_passed_on_as_written_and_no_docstring_is_taken_for_one() -> None:
    def run() -> None:
        """
        A note
            to developers.
        """

    written = """
        Indented
            text.
    """
    assert "description" not in await listed("2025-11-25", run=run)
    assert (await listed("2025-11-25", run=run, description=written))["description"] == written
