"""Completion: what is suggested for an argument, from lists, functions and schemas."""

from __future__ import annotations

import enum
import itertools
import logging
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from msgspec import Struct

from picomcp_py import Context, McpError, SyncContext
from picomcp_py.errors import INTERNAL_ERROR, INVALID_PARAMS
from picomcp_py.offered.completion import FOLLOWED, Completer
from picomcp_py.offered.prompt import Prompt
from tests.offered_prompts.kinds import KINDS, Own
from tests.offered_prompts.running import completed, perform, said


class Level(enum.Enum):
    LOW = 1
    HIGH = 2.5


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


def whole(*values: str) -> dict[str, Any]:
    """A completion of which nothing is left out."""
    return {"values": [*values], "total": len(values), "hasMore": False}


def of(source: Any, **how: Any) -> Completer:
    """A completer for the argument "a"; "b" has none."""
    return Completer('prompt "p"', ("a", "b"), {"a": source}, how=how)


async def suggested(source: Any, value: str = "", **others: str) -> Any:
    return await completed(of(source), "a", value, **others)


# ------------------------------------------------------------ lists


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("", ["Oslo", "Bergen", "Oslofjord", "Tromsø", "in Oslo"]),
        ("os", ["Oslo", "Oslofjord", "in Oslo"]),
        ("OSLO", ["Oslo", "Oslofjord", "in Oslo"]),
        ("ø", ["Tromsø"]),
        ("x", []),
    ],
)
async def test_a_list_is_filtered_by_beginning_then_by_what_is_within(typed: str, values: list[str]) -> None:
    cities = ["Oslo", "Bergen", "Oslofjord", "Tromsø", "in Oslo"]
    assert await suggested(cities, typed) == whole(*values)
    assert await suggested(tuple(cities), typed) == whole(*values)


@pytest.mark.anyio
async def test_a_set_is_sorted_and_an_enum_class_has_its_values() -> None:
    assert await suggested({"b", "a", "c"}) == whole("a", "b", "c")
    assert await suggested(frozenset({"b", "a"})) == whole("a", "b")
    assert await suggested(Level) == whole("1", "2.5")


@pytest.mark.anyio
async def test_a_list_is_taken_as_it_is_when_registered() -> None:
    cities = ["Oslo"]
    completer = of(cities)
    cities.append("Bergen")
    assert await completed(completer, "a") == whole("Oslo")


# ------------------------------------------------------------ functions


@pytest.mark.anyio
async def test_a_function_takes_as_many_of_value_arguments_and_context_as_it_wants() -> None:
    def with_context(value: str, arguments: dict[str, str], ctx: SyncContext) -> list[str]:
        return [value, arguments["b"], type(ctx).__name__]

    async def context_second(value: str, ctx: Context) -> list[str]:
        return [value, type(ctx).__name__]

    async def both(value: str, arguments: dict[str, str]) -> list[str]:
        return [value, *arguments]

    assert await suggested(lambda: ["x"]) == whole("x")
    assert await suggested(lambda value: [value + "!"], "v") == whole("v!")
    assert await suggested(both, "v", b="1", c="2") == whole("v", "b", "c")
    assert await suggested(context_second, "v") == whole("v", "Context")
    assert await suggested(with_context, "v", b="w") == whole("v", "w", "Context")


@pytest.mark.anyio
async def test_what_a_function_gives_is_neither_filtered_nor_sorted() -> None:
    assert await suggested(lambda value: ["zebra", "ape"], "x") == whole("zebra", "ape")


@pytest.mark.anyio
async def test_a_function_may_change_the_arguments_it_is_given() -> None:
    def greedy(value: str, arguments: dict[str, str]) -> list[str]:
        return [arguments.pop("b")]

    others = {"b": "1"}
    assert await suggested(greedy, "", **others) == whole("1")
    answer = of(greedy).completing("a", "", others)
    assert not isinstance(answer, dict)
    answer.run(*answer.arguments({}, None))
    assert others == {"b": "1"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("returned", "values"),
    [
        (None, []),
        ([], []),
        (("a",), ["a"]),
        ({"a": 1}.keys(), ["a"]),
        (range(3), ["0", "1", "2"]),
        ([1, 2.5, 3.0, True, Level.LOW, Level.HIGH], ["1", "2.5", "3", "true", "1", "2.5"]),
        ({"values": ["a"]}, None),
        ({"values": ("a",), "total": 7, "hasMore": True}, None),
        ({"values": ["a"], "total": None, "hasMore": None}, {"values": ["a"]}),
    ],
)
async def test_what_a_function_may_return(returned: Any, values: Any) -> None:
    answer = await suggested(lambda: returned)
    if isinstance(values, list):
        assert answer == whole(*values)
    else:
        assert answer == (values or {**returned, "values": ["a"]})


