"""Plain JSON values: telling what is one and what is not, of which JSON type it is, and whether two are the same.

The schemas layer only speaks of these: dict with string keys, list, str, int, finite float, bool, None. `as_json`
leaves them as they are, `copied` copies nothing else. A tuple is an array. All else is `NotJson`.
"""

from __future__ import annotations

from math import isfinite, isnan
from typing import Any


class NotJson(ValueError):
    """A value without a JSON form: `path` says where, `kind` what it is ("NaN", "datetime"); the text says both."""

    def __init__(self, path: tuple[str | int, ...], kind: str, text: str) -> None:
        super().__init__(text)
        self.path = path
        self.kind = kind


def as_json(value: Any, path: tuple[str | int, ...] = ()) -> Any:
    """`value` itself if it is JSON; else a copy with lists for tuples. NotJson for what isn't JSON."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if isfinite(value):
            return value
        kind = "NaN" if isnan(value) else "Infinity"
        raise NotJson(path, kind, f"{kind} is not a JSON number")
    if isinstance(value, dict):
        changed: dict[Any, Any] = {}
        for key, member in value.items():
            if not isinstance(key, str):
                raise NotJson(path, "object", f"a key is {type(key).__name__}, not a string")
            new = as_json(member, (*path, key))
            if new is not member:
                changed[key] = new
        return value | changed if changed else value
    if isinstance(value, list | tuple):
        items = [as_json(item, (*path, index)) for index, item in enumerate(value)]
        same = isinstance(value, list) and all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    raise NotJson(path, type(value).__name__, f"{type(value).__name__} is not a JSON value")


def copied(value: Any, max_depth: int | None = None, path: tuple[str | int, ...] = ()) -> Any:
    """A deep copy of plain dicts and lists. NotJson for what isn't JSON, or is deeper than `max_depth`."""
    if max_depth is not None and len(path) > max_depth:
        raise NotJson(path[:3], "too deep", f"it goes on for more than {max_depth} levels")
    if isinstance(value, dict):
        return {key: copied(member, max_depth, (*path, key)) for key, member in _checked_keys(value, path).items()}
    if isinstance(value, list | tuple):
        return [copied(item, max_depth, (*path, index)) for index, item in enumerate(value)]
    return as_json(value, path)


def _checked_keys(value: dict[Any, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    for key in value:
        if not isinstance(key, str):
            raise NotJson(path, "object", f"a key is {type(key).__name__}, not a string")
    return value


def is_deeper(value: Any, levels: int) -> bool:
    """Is this value of plain dicts and lists nested deeper than so many levels?"""
    containers = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        containers = [
            inner
            for outer in containers
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not containers:
            return False
    return True


def json_type(value: Any) -> str:
    """The JSON type of a value; "integer" for 5 and 5.0, "number" for the others."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case dict():
            return "object"
    return "array"


def is_one_of(value: Any, options: list[Any]) -> bool:
    """Equality as JSON has it: 1 is 1.0, and true is not 1 (looked at on the surface, which is enough for a tag)."""
    return any(value == option and isinstance(value, bool) == isinstance(option, bool) for option in options)
