"""Decimals that an output schema refuses as strings, made numbers: rows of a database are full of them.

Non-goal: Decimals inside of instances. Their classes say what they hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from ..schemas.schema import Issue, Path

Shape: TypeAlias = "tuple[str | None, ...]"
"""A path in which every index is None: what is refused in one row is wanted in none."""

MAX_DIGITS = 40
"""Of an integer. Larger ones are floats."""


def with_numbers(value: Any, issues: Sequence[Issue]) -> Any:
    """The value with numbers for the Decimals where the issues are; the value itself if there are none."""
    try:
        return _changed(value, {_shape(issue.path) for issue in issues}, ())
    except RecursionError:  # deeper than this can walk
        return value


def _shape(path: Path) -> Shape:
    return tuple(None if isinstance(step, int) else step for step in path)


def _changed(value: Any, shapes: set[Shape], here: Shape) -> Any:
    if isinstance(value, Decimal):
        return _number(value) if here in shapes else value
    if isinstance(value, dict):
        members = {key: _changed(member, shapes, (*here, str(key))) for key, member in value.items()}
        return members if any(members[key] is not value[key] for key in members) else value
    if isinstance(value, list | tuple):
        items = [_changed(item, shapes, (*here, None)) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _number(value: Decimal) -> Any:
    """An int if it is whole, else a float; what has no form in JSON stays as it is."""
    if not value.is_finite():
        return value
    if value == value.to_integral_value() and value.adjusted() < MAX_DIGITS:
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else value
