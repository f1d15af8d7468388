"""The types of prompts: what a type checker knows of `server.prompt(...)`. In the manner of tool_types.py.

Types only: what a handler returned is checked by messages.py, what a completer gave by completion.py. An `input` whose
Python type is known types the handler; a JSON Schema dict or none at all makes it `dict[str, Any]`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Required, TypeAlias, TypedDict

from .tool_types import Icon, In

if TYPE_CHECKING:
    from ..content import Block
    from ..running.context import AnyContext

__all__ = ["Complete", "CompletionValues", "Message", "PromptConfig", "PromptHandler", "PromptOptions", "PromptResult"]


class Message(TypedDict):
    """A message of a prompt. `content` is a string, a content block (of `text()`, `image()`, ... or written as a dict),
    or a list of these, which becomes a message each.
    """

    role: Literal["user", "assistant"]
    content: str | Block | Mapping[str, Any] | Sequence[str | Block | Mapping[str, Any]]


class PromptResult(TypedDict, total=False):
    """A whole prompts/get result, sent as it is (MCP 2026-07-28, schema: GetPromptResult)."""

    messages: Required[Sequence[str | Block | Message | Mapping[str, Any]]]
    description: str
    _meta: Mapping[str, Any]


# A handler's dict literals are no TypedDict to a checker unless they are annotated so: any Mapping has to do.
Said: TypeAlias = "str | Block | Mapping[str, Any]"
Messages: TypeAlias = "Said | Sequence[Said] | None"
"""What a prompt's `run` may return: text, a block, a Message, a list of these, a PromptResult, or None."""

PromptReturns: TypeAlias = "Messages | Awaitable[Messages]"
PromptHandler: TypeAlias = (
    Callable[[In], PromptReturns] | Callable[[In, "AnyContext"], PromptReturns] | Callable[[], PromptReturns]
)
"""A prompt's `run`: `PromptHandler[Style]`. Takes (), (input) or (input, ctx); `def` or `async def`."""


class CompletionValues(TypedDict, total=False):
    """What a completer may return when it knows more than it gives; at most 100 `values` are sent."""

    values: Required[Iterable[str | int | float | Enum]]
    total: int
    hasMore: bool


Completions: TypeAlias = Iterable[str | int | float | Enum] | CompletionValues | Mapping[str, Any] | None
Completed: TypeAlias = Completions | Awaitable[Completions]
CompleteFunction: TypeAlias = (
    Callable[[str], Completed]
    | Callable[[str, dict[str, str]], Completed]
    | Callable[[str, dict[str, str], "AnyContext"], Completed]
    | Callable[[], Completed]
)
"""Completes an argument: (), (value), (value, arguments) or (value, arguments, ctx); `def` or `async def`.

(value, ctx) runs as well. A checker would then not know what a lambda's second parameter is.
"""
Complete: TypeAlias = Sequence[str] | set[str] | frozenset[str] | type[Enum] | CompleteFunction
"""What completes an argument: a list of strings, an Enum class, or a function."""


class PromptOptions(TypedDict, total=False):
    """The keys of a prompt's config that are the same for every `input` and `run`. `timeout` is in seconds."""

    title: str
    description: str
    complete: Mapping[str, Complete]
    icons: Sequence[Icon]
    meta: Mapping[str, Any]
    tags: list[str] | tuple[str, ...] | set[str]
    timeout: float | None
    thread: bool


class PromptConfig(PromptOptions, total=False):
    """A prompt's whole config when it is kept in a variable: keys are checked, `run` is not matched with `input`.

    config: PromptConfig = {"input": Style, "run": summarize}
    server.prompt("summarize", config)
    """

    input: Any
    run: Required[Callable[..., Any]]
