"""The shapes of what `server.tool` takes, and of the decorators it gives: for type checkers, never imported when run.

A dict that is right fits exactly one shape, by what is typed in it and whether `run` is there; the overloads of
`Server.tool` follow from that. The public types, and what a checker can find in which spelling, are in tool_types.py.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, Protocol, Required, TypeAlias, TypeVar, overload

from .tool_types import Handler, In, JsonSchema, Out, SchemaSource, ToolOptions

if TYPE_CHECKING:
    from ..running.context import Context, SyncContext

Result = TypeVar("Result")
Json: TypeAlias = dict[str, Any]

# Is `input` typed, is `output` typed, is `run` there: eight dicts. `run: None` keeps the shapes without it apart from
# those with it, else the overloads would overlap.


class InOut(ToolOptions, Generic[In, Out], total=False):
    input: Required[SchemaSource[In]]
    output: Required[SchemaSource[Out]]
    run: None


class InOutRun(ToolOptions, Generic[In, Out], total=False):
    input: Required[SchemaSource[In]]
    output: Required[SchemaSource[Out]]
    run: Required[Handler[In, Out]]


class InOnly(ToolOptions, Generic[In], total=False):
    input: Required[SchemaSource[In]]
    output: JsonSchema
    run: None


class InOnlyRun(ToolOptions, Generic[In], total=False):
    input: Required[SchemaSource[In]]
    output: JsonSchema
    run: Required[Handler[In, Any]]


class OutOnly(ToolOptions, Generic[Out], total=False):
    input: JsonSchema
    output: Required[SchemaSource[Out]]
    run: None


class OutOnlyRun(ToolOptions, Generic[Out], total=False):
    input: JsonSchema
    output: Required[SchemaSource[Out]]
    run: Required[Handler[Json, Out]]


class Untyped(ToolOptions, total=False):
    input: JsonSchema
    output: JsonSchema
    run: None


class UntypedRun(ToolOptions, total=False):
    input: JsonSchema
    output: JsonSchema
    run: Required[Handler[Json, Any]]


# Invariant, as mypy sees too: a handler goes in and comes out again. pyright looks at what goes in.
class ToolDecorator(Protocol[In, Out]):  # pyright: ignore[reportInvalidTypeVarUse]
    """What `server.tool(name, input=In, output=Out)` gives: takes a handler and gives it back, still typed.

    One overload a way to write a handler; the last is for the rest (a `CallResult` among the returned values, a plain
    function that gives an awaitable, a `Context` under `thread: False`).
    """

    @overload
    def __call__(self, run: Callable[[In, SyncContext], Out], /) -> Callable[[In, SyncContext], Out]: ...
    @overload
    def __call__(
        self, run: Callable[[In, Context], Coroutine[Any, Any, Out]], /
    ) -> Callable[[In, Context], Coroutine[Any, Any, Out]]: ...
    @overload
    def __call__(
        self, run: Callable[[In], Coroutine[Any, Any, Out]], /
    ) -> Callable[[In], Coroutine[Any, Any, Out]]: ...
    @overload
    def __call__(self, run: Callable[[], Coroutine[Any, Any, Out]], /) -> Callable[[], Coroutine[Any, Any, Out]]: ...
    @overload
    def __call__(self, run: Callable[[In], Out], /) -> Callable[[In], Out]: ...
    @overload
    def __call__(self, run: Callable[[], Out], /) -> Callable[[], Out]: ...
    @overload
    def __call__(self, run: Handler[In, Out], /) -> Callable[..., Any]: ...


class InputDecorator(Protocol[In]):
    """What `server.tool(name, input=In)` gives: as `ToolDecorator`, for a handler that may return anything."""

    @overload
    def __call__(self, run: Callable[[In, SyncContext], Result], /) -> Callable[[In, SyncContext], Result]: ...
    @overload
    def __call__(self, run: Callable[[In, Context], Result], /) -> Callable[[In, Context], Result]: ...
    @overload
    def __call__(self, run: Callable[[In], Result], /) -> Callable[[In], Result]: ...
    @overload
    def __call__(self, run: Callable[[], Result], /) -> Callable[[], Result]: ...
