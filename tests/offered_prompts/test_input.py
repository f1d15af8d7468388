"""A prompt's arguments: how they are listed, read from strings, and refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from picomcp_py import Context
from picomcp_py.errors import INTERNAL_ERROR, INVALID_PARAMS
from picomcp_py.offered.prompt import Prompt
from tests.offered_prompts.kinds import DICT, KINDS, Own, plain
from tests.offered_prompts.running import fault, got, perform, said

DEFAULTS: dict[str, Any] = {"tone": "dry", "limit": None, "deep": False, "tags": [], "note": ""}


def told(input: Any) -> str:
    """What a handler was given."""
    return json.dumps(plain(input))


async def given(schema: Any, arguments: Any) -> Any:
    result = await got({"input": schema, "run": told}, arguments)
    return json.loads(result["messages"][0]["content"]["text"])


# ------------------------------------------------------------ the list


@pytest.mark.parametrize("schema", [*KINDS.values(), Own()], ids=[*KINDS, "own"])
def test_arguments_are_listed_as_the_schema_has_them(schema: Any) -> None:
    assert Prompt("p", {"input": schema, "run": told}).entry == {
        "name": "p",
        "arguments": [
            {"name": "style", "description": "How to sum up", "required": True},
            {"name": "tone"},
            {"name": "limit", "title": "Limit"},
            {"name": "deep"},
            {"name": "tags"},
            {"name": "note"},
        ],
    }


def test_a_prompt_is_listed_with_what_its_config_says() -> None:
    config = {
        "title": "T",
        "description": "D",
        "icons": [{"src": "https://example.com/i.png", "theme": None}],
        "meta": {"example.com/x": 1},
        "tags": ["a"],
        "run": told,
    }
    prompt = Prompt("p", config)
    assert prompt.entry == {
        "name": "p",
        "title": "T",
        "description": "D",
        "icons": [{"src": "https://example.com/i.png"}],
        "_meta": {"example.com/x": 1},
    }
    assert (prompt.name, prompt.label, prompt.tags) == ("p", 'prompt "p"', ("a",))


def test_the_barest_prompt_has_a_name_and_no_arguments() -> None:
    assert Prompt("p", {"run": told}).entry == {"name": "p"}
    assert Prompt("p", {"run": told, "title": None, "input": None, "complete": None}).entry == {"name": "p"}
    assert Prompt("p", {"run": told, "input": {"type": "object"}}).entry == {"name": "p", "arguments": []}


def test_arguments_are_found_through_references_and_combinations() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a", "free"],
        "allOf": [{"$ref": "#/$defs/More"}],
        "oneOf": [
            {
                "properties": {"kind": {"const": "x"}, "c": {"allOf": [{"$ref": "#/$defs/C"}]}},
                "required": ["kind", "c"],
            },
            {"properties": {"kind": {"const": "y"}, "d": True}, "required": ["kind"]},
        ],
        "$defs": {
            "More": {"properties": {"b": {"title": "B", "description": "bee"}, "a": False}, "required": ["b"]},
            "C": {"description": "sea"},
        },
    }
    assert Prompt("p", {"input": schema, "run": told}).entry["arguments"] == [
        {"name": "a", "required": True},
        {"name": "b", "title": "B", "description": "bee", "required": True},
        {"name": "kind"},
        {"name": "c", "description": "sea"},
        {"name": "d"},
        {"name": "free", "required": True},
    ]


# ------------------------------------------------------------ read


@pytest.mark.anyio
@pytest.mark.parametrize("schema", [*KINDS.values(), Own()], ids=[*KINDS, "own"])
async def test_strings_become_what_the_schema_asks_for(schema: Any) -> None:
    sent = {"style": "list", "limit": "5", "deep": "true", "tags": '["5","true"]', "note": "5"}
    read = {"style": "list", "tone": "dry", "limit": 5, "deep": True, "tags": ["5", "true"], "note": "5"}
    assert await given(schema, sent) == read


@pytest.mark.anyio
@pytest.mark.parametrize("schema", KINDS.values(), ids=KINDS)
async def test_defaults_apply_and_values_that_are_no_strings_are_fine(schema: Any) -> None:
    assert await given(schema, {"style": "prose"}) == {"style": "prose", **DEFAULTS}
    assert await given(schema, {"style": "prose", "limit": 7}) == {"style": "prose", **DEFAULTS, "limit": 7}


@pytest.mark.anyio
async def test_without_an_input_schema_the_input_is_an_empty_dict_of_its_own() -> None:
    def run(input: dict[str, Any]) -> str:
        input["seen"] = str(input)
        return str(input["seen"])

    prompt = Prompt("p", {"run": run})
    assert await perform(prompt.getting()) == said("{}")
    assert await perform(prompt.getting(), {"a": "b"}) == said("{}")


@pytest.mark.anyio
async def test_a_handler_gets_as_many_of_input_and_context_as_it_takes() -> None:
    async def both(input: Any, ctx: Context) -> str:
        return f"{input['style']} {type(ctx).__name__}"

    assert await got({"input": DICT, "run": both}, {"style": "list"}) == said("list Context")
    assert await got({"run": lambda: "none"}) == said("none")
    assert await got({"run": lambda input, ctx: type(ctx).__name__, "thread": False}) == said("Context")


# ------------------------------------------------------------ refused


@pytest.mark.anyio
@pytest.mark.parametrize("schema", KINDS.values(), ids=KINDS)
async def test_every_wrong_argument_is_told_in_one_error_in_the_words_of_tools(schema: Any) -> None:
    error = await fault({"input": schema, "run": told}, {"tone": "sour", "limit": "many", "styel": "list"})
    assert (error.code, error.data) == (INVALID_PARAMS, None)
    assert error.message.split("\n") == [
        'Invalid arguments for prompt "p":',
        'style: Invalid option: expected one of "list"|"prose"',
        'tone: Invalid option: expected one of "dry"|"warm"',
        "limit: Invalid input: expected number, received string",
        'styel: Unrecognized key: "styel", did you mean "style"?',
    ]


@pytest.mark.anyio
async def test_the_issues_of_an_asynchronous_schema_are_told_too() -> None:
    error = await fault({"input": Own(), "run": told}, {"style": "prosa"})
    assert error.code == INVALID_PARAMS
    assert error.message.startswith('Invalid arguments for prompt "p":\nstyle: Invalid option')
    assert error.message.endswith("\nby my own rules")


@pytest.mark.anyio
async def test_text_is_nested_no_deeper_than_a_message_may_be() -> None:
    schema = {"type": "object", "properties": {"tree": {"$ref": "#/$defs/Tree"}}}
    schema["$defs"] = {"Tree": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}
    outer = json.dumps(["x"]).replace('"x"', "[" * 70 + json.dumps("[" * 70 + "]" * 70) + "]" * 70)
    error = await fault({"input": schema, "run": told}, {"tree": outer})
    assert error.message == 'Invalid arguments for prompt "p":\nInvalid input: nested deeper than 128 levels'


@pytest.mark.anyio
async def test_what_a_handler_raises_is_an_internal_error_with_its_message() -> None:
    def broken(input: Any) -> str:
        raise LookupError("no notes yet")

    error = await fault({"run": broken})
    assert (error.code, error.message) == (INTERNAL_ERROR, "no notes yet")
