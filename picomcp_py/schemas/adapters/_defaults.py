"""Which defaults can be shown in a JSON Schema: those that are JSON, and the same each time."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import Any


def steady(factory: Callable[[], Any], to_json: Callable[[Any], Any]) -> tuple[Any] | None:
    """What a default factory makes, if it makes the same JSON each time and no clock, id or file is in it; else None.

    The factory is called twice, when the tool is registered.
    """
    try:
        first, second = factory(), factory()
        same = to_json(first) == to_json(second)
    except Exception:  # the author's code, called before it expects to be: it then has no default to show
        return None
    return (first,) if same and _timeless(first) else None


def _timeless(value: Any) -> bool:
    """Dates are steady for a day only: `date.today` must not be published as a default."""
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_timeless, value))
    if isinstance(value, dict):
        return all(map(_timeless, value.values()))
    if isinstance(value, str | int | float | None):
        return True
    if isinstance(value, Enum):
        return _timeless(value.value)
    if (attributes := getattr(value, "__attrs_attrs__", None)) is not None:
        return all(_timeless(getattr(value, attribute.name)) for attribute in attributes)
    for kind in ("__struct_fields__", "__dataclass_fields__", "__pydantic_fields__"):
        if (names := getattr(value, kind, None)) is not None:
            return all(_timeless(getattr(value, name)) for name in names)
    return False


def finite(value: Any) -> bool:
    """Has this JSON value no NaN and no infinity, which JSON can't write?"""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    return all(map(finite, value)) if isinstance(value, list | tuple) else True
