"""Several items that a handler returns: a list, or whatever else can be gone through.

Going through them is the handler's own work: a query asks its database only then, a generator runs on. So it is done
where the handler runs, in its worker thread if it is in one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any


def is_items(value: Any) -> bool:
    """Whether these are several items, rather than one that can be gone through, too, or something to be awaited."""
    return (
        isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping) and not hasattr(value, "__await__")
    )


def gathering(function: Callable[..., Any], gather: Callable[[Any], Any]) -> Callable[..., Any]:
    """`function`, with `gather` of the items that it returns in place of them."""

    def run(*given: Any) -> Any:
        returned = function(*given)
        return gather(returned) if is_items(returned) else returned

    return run
