"""The conversions towards JSON that msgspec doesn't make itself, and the refusals: one step at a time.

Imported when the first such value comes: most servers never return one. The table of encodings is in jsontext.
"""

from __future__ import annotations

import datetime
from base64 import b64encode
from collections import UserString
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from pathlib import PurePath
from typing import Any
from uuid import UUID

from .values import Unencodable


def simpler(value: Any) -> Any:
    """A value of the same meaning that msgspec can write. Raises Unencodable (without a path) if there is none.

    Also msgspec's hook, which asks for bool and None only when they are keys.
    """
    kind = type(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    for base, convert in _BASES:
        if isinstance(value, base):
            return convert(value)
    dump = getattr(kind, "model_dump", None)
    if dump is not None:
        return dump(value, mode="json", by_alias=True)
    if isinstance(value, type):
        hint = ": return an instance or its name"
    elif callable(value):
        hint = ": it was not called"
    elif isinstance(value, Iterator) or hasattr(kind, "__aiter__"):
        hint = ": make it a list"
    elif hasattr(kind, "__await__"):
        hint = ": it was not awaited"
    elif hasattr(kind, "tolist"):
        hint = ": call its tolist()"
    else:
        hint = ": return a dict or a dataclass"
    raise Unencodable((), kind.__name__, f"a value of type {kind.__name__} has no JSON form{hint}")


def _plain_datetime(value: datetime.datetime) -> datetime.datetime:
    return datetime.datetime.combine(value.date(), value.timetz())


# What msgspec doesn't know, subclasses of scalars among them. The first that fits counts: datetime is a date too.
_BASES: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int),
    (float, float.__float__),
    ((PurePath, UserString), str),
    (Mapping, dict),
    (datetime.datetime, _plain_datetime),
    (datetime.date, lambda v: datetime.date(v.year, v.month, v.day)),
    (datetime.time, lambda v: datetime.time(v.hour, v.minute, v.second, v.microsecond, v.tzinfo)),
    (datetime.timedelta, lambda v: datetime.timedelta(v.days, v.seconds, v.microseconds)),
    (Decimal, lambda v: Decimal(v.as_tuple())),
    (UUID, lambda v: UUID(int=v.int)),
    ((bytes, bytearray, memoryview), lambda v: b64encode(bytes(v)).decode()),
    ((Sequence, Set), list),
)
