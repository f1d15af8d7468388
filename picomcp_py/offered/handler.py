"""How a handler is called: how many of (input, ctx) it takes, and whether it runs in the loop or in a worker thread.

Rules:
1. The first positional parameter gets the input. The second gets the context when it is required, named `ctx`,
   `context` or `_ctx`, or annotated as Context or SyncContext: another defaulted one is the author's own
   (`lambda input, i=i: ...`).
2. A handler that can't be called so is an error when it is registered.
3. Whether a handler is async is decided by the value it returns. What its definition tells is only where it may run:
   what is sure to give an awaitable at once runs in the loop, everything else in a worker thread.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..errors import ConfigError

CONTEXT_NAMES = ("ctx", "context", "_ctx")
CONTEXT_TYPES = ("Context", "SyncContext")


def arity(run: Callable[..., Any], where: str) -> int:
    """How many of (input, ctx) to pass: 0, 1 or 2. Raises ConfigError when `run` can't be called so."""
    if not callable(run):
        raise ConfigError(f'{where}: "run" must be a function of (input, ctx), not {type(run).__name__}')
    try:
        parameters = list(inspect.signature(run).parameters.values())
    except (TypeError, ValueError):
        raise ConfigError(
            f'{where}: the signature of "run" can\'t be read: wrap it, "run": lambda input: {_name(run)}(input)'
        ) from None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            raise ConfigError(
                f'{where}: "run" needs the keyword "{p.name}", but handlers are called as run(input, ctx): '
                "give it a default or read it from the input"
            )
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 2
    for p in positional[2:]:
        if p.default is p.empty:
            raise ConfigError(
                f'{where}: "run" takes {len(positional)} parameters ({", ".join(q.name for q in positional)}), but '
                "handlers are called as run(input, ctx): take one input, run(input), and read its fields from it"
            )
    if not positional:
        return 0
    if _is_context(positional[0]):
        raise ConfigError(
            f'{where}: the first parameter of "run" is "{positional[0].name}", but the first one gets the input: '
            "write run(input, ctx)"
        )
    if len(positional) == 1:
        return 1
    second = positional[1]
    named = second.name in CONTEXT_NAMES or _is_context(second)
    return 2 if named or second.default is second.empty else 1


def _is_context(p: inspect.Parameter) -> bool:
    if p.annotation is p.empty:
        return p.name in CONTEXT_NAMES
    return _names_context(p.annotation)


def _names_context(annotation: Any) -> bool:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return text.replace(" ", "").split("|")[0].split("[")[0].split(".")[-1] in CONTEXT_TYPES


def runs_in_loop(run: Callable[..., Any]) -> bool:
    """Whether calling `run` is sure to give an awaitable without working first: an `async def`, however wrapped."""
    while isinstance(run, functools.partial | functools.partialmethod):
        run = run.func
    if inspect.iscoroutinefunction(run):
        return True
    if inspect.isclass(run) or inspect.isroutine(run):
        return False
    return inspect.iscoroutinefunction(type(run).__call__)


def _name(run: Any) -> str:
    return getattr(run, "__name__", type(run).__name__)
