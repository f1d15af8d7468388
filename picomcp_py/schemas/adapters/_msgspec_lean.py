"""Outputs of plain containers, checked and encoded in one go.

The sure way to check what a handler returned is to encode it and to read the JSON as its type. That costs more than all
else about a large result. What is made of dicts and lists can instead be copied into Structs, which costs half, and the
copy encoded: then what is sent is what was checked.

The copy's type is as strict as JSON and its schema are: no unknown members, no NaN, no instances of classes that nobody
has checked, no text where a date is expected. Whatever doesn't fit may still be right, and is checked the sure way.
msgspec makes a float of a Decimal where it may; so does the sure way where the schema says number, and where a string
would do as well, there is no lean type.

Non-goals: values that are Structs or dataclasses themselves, types with code of their own (`__post_init__`), recursive
types.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, convert, defstruct
from msgspec import inspect as mi

from ...jsontext import MODERATE, with_javascript_numbers, write
from ._msgspec_node import SCALARS, annotation, bare, class_of, declared_fields

_NATIVE = (mi.DateTimeType, mi.DateType, mi.TimeType, mi.TimeDeltaType, mi.DecimalType, mi.UUIDType)
"""Types of which only instances are taken: text need not be what they are encoded as."""
_LEAVES = (mi.NoneType, mi.BoolType, mi.IntType, mi.StrType, mi.LiteralType, mi.EnumType)
_KEYS = (mi.AnyType, mi.StrType, mi.IntType, mi.LiteralType, mi.EnumType)
_TEXTS = (mi.StrType, mi.LiteralType, mi.EnumType, *_NATIVE)
"""Types that JSON has strings for."""
_REQUIRED = None | bool | int | str | list[Any] | dict[str, Any]
"""For a required member of any type: not UNSET, which is left out. Nor a float, since a Decimal would become one."""

_HAD_BY_ALL = "__dir__"
"""The attribute that stands for the first member. Of what has items but is no dict, msgspec would take attributes for
members, and never look for others; this one it finds everywhere, and nowhere is it JSON.
"""


class _Unsupported(Exception):
    """The type has no lean copy."""


def lean_encoder(node: mi.Type) -> Callable[[dict[Any, Any]], bytes | None] | None:
    """What encodes the values of a type that describes an object: see `Lean.encode`."""
    node = bare(node)
    return Lean(node).encode if isinstance(node, mi.TypedDictType | mi.StructType) else None


class Lean:
    """Encodes values of one type. The type of their copies is made for the first one."""

    def __init__(self, node: mi.Type) -> None:
        self._node = node
        self._made = False
        self._type: type[Struct] | None = None
        self._objects: dict[Any, type[Struct]] = {}
        self._convert = convert
        self._large = False
        """Whether there may be floats of MODERATE and more."""

    def encode(self, value: dict[Any, Any]) -> bytes | None:
        """The value's JSON, if it is plain and fits; None if that can't be told."""
        if self._type is None and not self._make():
            return None
        try:
            text = with_javascript_numbers(write(self._convert(value, self._type)), self._large)
        except Exception:  # the sure way finds out what is wrong, if anything is
            return None
        return None if 10 in text else text  # a line break comes only out of a Raw

    def _make(self) -> bool:
        """Whether there is a type for copies. It is made once."""
        if self._made:
            return False
        self._made = True
        # Annotations are the author's code, and some can no longer be read: what has no short cut goes the sure way.
        with contextlib.suppress(Exception):
            self._type = self._object(self._node, ())
        return self._type is not None

    def _object(self, node: Any, around: tuple[Any, ...]) -> type[Struct]:
        """A Struct with the members of a TypedDict or Struct. `around`: the classes that it is in."""
        if node.cls in self._objects:
            return self._objects[node.cls]
        cls = class_of(node.cls)
        if node.cls in around or hasattr(cls, "__post_init__") or not node.fields:
            raise _Unsupported
        if getattr(node, "array_like", False) or getattr(node, "tag", None) is not None:
            raise _Unsupported
        fields: list[Any] = []
        names = {}
        for field, _ in declared_fields(node):
            name = f"f{len(fields)}" if fields else _HAD_BY_ALL  # a member's name need not be one of Python's
            names[name] = field.encode_name
            kind = self._lean(field.type, (*around, node.cls))
            if not field.required:
                fields.append((name, kind, UNSET))
            else:
                fields.append((name, _REQUIRED if kind is Any else kind))
        made = defstruct(cls.__name__, fields, rename=names, kw_only=True, forbid_unknown_fields=True, gc=False)
        self._objects[node.cls] = made
        return made

    def _lean(self, node: mi.Type, around: tuple[Any, ...]) -> Any:
        node = bare(node)
        match node:
            case mi.TypedDictType() | mi.StructType():
                return self._object(node, around)
            case mi.FloatType():
                return _moderate(node)
            case mi.AnyType():
                self._large = True
                return Any
            case mi.DictType() if not isinstance(bare(node.key_type), _KEYS):
                raise _Unsupported
            case mi.UnionType() if _holds(node, mi.FloatType) and _holds(node, _TEXTS):
                raise _Unsupported
            case mi.ListType() | mi.VarTupleType() | mi.TupleType() | mi.DictType() | mi.UnionType():
                return annotation(node, lambda inner: self._lean(inner, around))
        if isinstance(node, _NATIVE):
            self._convert = partial(convert, builtin_types=[SCALARS[kind] for kind in _NATIVE])
        elif not isinstance(node, _LEAVES):
            raise _Unsupported
        return annotation(node)


def _holds(union: mi.UnionType, kinds: Any) -> bool:
    return any(isinstance(bare(member), kinds) for member in union.types)


def _moderate(node: mi.FloatType) -> Any:
    """A float below MODERATE and within the type's own bounds, so neither NaN nor infinite."""
    low, high = ("ge" if node.gt is None else "gt"), ("le" if node.lt is None else "lt")
    bounds: dict[str, Any] = {"multiple_of": node.multiple_of, low: getattr(node, low), high: getattr(node, high)}
    if bounds[low] is None or bounds[low] <= -MODERATE:
        bounds |= {low: None, "gt": -MODERATE}
    if bounds[high] is None or bounds[high] >= MODERATE:
        bounds |= {high: None, "lt": MODERATE}
    return Annotated[float, Meta(**bounds)]
