"""Everything wrong with a prompt's config is an error that names the prompt, the key and the fix."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

import pytest

from picomcp_py import Context
from picomcp_py.offered.prompt import Prompt
from tests.offered_prompts.running import refused

OBJECT = {"type": "object", "properties": {"style": {"type": "string"}, "timeout": {"type": "integer"}}}


class Odd(enum.Enum):
    PAIR = (1, 2)


def ok(input: Any) -> str:
    return "ok"


def generates(input: Any) -> Iterator[str]:
    yield "a"


def typed(c: Context) -> str:
    return ""


# ------------------------------------------------------------ names


@pytest.mark.parametrize("name", ["a", "x" * 128, "A-Z_a.z-09"])
def test_a_good_name(name: str) -> None:
    assert Prompt(name, {"run": ok}).entry == {"name": name}


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "it has 0 characters"),
        ("x" * 129, "it has 129 characters"),
        ("New Prompt", "contains ' '"),
        ("ä", "contains 'ä'"),
        ("a\n", "contains '\\n'"),
    ],
)
def test_a_bad_name_is_refused_with_what_is_allowed(name: str, fault: str) -> None:
    text = refused({"run": ok}, name)
    assert text.startswith('prompt "')
    assert fault in text
    assert "use 1 to 128 characters of A-Z, a-z, 0-9" in text


def test_a_name_that_is_no_string() -> None:
    assert refused({"run": ok}, 5) == "a prompt's name must be a string, not int: server.prompt(name, config)"


# ------------------------------------------------------------ keys and values


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (ok, "the config must be a dict, not function"),
        ({}, '"run" is missing: a function of (input, ctx)'),
        ({"run": None}, '"run" is missing'),
        ({"run": ok, "desription": "x"}, 'unknown key "desription": did you mean "description"?'),
        ({"run": ok, "zzz": 1}, 'unknown key "zzz": it takes title, description, input, complete, run'),
        ({"run": ok, "output": OBJECT}, 'unknown key "output"'),
        ({"run": ok, "coerce": True}, 'unknown key "coerce"'),
        ({"run": ok, "argsSchema": OBJECT}, 'unknown key "argsSchema"'),
        ({"run": ok, "description": 5}, '"description" must be a string, not int'),
        ({"run": ok, "title": b"x"}, '"title" must be a string, not bytes'),
        ({"run": ok, "icons": "x.png"}, '"icons" must be a list'),
        ({"run": ok, "icons": [{"src": "x.png"}]}, 'icons[0]: "src" must be an https:, http: or data: URI'),
        ({"run": ok, "meta": {1: 2}}, '"meta" must be a dict with string keys'),
        ({"run": ok, "meta": {"x": object()}}, "the config can't be written as JSON: _meta.x"),
        ({"run": ok, "tags": "x"}, '"tags" must be a list of strings'),
        ({"run": ok, "timeout": 0}, '"timeout" must be a number of seconds above 0'),
        ({"run": ok, "thread": "no"}, '"thread" must be True or False'),
        ({"run": ok, "thread": False, "timeout": 1}, '"timeout" can\'t stop a def handler'),
    ],
)
def test_a_wrong_key_or_value(config: Any, message: str) -> None:
    text = refused(config)
    assert text.startswith('prompt "p": ')
    assert message in text


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (5, '"input": 5 is not a schema'),
        (int, '"input" must describe an object, not integer'),
        ({"type": "array"}, '"input" must describe an object, not array'),
        ({"properties": {}}, '"input": add "type": "object" at the root'),
        ({"type": "objekt"}, '"input": not a valid JSON Schema'),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/No"}}}, "#/$defs/No"),
        ({"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}}, "default"),
    ],
)
def test_a_schema_that_cannot_work(schema: Any, message: str) -> None:
    text = refused({"input": schema, "run": ok})
    assert text.startswith('prompt "p": "input"')
    assert message in text


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("ok", '"run" must be a function of (input, ctx), not str'),
        (lambda a, b, c: 1, "takes 3 parameters (a, b, c)"),
        (lambda a, *, key: 1, 'needs the keyword "key"'),
        (lambda ctx: 1, 'the first parameter of "run" is "ctx", but the first one gets the input'),
        (typed, "write run(input, ctx)"),
        (generates, '"run" is a generator'),
    ],
)
def test_a_handler_that_cannot_be_called_so(run: Any, message: str) -> None:
    text = refused({"run": run})
    assert text.startswith('prompt "p": ')
    assert message in text


# ------------------------------------------------------------ completers


@pytest.mark.parametrize(
    ("complete", "message"),
    [
        ([], '"complete" must be a dict of argument names, each with a function or a list of strings, not list'),
        ({"styel": ["a"]}, 'complete: unknown key "styel": did you mean "style"?'),
        ({"zzz": ["a"]}, 'complete: unknown key "zzz": it takes style, timeout'),
        ({"style": "abc"}, 'argument "style": "complete" must be a function of (value, arguments, ctx) or a list of'),
        ({"style": 5}, "or a list of strings, not int"),
        ({"style": ["a", 5]}, 'argument "style": "complete" must be a list of strings: 5 is none'),
        ({"style": {"a", None}}, "must be a list of strings: None is none"),
        ({"style": Odd}, '"complete" is an enum of other values than strings: PAIR: expected string, received array'),
        ({"style": lambda a, b, c, d: 1}, 'argument "style": "complete" takes 4 parameters (a, b, c, d)'),
        ({"style": lambda ctx: 1}, "write complete(value, arguments, ctx)"),
        ({"style": lambda value, *, key: 1}, 'needs the keyword "key"'),
        ({"style": generates}, '"complete" is a generator'),
    ],
)
def test_a_completer_that_cannot_work(complete: Any, message: str) -> None:
    text = refused({"input": OBJECT, "run": ok, "complete": complete})
    assert text.startswith('prompt "p": ')
    assert message in text


def test_a_completer_for_a_prompt_without_arguments() -> None:
    message = 'prompt "p": "complete" has "style", but there are no arguments'
    assert refused({"run": ok, "complete": {"style": ["a"]}}) == message
    assert refused({"run": ok, "input": {"type": "object"}, "complete": {"style": ["a"]}}) == message


def test_an_argument_may_have_the_name_of_a_key_of_the_config() -> None:
    prompt = Prompt("p", {"input": OBJECT, "run": ok, "complete": {"timeout": lambda: ["5"]}})
    answer = prompt.completer.completing("timeout", "")
    assert not isinstance(answer, dict)
    assert answer.timeout is None


def test_a_def_completer_that_a_timeout_could_not_stop() -> None:
    async def run(input: Any) -> str:
        return "ok"

    config = {"input": OBJECT, "run": run, "thread": False, "timeout": 1, "complete": {"style": lambda: ["a"]}}
    assert refused(config).startswith('prompt "p": argument "style": "timeout" can\'t stop a def handler')
