"""What a function must look like to be a handler: who gets the context, and what can't work."""

from __future__ import annotations

import functools
import typing
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Optional

import pytest

import picomcp_py
from picomcp_py import ConfigError, Context, SyncContext, pico
from tests.peer import text_of

if TYPE_CHECKING:
    from picomcp_py import Context as Elsewhere

# ruff: noqa: UP007, UP045  # the old spellings of optional types are what is tried here


def handler(annotation: Any) -> Any:
    """A function whose second parameter has this annotation and a default."""

    def run(input: Any, c: Any = None) -> str:
        return type(c).__name__

    run.__annotations__["c"] = annotation
    return run


@pytest.mark.parametrize(
    "annotation",
    [
        Context,
        Optional[Context],
        typing.Union[None, SyncContext],
        Context | None,
        None | Context,
        Annotated[Context, "mine"],
        Annotated[Context | None, "mine"],
        Optional["Context"],
        "Context",
        "Context | None",
        "None | Context",
        "Optional[Context]",
        "typing.Optional['Context']",
        "Union[None, picomcp_py.Context]",
        "Annotated[Context, mine(1)]",
        "Annotated[Optional[SyncContext], 'mine']",
        " picomcp_py.Context ",
    ],
)
@pytest.mark.anyio
async def test_a_defaulted_parameter_annotated_as_context_gets_it(annotation: Any) -> None:
    s = pico(name="x").tool("t", {"run": handler(annotation)})
    assert text_of(await s.call("t")) == "Context"


@pytest.mark.parametrize(
    "annotation",
    [int, Optional[int], "MyContext", "dict[str, Context]", dict[str, Context], "Context(", "", None, "Literal['x']"],
)
@pytest.mark.anyio
async def test_another_defaulted_parameter_is_the_authors_own(annotation: Any) -> None:
    s = pico(name="x").tool("t", {"run": handler(annotation)})
    assert text_of(await s.call("t")) == "NoneType"


@pytest.mark.anyio
async def test_names_that_only_a_type_checker_knows_are_read() -> None:
    def run(input: Any, c: picomcp_py.Context | None = None) -> str:
        return type(c).__name__

    def aliased(input: Any, c: Elsewhere | None = None) -> str:
        return type(c).__name__

    s = pico(name="x").tool("t", {"run": run}).tool("u", {"run": aliased})
    assert text_of(await s.call("t")) == "Context"
    assert text_of(await s.call("u")) == "NoneType", "an alias that does not exist at run time can't be followed"


# ------------------------------------------------------------ what can't work


def generates(input: Any) -> Iterator[int]:
    yield 1


async def generates_slowly(input: Any) -> AsyncIterator[int]:
    yield 1


class Generates:
    def __call__(self, input: Any) -> Iterator[int]:
        yield 1


@pytest.mark.parametrize("run", [generates, generates_slowly, Generates(), functools.partial(generates)])
def test_a_generator_is_refused_with_what_to_do(run: Any) -> None:
    with pytest.raises(ConfigError, match=r'^tool "t": "run" is a generator.*a list and return that'):
        pico(name="x").tool("t", {"run": run})


def plain(input: Any) -> str:
    return "ok"


async def slow(input: Any) -> str:
    return "ok"


def test_a_timeout_that_could_not_stop_anything_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r'^tool "t": "timeout" can\'t stop a def handler.*async def.*"thread": False'
    ):
        pico(name="x").tool("t", {"run": plain, "timeout": 1, "thread": False})


@pytest.mark.parametrize("keys", [{"run": slow, "thread": False}, {"run": slow}, {"run": plain}])
@pytest.mark.anyio
async def test_a_timeout_that_can_stop_something_is_not(keys: dict[str, Any]) -> None:
    s = pico(name="x").tool("t", {"timeout": 60, **keys})
    assert text_of(await s.call("t")) == "ok"
