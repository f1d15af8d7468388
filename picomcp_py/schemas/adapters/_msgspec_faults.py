"""Every fault of a value that msgspec refused. msgspec itself stops at the first.

The value is taken apart along its type, and each part is converted alone. A part that converts is accepted; one that
doesn't is taken apart further; where nothing inside is at fault, the fault is the part's own. An author's
`__post_init__` or attrs validator shows its own message, at the object that it refused.

Runs only after a failure, so it may be slow: the cost is one conversion a part and level.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import GenericAlias
from typing import Any

import msgspec
from msgspec import inspect as mi

from ..schema import Path
from ._generated import MAX_COMPLAINTS, Complaint
from ._msgspec_node import annotation, bare, declared_fields

_AT = re.compile(r" - at `(?:(?P<key>key)` in `)?\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<name>[^.\[\]]+)|\[(?P<index>[0-9]+)\]|(?P<unknown>\[\.\.\.\])")
_MISSING = re.compile(r"Object missing required field `(.*)`$")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`$")
REQUIRED = "Invalid input: a value is required"
_ITEMS = (mi.ListType, mi.SetType, mi.FrozenSetType, mi.VarTupleType)


class Faults:
    """`Faults(node, value)`: `complaints` in the order of the type, and `accepts(path)`."""

    def __init__(self, node: mi.Type, value: Any) -> None:
        self.complaints: list[Complaint] = []
        self._accepted: set[Path] = set()
        self._search(node, value, ())

    def accepts(self, path: Path) -> bool:
        """Is the value there, or one around it, taken by msgspec?"""
        return any(path[:size] in self._accepted for size in range(len(path) + 1))

    def _search(self, node: mi.Type, value: Any, path: Path) -> None:
        if len(self.complaints) >= MAX_COMPLAINTS:
            return
        error = _refusal(value, annotation(node))
        if error is None:
            self._accepted.add(path)
            return
        before = len(self.complaints)
        for key, inner, part in parts(bare(node), value):
            if inner is None:
                self.complaints.append(Complaint(REQUIRED, (*path, key)))
            elif isinstance(inner, _Key):
                fault = _refusal({key: None}, inner.objects)
                if fault is not None:
                    self.complaints.append(complaint(fault, (*path, key)))
            else:
                self._search(inner, part, (*path, key))
        if len(self.complaints) == before:
            self.complaints.append(complaint(error, path))


class _Key(msgspec.Struct):
    """Stands for the type of a dict's key: `objects` are those whose keys have it."""

    objects: Any


def _refusal(value: Any, kind: Any) -> msgspec.ValidationError | None:
    try:
        msgspec.convert(value, kind, str_keys=True)
    except msgspec.ValidationError as error:
        return error
    return None


def complaint(error: msgspec.DecodeError, path: Path = ()) -> Complaint:
    """The error of a value at `path`, in msgspec's or the author's words, without msgspec's way of writing a path."""
    text, cause = str(error), error.__cause__
    if cause is None:
        at = _AT.search(text)
        text = ("Invalid key: " if at["key"] else "") + text[: at.start()] if at else text
    else:
        # the author's message may look like a path itself: what msgspec added stands behind it
        at = _AT.search(text, len(str(cause)))
    path = (*path, *_steps(at["path"] if at else ""))
    if cause is not None:
        text, path = _authored(cause, path)
        return Complaint(text, path, authored=True)
    if missing := _MISSING.match(text):
        return Complaint(REQUIRED, (*path, missing[1]))
    if unknown := _UNKNOWN.match(text):
        return Complaint(f'Unrecognized key: "{unknown[1]}"', (*path, unknown[1]))
    return Complaint(text.replace("`", ""), path)


def _authored(cause: BaseException, path: Path) -> tuple[str, Path]:
    """attrs validators raise (message, attribute, ...): the attribute tells the field."""
    if len(cause.args) > 1 and isinstance(cause.args[0], str):
        field = cause.args[1]
        if type(field).__module__.partition(".")[0] == "attr":
            path = (*path, field.name)
        return cause.args[0], path
    return str(cause) or f"Invalid input: {type(cause).__name__}", path


def _steps(text: str) -> Path:
    """`.a[0].b` as ("a", 0, "b"), as far as it is known: msgspec writes the keys of a dict as `[...]`."""
    steps: list[str | int] = []
    for step in _STEP.finditer(text):
        if step["unknown"]:
            break
        steps.append(step["name"] if step["name"] is not None else int(step["index"]))
    return tuple(steps)


def parts(node: mi.Type, value: Any) -> Iterator[tuple[str | int, mi.Type | _Key | None, Any]]:
    """The parts of a value with their types (None: it is missing); nothing for a value of the wrong kind."""
    if isinstance(node, mi.UnionType):
        meant = member(node, value)
        if meant is not None:
            yield from parts(meant, value)
    elif isinstance(value, dict):
        if isinstance(node, mi.DictType):
            objects = GenericAlias(dict, (annotation(node.key_type), Any))
            for key, part in value.items():
                yield key, _Key(objects), None
                yield key, node.value_type, part
        for field, _ in declared_fields(node) if hasattr(node, "fields") and not _is_array(node) else ():
            if field.encode_name in value:
                yield field.encode_name, field.type, value[field.encode_name]
            elif field.required:
                yield field.encode_name, None, None
    elif isinstance(value, list):
        yield from (
            (i, inner, part) for i, (inner, part) in enumerate(zip(_item_types(node, len(value)), value, strict=False))
        )


def _item_types(node: mi.Type, size: int) -> tuple[mi.Type, ...]:
    if isinstance(node, _ITEMS):
        return (node.item_type,) * size
    if isinstance(node, mi.TupleType):
        return node.item_types
    if _is_array(node):
        fields = tuple(field.type for field in node.fields)  # type: ignore[attr-defined]  # arrays of fields have them
        tag = (mi.AnyType(),) if getattr(node, "tag_field", None) is not None else ()
        return tag + fields
    return ()


def _is_array(node: mi.Type) -> bool:
    return isinstance(node, mi.NamedTupleType) or getattr(node, "array_like", False)


def member(union: mi.UnionType, value: Any) -> mi.Type | None:
    """The one member that an object or array can be meant for; tagged structs by tag. None if it can't be told."""
    fitting = [m for m in map(bare, union.types) if _fits(m, value)]
    if isinstance(value, dict) and len(fitting) > 1:
        # Of what fits an object, only Structs may stand beside one another in a union, and those have tags.
        fitting = [m for m in fitting if m.tag_field in value and value[m.tag_field] == m.tag]  # type: ignore[attr-defined]
    return fitting[0] if len(fitting) == 1 else None


def _fits(node: mi.Type, value: Any) -> bool:
    if isinstance(value, list):
        return isinstance(node, (*_ITEMS, mi.TupleType)) or _is_array(node)
    return isinstance(value, dict) and (
        isinstance(node, mi.DictType) or (hasattr(node, "fields") and not _is_array(node))
    )