@pytest.mark.anyio
async def test_an_iterator_is_gone_through_where_the_function_runs() -> None:
    threads: list[int] = []

    def look(value: str) -> Iterator[str]:
        def each() -> Iterator[str]:
            threads.append(threading.get_ident())
            yield "a"

        return each()

    assert await suggested(look) == whole("a")
    assert threads[0] != threading.get_ident()

    async def later(value: str) -> Iterator[str]:
        return look(value)

    assert await suggested(later) == whole("a")
    assert threads[1] == threading.get_ident()


@pytest.mark.anyio
async def test_a_function_runs_in_the_loop_if_the_config_says_so() -> None:
    def ident() -> list[int]:
        return [threading.get_ident()]

    assert await completed(of(ident, thread=False), "a") == whole(str(threading.get_ident()))
    assert await completed(of(ident), "a") != whole(str(threading.get_ident()))


@pytest.mark.anyio
async def test_the_timeout_of_the_config_holds_for_functions() -> None:
    release = threading.Event()

    def slow() -> list[str]:
        release.wait(60)
        return []

    try:
        with pytest.raises(McpError) as caught:
            await completed(of(slow, timeout=0.01), "a")
    finally:
        release.set()
    assert caught.value.code == INTERNAL_ERROR
    assert caught.value.message == 'Completion of "a" for prompt "p" timed out after 0.01 seconds.'


@pytest.mark.anyio
async def test_a_lone_surrogate_does_not_cost_the_reply() -> None:
    assert await suggested(lambda: ["caf\udce9"]) == whole("caf\ufffd")
    assert await suggested(["caf\udce9"]) == whole("caf\ufffd")


# ------------------------------------------------------------ limits


@pytest.mark.anyio
@pytest.mark.parametrize("count", [100, 101, 250, FOLLOWED, FOLLOWED + 5])
async def test_at_most_a_hundred_values_are_sent_with_their_total(count: int) -> None:
    words = [f"w{n}" for n in range(count)]
    expected = {"values": words[:100], "total": count, "hasMore": count > 100}
    assert await suggested(words, "w") == expected
    assert await suggested(lambda: words) == expected
    assert await suggested(lambda: set(range(count))) == {**expected, "values": [str(n) for n in range(100)]}
    assert await suggested(lambda: {"values": words}) == (expected if count > 100 else {"values": words})
    assert await suggested(lambda: {"values": words, "total": 9, "hasMore": False}) == {
        "values": words[:100],
        "total": 9,
        "hasMore": count > 100,
    }
    if count > FOLLOWED:
        del expected["total"]
    assert await suggested(lambda: iter(words)) == expected


@pytest.mark.anyio
async def test_an_endless_iterator_is_left_alone_after_a_while() -> None:
    expected = {"values": [str(n) for n in range(100)], "hasMore": True}
    assert await suggested(lambda: itertools.count()) == expected
    assert await suggested(lambda: {"values": itertools.count()}) == expected


# ------------------------------------------------------------ schemas


@pytest.mark.anyio
@pytest.mark.parametrize("schema", [*KINDS.values(), Own()], ids=[*KINDS, "own"])
async def test_what_a_schema_names_is_suggested(schema: Any) -> None:
    completer = Prompt("p", {"input": schema, "run": print}).completer
    assert await completed(completer, "style") == whole("list", "prose")
    assert await completed(completer, "style", "P") == whole("prose")
    assert await completed(completer, "tone", "d") == whole("dry")
    assert await completed(completer, "deep", "f") == whole("false")
    assert await completed(completer, "limit") == {"values": []}
    assert await completed(completer, "note") == {"values": []}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("schema", "values"),
    [
        ({"const": "only"}, ["only"]),
        ({"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}]}, ["a", "b"]),
        ({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}, ["a", "b"]),
        ({"anyOf": [{"$ref": "#/$defs/E"}, {"const": "z"}]}, ["x", "y", "z"]),
        ({"allOf": [{"$ref": "#/$defs/E"}], "description": "d"}, ["x", "y"]),
        ({"enum": [1, 2.5, True, None, "a", [1]]}, ["1", "2.5", "true", "a", "[1]"]),
        ({"type": ["boolean", "null"]}, ["true", "false"]),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, ["true", "false"]),
        ({"type": "integer", "examples": [5, 10]}, ["5", "10"]),
        ({"enum": ["a"], "examples": ["b"]}, ["a"]),
        ({"type": ["boolean", "string"]}, None),
        ({"type": "string"}, None),
        ({}, None),
        (True, None),
    ],
)
async def test_the_ways_of_a_schema_to_name_values(schema: Any, values: list[str] | None) -> None:
    root = {"type": "object", "properties": {"a": schema}, "$defs": {"E": {"enum": ["x", "y"]}}}
    completer = Prompt("p", {"input": root, "run": print}).completer
    assert await completed(completer, "a") == ({"values": []} if values is None else whole(*values))
    assert completer.completes == (values is not None)


