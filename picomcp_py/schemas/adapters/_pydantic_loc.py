"""Where a fault is, from pydantic's `loc`.

`loc` mixes keys and indices of the input with tags: names of members of a union (`Cat`, `int`, `list[int]`), values of
a discriminator, names of validators. A path has only what leads through the input. Which steps are tags is not marked,
and a tag may be the name of a key as well; so of all readings that the input allows, the likeliest is taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..schema import Path
from ..subschemas import every

Loc = tuple[str | int, ...]
_NOTHING: Any = object()
_SEARCHED = 30  # steps; the search takes their square in time, and a client chooses how deep its input is


class _Way(NamedTuple):
    """One reading. `tag_at`: where the first tag stood (None: no tag)."""

    likely: bool
    path: Path
    tag_at: Path | None
    ends_with_key: bool

    def rank(self) -> tuple[bool, int, bool]:
        return self.likely, len(self.path), self.ends_with_key


def path_of(loc: Loc, value: Any, *, missing: bool, names: frozenset[str]) -> tuple[Path, Path | None]:
    """The path, and that of the union or validator around it, if `loc` has tags.

    `missing`: the fault is that a key is missing. `names` are all names of properties: any other key that isn't in the
    input is a tag.
    """
    way = _greedy(loc, value, missing, names)
    if not (way.likely and way.ends_with_key) and len(loc) <= _SEARCHED:
        way = _search(loc, value, missing, names)
    return way.path, way.tag_at


def _greedy(loc: Loc, value: Any, missing: bool, names: frozenset[str]) -> _Way:
    """Every step that can be a key is one. Right unless a tag is also a key of the very object that it tags."""
    path: Path = ()
    tag_at: Path | None = None
    likely, ends_with_key = not missing, True
    for at, step in enumerate(loc):
        inner = _step(value, step)
        ends_with_key = True
        if inner is not _NOTHING:
            path, value = (*path, step), inner
        elif isinstance(value, dict) and at == len(loc) - 1 and step in names:
            path, likely = (*path, step), missing
        else:
            tag_at = path if tag_at is None else tag_at
            ends_with_key = False
    return _Way(likely, path, tag_at, ends_with_key)


def _search(loc: Loc, value: Any, missing: bool, names: frozenset[str]) -> _Way:
    """The likeliest of all readings."""
    known: dict[tuple[int, int], _Way] = {}

    def best(at: int, inside: Any) -> _Way:
        found = known.get((at, id(inside)))
        if found is None:
            found = known[at, id(inside)] = max(ways(at, inside), key=_Way.rank)
        return found

    def ways(at: int, inside: Any) -> list[_Way]:
        if at == len(loc):
            return [_Way(not missing, (), None, True)]
        step = loc[at]
        skipped = best(at + 1, inside)
        out = [_Way(skipped.likely, skipped.path, (), bool(skipped.path) and skipped.ends_with_key)]
        inner = _step(inside, step)
        if inner is not _NOTHING:
            likely, path, tag_at, ends = best(at + 1, inner)
            out.append(_Way(likely, (step, *path), None if tag_at is None else (step, *tag_at), ends))
        elif isinstance(inside, dict) and at == len(loc) - 1 and step in names:
            # but for a default that was validated, a fault of something absent is that it is missing
            out.append(_Way(missing, (step,), None, True))
        return out

    return best(0, value)


def _step(value: Any, step: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(step, _NOTHING)
    if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
        return value[step]
    return _NOTHING


def property_names(schema: Any) -> frozenset[str]:
    """The names of all properties anywhere in a JSON Schema."""
    return frozenset(name for _, node in every(schema) for name in node.get("properties", ()))
