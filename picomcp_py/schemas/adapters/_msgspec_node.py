"""Nodes of `msgspec.inspect` and the annotations they came from.

msgspec takes annotations in (`convert(value, annotation)`) and gives nodes out (`type_info`). To validate one field
alone, a node has to become an annotation again (`annotation`); to keep the order of a declaration, the annotations of
the class are read beside its node (`declared_fields`).
"""

from __future__ import annotations

import datetime
import decimal
import functools
import operator
import typing
import uuid
from collections.abc import Callable, Iterator
from types import GenericAlias
from typing import Annotated, Any, Literal

import msgspec
from msgspec import inspect as mi

SCALARS: dict[type, Any] = {
    mi.AnyType: Any,
    mi.NoneType: type(None),
    mi.BoolType: bool,
    mi.IntType: int,
    mi.FloatType: float,
    mi.StrType: str,
    mi.BytesType: bytes,
    mi.ByteArrayType: bytearray,
    mi.MemoryViewType: memoryview,
    mi.DateTimeType: datetime.datetime,
    mi.TimeType: datetime.time,
    mi.DateType: datetime.date,
    mi.TimeDeltaType: datetime.timedelta,
    mi.UUIDType: uuid.UUID,
    mi.DecimalType: decimal.Decimal,
    mi.RawType: Any,  # what is validated is no text any more
}
_COLLECTIONS: dict[type, Any] = {mi.ListType: list, mi.SetType: set, mi.FrozenSetType: frozenset}
_CONSTRAINTS = ("ge", "gt", "le", "lt", "multiple_of", "pattern", "min_length", "max_length", "tz")


def bare(node: mi.Type) -> mi.Type:
    """Without the wrapper that carries titles and descriptions."""
    while isinstance(node, mi.Metadata):
        node = node.type
    return node


def class_of(cls: Any) -> type:
    """`Box` of `Box` and of `Box[int]`."""
    origin: type = typing.get_origin(cls) or cls
    return origin


def annotation(node: mi.Type, inner: Callable[[mi.Type], Any] | None = None) -> Any:
    """An annotation that msgspec reads as `node` (without titles and descriptions). `inner`, if it is given, makes the
    annotations of what is in it.
    """
    node = bare(node)
    limits = {name: value for name in _CONSTRAINTS if (value := getattr(node, name, None)) is not None}
    plain = _unlimited(node, inner or annotation)
    return Annotated[plain, msgspec.Meta(**limits)] if limits else plain


def _unlimited(node: mi.Type, inner: Callable[[mi.Type], Any]) -> Any:
    match node:
        case mi.VarTupleType():
            return GenericAlias(tuple, (inner(node.item_type), ...))
        case mi.CollectionType():
            return GenericAlias(_COLLECTIONS[type(node)], (inner(node.item_type),))
        case mi.TupleType():
            return GenericAlias(tuple, tuple(map(inner, node.item_types)))
        case mi.DictType():
            return GenericAlias(dict, (inner(node.key_type), inner(node.value_type)))
        case mi.UnionType():
            return functools.reduce(operator.or_, map(inner, node.types))
        case mi.LiteralType():
            return Literal[node.values]
    scalar = SCALARS.get(type(node), SCALARS)
    return node.cls if scalar is SCALARS else scalar  # type: ignore[attr-defined]  # all others have a class


def declared_fields(node: Any) -> Iterator[tuple[mi.Field, Any]]:
    """The fields in the order of the class body (positional types: in theirs), each with its annotation."""
    hints = typing.get_type_hints(class_of(node.cls), include_extras=True)
    fields = node.fields
    if not isinstance(node, mi.NamedTupleType | mi.StructType):
        order = {name: index for index, name in enumerate(hints)}
        fields = sorted(fields, key=lambda field: order.get(field.name, len(order)))
    for field in fields:
        yield field, hints.get(field.name)
