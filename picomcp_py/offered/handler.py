"""How a handler is called: what of (input, ctx) it takes, and whether it runs in the loop or in a worker thread.

Rules:
1. The first positional parameter gets the input. The second gets the context when it is required, named `ctx`,
   `context` or `_ctx`, or annotated as Context or SyncContext: another defaulted one is the author's own
   (`lambda input, i=i: ...`). Handlers that are given more than an input, such as a template's `read(uri, params,
   ctx)`, may leave out what they don't need: what looks like the context gets the context.
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
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ConfigError

CONTEXT_NAMES = ("ctx", "context", "_ctx")
CONTEXT_TYPES = ("Context", "SyncContext")


class Runs:
    """A handler under a `key` of a config, and how it is run. Raises ConfigError when it can't be called.

    `given` names what it may take before the context. The config's `thread` and `timeout` say how.
    """

    __slots__ = ("in_loop", "movable", "passed", "plain", "run", "threaded", "timeout")

    def __init__(
        self, where: str, config: Mapping[str, Any], key: str = "run", given: tuple[str, ...] = ("input",)
    ) -> None:
        self.run: Callable[..., Any] = config[key]
        self.passed = accepts(self.run, where, key, given)
        """What of (*given, ctx) it takes, by index."""
        refuse_generator(self.run, where, key)
        self.in_loop = runs_in_loop(self.run)
        self.movable = config.get("thread") is not False
        """Whether a worker thread may do what the author's own code does."""
        self.threaded = self.movable and not self.in_loop
        self.timeout: float | None = config.get("timeout")
        self.plain = not self.threaded and self.timeout is None
        """Whether it is called in the loop, and nothing else is to be done about it."""
        if self.timeout is not None and not self.threaded and not self.in_loop:
            raise ConfigError(
                f'{where}: "timeout" can\'t stop a def handler that runs in the event loop: make "{key}" async def, or '
                'drop "thread": False'
            )


def accepts(
    run: Callable[..., Any], where: str, key: str = "run", given: tuple[str, ...] = ("input",)
) -> tuple[int, ...]:
    """Which of (*given, ctx) to pass, by index. Raises ConfigError when `run` can't be called so."""
    form = f"{key}({', '.join((*given, 'ctx'))})"
    if not callable(run):
        raise ConfigError(f'{where}: "{key}" must be a function of {form[len(key) :]}, not {type(run).__name__}')
    try:
        parameters = list(inspect.signature(run).parameters.values())
    except (TypeError, ValueError):
        first = given[0] if given else ""
        raise ConfigError(
            f'{where}: the signature of "{key}" can\'t be read: wrap it, "{key}": lambda {first}: {_name(run)}({first})'
        ) from None
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            raise ConfigError(
                f'{where}: "{key}" needs the keyword "{p.name}", but handlers are called as {form}: '
                f"give it a default or read it from the {given[0] if given else 'context'}"
            )
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return tuple(range(len(given) + 1))
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if given and positional and _is_context(positional[0]):
        raise ConfigError(
            f'{where}: the first parameter of "{key}" is "{positional[0].name}", but the first one gets the '
            f"{given[0]}: write {form}"
        )
    passed: list[int] = []
    for p in positional:
        required = p.default is p.empty
        following = passed[-1] + 1 if passed else 0
        if following > len(given):  # the context was the last
            if required:
                raise ConfigError(_too_many(where, key, form, given, positional))
        elif _is_context(p) or (following and p.name in CONTEXT_NAMES):
            passed.append(len(given))
        elif following == len(given):
            if required:
                passed.append(following)
        elif required or following == 0 or p.name == given[following]:
            passed.append(following)
        else:
            break  # the author's own default, and what comes after it
    return tuple(passed)


def _too_many(where: str, key: str, form: str, given: tuple[str, ...], positional: list[inspect.Parameter]) -> str:
    hint = ": take one input, run(input), and read its fields from it" if given == ("input",) else ""
    names = ", ".join(p.name for p in positional)
    return f'{where}: "{key}" takes {len(positional)} parameters ({names}), but handlers are called as {form}{hint}'


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


def refuse_generator(run: Callable[..., Any], where: str, key: str = "run") -> None:
    """ConfigError for a function with `yield` in it: a call has one result, at its end."""
    function = _function(run)
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ConfigError(
            f'{where}: "{key}" is a generator, which is no result: collect what it yields in a list and return that; '
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
