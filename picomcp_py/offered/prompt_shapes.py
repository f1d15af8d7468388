"""The shapes of what `server.prompt` takes, and of the decorators it gives: for type checkers, never imported when run.

In the manner of tool_shapes.py: is `input` typed, is `run` there. The public types are in prompt_types.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, Required, TypeVar, overload

from .prompt_types import PromptHandler, PromptOptions, PromptReturns
from .tool_shapes import Json
from .tool_types import In, JsonSchema, SchemaSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..running.context import Context, SyncContext

Returned = TypeVar("Returned", bound=PromptReturns)

# `run: None` keeps the shapes without it apart from those with it, else the overloads would overlap.


class PromptIn(PromptOptions, Generic[In], total=False):
    input: Required[SchemaSource[In]]
    run: None


class PromptInRun(PromptOptions, Generic[In], total=False):
    input: Required[SchemaSource[In]]
    run: Required[PromptHandler[In]]


class PromptUntyped(PromptOptions, total=False):
    input: JsonSchema
    run: None


class PromptUntypedRun(PromptOptions, total=False):
    input: JsonSchema
    run: Required[PromptHandler[Json]]


class PromptDecorator(Protocol[In]):
    """What `server.prompt(name, input=In)` gives: takes a handler and gives it back, still typed."""

    @overload
    def __call__(self, run: Callable[[In, SyncContext], Returned], /) -> Callable[[In, SyncContext], Returned]: ...
    @overload
    def __call__(self, run: Callable[[In, Context], Returned], /) -> Callable[[In, Context], Returned]: ...
    @overload
    def __call__(self, run: Callable[[In], Returned], /) -> Callable[[In], Returned]: ...
    @overload
    def __call__(self, run: Callable[[], Returned], /) -> Callable[[], Returned]: ...