@pytest.mark.anyio
async def test_the_config_goes_before_the_schema() -> None:
    class Input(Struct):
        size: Size
        other: Size

    config = {"input": Input, "complete": {"size": ["1"], "other": None}, "run": lambda input: input.other.name}
    prompt = Prompt("p", config)
    assert await completed(prompt.completer, "size") == whole("1")
    assert await completed(prompt.completer, "other") == whole("1", "2")
    assert await perform(prompt.getting(), {"size": "1", "other": "2"}) == said("LARGE"), "what is suggested is taken"


# ------------------------------------------------------------ nothing, and nonsense


@pytest.mark.anyio
async def test_an_argument_without_completer_has_no_values() -> None:
    assert await completed(of(["x"]), "b", "x") == {"values": []}


def test_whether_there_is_anything_to_suggest() -> None:
    assert of(["x"]).completes
    assert of(print).completes
    assert not of(None).completes
    assert not Completer('resource template "note://{date}"', ("date",), None).completes


@pytest.mark.parametrize(("names", "known"), [(("style", "tone"), "it has style, tone"), ((), "it has none")])
def test_an_unknown_argument_is_an_error_that_names_the_known_ones(names: tuple[str, ...], known: str) -> None:
    with pytest.raises(McpError) as caught:
        Completer('resource template "x://{style}"', names, None).completing("styel" * 40, "", {})
    assert caught.value.code == INVALID_PARAMS
    shown = ("styel" * 40)[:80]
    assert caught.value.message == f'Resource template "x://{{style}}" has no argument "{shown}": {known}'


class Unreadable(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise OSError("the disk is gone")

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return 1


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("abc", "expected a list of strings, received string"),
        (5, "expected a list of strings, received number"),
        ({"values": "abc"}, "values: expected a list of strings, received string"),
        ({"values": {"a": 1}}, "values: expected a list of strings, received object"),
        ({"values": None}, "values: expected a list of strings, received null"),
        ({"total": 5}, "values: missing: a list of strings"),
        ({"values": [], "more": True}, "unknown key 'more': a completion has values, total, hasMore"),
        ({"values": [], "total": -1}, "total: expected a whole number >= 0, received -1"),
        ({"values": [], "total": True}, "total: expected a whole number >= 0, received True"),
        ({"values": [], "hasMore": "yes"}, "hasMore: expected boolean, received string"),
        (["a", None], "values[1]: expected string, received null"),
        (["a", {"b": 1}], "values[1]: expected string, received object"),
        ([float("nan")], "values[0]: expected string, received null"),
        ([object()], "values[0]: a value of type object"),
        ([Unreadable()], "values[0]: a value of type Unreadable could not be read (OSError)"),
    ],
)
async def test_what_cannot_be_sent_is_an_internal_error_with_its_place(
    returned: Any, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "picomcp_py"), pytest.raises(McpError) as caught:
        await suggested(lambda: returned)
    assert caught.value.code == INTERNAL_ERROR
    begin = 'Completion of "a" for prompt "p" returned a value that cannot be sent: '
    assert caught.value.message.startswith(begin + message)
    assert f'completion of "a" for prompt "p" returned what cannot be sent: {message}' in caplog.text
    assert ("the disk is gone" in caplog.text) == ("OSError" in message)


@pytest.mark.anyio
async def test_what_a_function_raises_is_an_internal_error() -> None:
    def broken() -> list[str]:
        raise LookupError("no index")

    with pytest.raises(McpError) as caught:
        await suggested(broken)
    assert (caught.value.code, caught.value.message) == (INTERNAL_ERROR, "no index")
