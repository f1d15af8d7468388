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

import ast
import functools
import inspect
import types
import typing
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
    """Is it Context or SyncContext, perhaps optional or annotated? Text is parsed: its names may not exist."""
    if isinstance(annotation, str):
        try:
            return _is_written_context(ast.parse(annotation.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _names_context(args[0])
    if origin in (typing.Union, types.UnionType):
        return any(map(_names_context, args))
    if isinstance(annotation, typing.ForwardRef):
        return _names_context(annotation.__forward_arg__)
    named = annotation if origin is None else origin
    return getattr(named, "__name__", "") in CONTEXT_TYPES


def _is_written_context(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str() as quoted):
            return _names_context(quoted)
        case ast.BinOp(op=ast.BitOr()):
            return _is_written_context(node.left) or _is_written_context(node.right)
        case ast.Subscript():
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            match _last_name(node.value):
                case "Optional" | "Union":
                    return any(map(_is_written_context, inner))
                case "Annotated":
                    return _is_written_context(inner[0])
            return _is_written_context(node.value)
    return _last_name(node) in CONTEXT_TYPES


def _last_name(node: ast.expr) -> str:
    """`Context` of `picomcp_py.Context`."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def runs_in_loop(run: Callable[..., Any]) -> bool:
    """Whether calling `run` is sure to give an awaitable without working first: an `async def`, however wrapped."""
    return inspect.iscoroutinefunction(_function(run))


def refuse_generator(run: Callable[..., Any], where: str) -> None:
    """ConfigError for a function with `yield` in it: a call has one result, at its end."""
    function = _function(run)
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ConfigError(
            f'{where}: "run" is a generator, which is no result: collect what it yields in a list and return that; '
            "ctx.progress and ctx.log tell of what happens on the way"
        )


def _function(run: Callable[..., Any]) -> Any:
    """What is run in the end: inside of partials, and the `__call__` of an object; a class is none."""
    while isinstance(run, functools.partial):
        run = run.func
    if inspect.isclass(run) or inspect.isroutine(run):
        return run
    return type(run).__call__


def _name(run: Any) -> str:
    return getattr(run, "__name__", type(run).__name__)
