"""The slow way to JSON text: in Python, exact, and knowing where it is.

It writes what msgspec refuses (a lone surrogate, on older versions an integer beyond 64 bits) and says which value has
no JSON form. Whatever msgspec does write, this writes alike.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from msgspec import UNSET, Raw, Struct

from .numbers import number_text
from .reader import decode_json
from .simpler import simpler
from .values import Unencodable, clean_text, write

MAX_DEPTH = 400
"""Nesting at which it gives up: below Python's recursion limit of 1,000, far above what a model can read."""


def write_slowly(value: Any) -> bytes:
    """`value` as JSON text. Raises Unencodable with the path."""
    return _Writer().encode(value)


class _Writer:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.path: list[str | int] = []
        self.open: set[int] = set()

    def encode(self, value: Any) -> bytes:
        try:
            self._write(value)
        except RecursionError:
            raise self._refusal(value, "nested too deeply") from None
        return "".join(self.pieces).encode()

    def _refusal(self, value: Any, reason: str) -> Unencodable:
        return Unencodable(tuple(self.path), type(value).__name__, reason)

    def _write(self, value: Any) -> None:
        try:
            plain = _settled(value)
        except Unencodable as error:
            raise Unencodable(tuple(self.path), error.kind, str(error)) from None
        except RecursionError:
            raise
        except Exception as error:
            kind = type(value).__name__
            # What the error says is for the log: it may hold what no client should see.
            text = f"a value of type {kind} could not be read ({type(error).__name__})"
            raise self._refusal(value, text) from error
        if not isinstance(plain, dict | list):
            self.pieces.append(self._scalar(plain))
            return
        if id(value) in self.open:
            raise self._refusal(value, f"a value of type {type(value).__name__} holds itself")
        if len(self.path) >= MAX_DEPTH:
            place = tuple(self.path[:3])
            raise Unencodable(place, type(value).__name__, f"nested deeper than {MAX_DEPTH} levels")
        self.open.add(id(value))
        if isinstance(plain, dict):
            self._write_object(plain)
        else:
            self._write_array(plain)
        self.open.discard(id(value))

    def _write_object(self, members: dict[Any, Any]) -> None:
        separator = "{"
        for key, member in members.items():
            if member is UNSET:
                continue
            name = self._key(key)
            self.pieces.append(f"{separator}{name}:")
            separator = ","
            self.path.append(decode_json(name.encode()))
            self._write(member)
            self.path.pop()
        self.pieces.append("{}" if separator == "{" else "}")

    def _write_array(self, items: list[Any]) -> None:
        separator = "["
        for index, item in enumerate(items):
            self.pieces.append(separator)
            separator = ","
            self.path.append(index)
            self._write(item)
            self.path.pop()
        self.pieces.append("[]" if separator == "[" else "]")

    def _key(self, key: Any) -> str:
        """A member's name as a JSON string."""
        plain = key
        while isinstance(plain, Enum):
            plain = plain.value
        if isinstance(plain, str | PurePath):
            return self._scalar(str.__str__(plain) if isinstance(plain, str) else str(plain))
        try:
            return write({plain: None})[1:-6].decode()
        except Exception:  # whichever way msgspec says that it is no key
            reason = f"a value of type {type(key).__name__} can't be a key: use a string"
            raise self._refusal(key, reason) from None

    def _scalar(self, value: bool | str | int | float | None) -> str:
        if isinstance(value, str):
            return write(clean_text(value)).decode()
        if isinstance(value, float):
            return number_text(value)
        if value is None or isinstance(value, bool):
            return write(value).decode()
        try:
            return str(value)
        except ValueError:  # sys.set_int_max_str_digits
            raise self._refusal(value, "an integer of too many digits") from None


_SCALARS = (
    datetime.datetime,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    Decimal,
    UUID,
    bytes,
    bytearray,
)


def _settled(value: Any) -> Any:
    """`value` down to one of None, bool, str, int, float, dict, list; what it holds is still as it was."""
    while True:
        kind = type(value)
        if value is None or kind in (bool, str, int, float, dict, list):
            return value
        if isinstance(value, Enum):
            value = value.value
        elif isinstance(value, Struct):
            value = _struct_members(value)
        elif isinstance(value, type):
            value = simpler(value)
        elif dataclasses.is_dataclass(value):
            value = _attributes(value, [field.name for field in dataclasses.fields(value)])
        elif hasattr(kind, "__attrs_attrs__"):
            value = _attributes(value, [field.name for field in kind.__attrs_attrs__ if field.name[0] != "_"])
        elif isinstance(value, (list, tuple, set, frozenset)):
            value = list(value)
        elif kind is Raw:
            value = decode_json(value)
        elif kind in _SCALARS:
            value = decode_json(write(value))
        else:
            value = simpler(value)


def _struct_members(struct: Struct) -> dict[Any, Any] | list[Any]:
    """A Struct's members by their JSON names, as msgspec writes them."""
    config = struct.__struct_config__
    fields = struct.__struct_fields__
    if config.array_like:
        items = [getattr(struct, name) for name in fields]
        return items if config.tag is None else [config.tag, *items]
    members: dict[Any, Any] = {} if config.tag is None else {config.tag_field: config.tag}
    defaults = dict(zip(reversed(fields), reversed(struct.__struct_defaults__), strict=False))
    for name, key in zip(fields, struct.__struct_encode_fields__, strict=True):
        value = getattr(struct, name)
        if not (config.omit_defaults and name in defaults and _is_default(value, defaults[name])):
            members[key] = value
    return members


def _is_default(value: Any, default: Any) -> bool:
    """By identity, or a fresh empty container: the rule of msgspec's `omit_defaults`."""
    factory = getattr(default, "factory", None)
    return value is default or (factory in (list, dict, set) and type(value) is factory and not value)


def _attributes(value: Any, names: Iterable[str]) -> dict[str, Any]:
    """The fields that the object has. One that was never set isn't there, as in msgspec."""
    own = getattr(value, "__dict__", None)
    if own is None:
        return {name: getattr(value, name) for name in names if hasattr(value, name)}
    return {name: own[name] for name in names if name in own}
