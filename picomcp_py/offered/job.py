"""What a request runs: a handler, what it is given, and what becomes of what it returns or raises.

A Tool is the job of each of its calls. For everything else that is run - reading a resource, a prompt, a completion, a
template's list - an Errand is made for the request.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeAlias

from ..errors import INTERNAL_ERROR, INVALID_PARAMS, McpError
from ..schemas.schema import Issue, render_issues
from .handler import Runs
from .result import CallResult
from .validation import Check

Outcome: TypeAlias = CallResult | dict[str, Any] | McpError
"""What a request is answered with: a tools/call result, the members of any other result, or an error."""


class Later:
    """What `finish` leaves to a worker thread, since it may wait for a disk or take long: `work` gives the outcome."""

    __slots__ = ("work",)

    def __init__(self, work: Callable[[], Outcome]) -> None:
        self.work = work


class Job(Protocol):
    """What one request runs. The first five are those of `Runs`."""

    run: Callable[..., Any]
    movable: bool
    plain: bool
    threaded: bool
    timeout: float | None
    label: str
    """Names it in messages and the log: `tool "add"`."""
    check: Check | None
    """From the raw arguments to the validated value; None when there is nothing to validate."""
    input_only: bool
    """Whether `run` takes the validated value and nothing else: nearly always."""
    headers: dict[str, tuple[str, ...]]
    """The Mcp-Param headers that repeat arguments: title -> the path of the argument. Only tools have any."""

    def arguments(self, value: Any, ctx: Any) -> tuple[Any, ...]:
        """What `run` is called with."""

    def finish(self, returned: Any) -> Outcome | Awaitable[Outcome] | Later:
        """The result for what `run` returned. May raise McpError."""

    def refuse(self, issues: Sequence[Issue]) -> Outcome:
        """The answer to arguments that `check` refused."""

    def fail(self, text: str) -> Outcome:
        """The answer when `run` raised or took too long."""


class Errand:
    """The Job of one request, made of a handler and `given`, what it may take before the context.

    With `check`, the validated arguments are given instead. `finish` makes the members of the result. `caching`, if it
    isn't None, are the cache hints that the result carries at 2026-07-28.
    """

    __slots__ = (
        "_given",
        "_passed",
        "caching",
        "check",
        "finish",
        "input_only",
        "label",
        "movable",
        "plain",
        "run",
        "threaded",
        "timeout",
    )

    headers: dict[str, tuple[str, ...]] = {}

    def __init__(
        self,
        label: str,
        runs: Runs,
        given: tuple[Any, ...],
        finish: Callable[[Any], dict[str, Any]],
        *,
        check: Check | None = None,
        caching: dict[str, Any] | None = None,
    ) -> None:
        self.label = label
        self.run = runs.run
        self.movable = runs.movable
        self.plain = runs.plain
        self.threaded = runs.threaded
        self.timeout = runs.timeout
        self.finish = finish
        self.check = check
        self.caching = caching
        self.input_only = False
        self._passed = runs.passed
        self._given = given

    def arguments(self, value: Any, ctx: Any) -> tuple[Any, ...]:
        given = self._given if self.check is None else (value,)
        whole = (*given, ctx)
        return tuple(whole[i] for i in self._passed)

    def refuse(self, issues: Sequence[Issue]) -> McpError:
        return McpError(INVALID_PARAMS, f"Invalid arguments for {self.label}:\n{render_issues(issues)}")

    def fail(self, text: str) -> McpError:
        return McpError(INTERNAL_ERROR, text)
