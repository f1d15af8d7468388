"""What msgspec does with dataclasses and attrs classes that their authors don't expect, and the way around it.

- A plain default that was not sent stays on the class: the instance has it, but neither its `__dict__` nor its JSON.
- A field with `init=False` can be set by whoever writes the JSON.
- A private attribute of an attrs class (`_x`) is read and never written.

So defaults are set after reading, and what no constructor takes is taken out before.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import inspect as mi

from ...errors import ConfigError
from ...jsontext import decode_json, encode_json
from ._msgspec_faults import member, parts
from ._msgspec_node import bare, class_of

_NONE: frozenset[str] = frozenset()


class NotForInput(ConfigError):
    """A type with a field that no input may have, and that msgspec can't do without: it serves as output only."""


def is_private(node: Any, name: str) -> bool:
    """Is it an attribute that msgspec never writes?"""
    return name.startswith("_") and isinstance(node, mi.DataclassType) and _is_attrs(class_of(node.cls))


def not_for_input(node: Any) -> frozenset[str]:
    """The names of fields that no input may set."""
    if not isinstance(node, mi.DataclassType):
        return _NONE
    cls: Any = class_of(node.cls)
    own = cls.__attrs_attrs__ if _is_attrs(cls) else dataclasses.fields(cls)
    return frozenset(field.name for field in own if not field.init or is_private(node, field.name))


class Classes:
    """The dataclasses and attrs classes in a type, as far as there is something to do for them; else it is false."""

    def __init__(self, root: mi.Type) -> None:
        self._root = root
        self._defaults: dict[type, dict[str, Any]] = {}
        self._hidden: dict[type, frozenset[str]] = {}
        for node in _nodes(root):
            if isinstance(node, mi.DataclassType):
                cls = class_of(node.cls)
                if defaults := _left_on_class(node, cls):
                    self._defaults[cls] = defaults
                if hidden := not_for_input(node):
                    self._hidden[cls] = hidden
        self._names = [name.encode() for hidden in self._hidden.values() for name in hidden]
        self._only_root = not any(
            class_of(node.cls) in self._defaults
            for field in getattr(root, "fields", ())
            for node in _nodes(field.type)
            if isinstance(node, mi.DataclassType)
        )

    def __bool__(self) -> bool:
        return bool(self._defaults or self._hidden)

    def without_hidden(self, data: bytes) -> bytes:
        """The JSON text without what no input may set. ValueError, TypeError or RecursionError if it can't be read."""
        if not self._names or not (b"\\u" in data or any(name in data for name in self._names)):
            return data
        return encode_json(self._strip(self._root, decode_json(data)))

    def complete(self, value: Any) -> None:
        """Sets the defaults that msgspec left on the class, in `value` and in what it holds."""
        todo = [value] if self._defaults else []
        while todo:
            item = todo.pop()
            defaults = self._defaults.get(type(item))
            if defaults is not None and not item.__dict__.keys() >= defaults.keys():
                own = item.__dict__
                everything = {**defaults, **own}
                in_order = {name: everything[name] for name in item.__dataclass_fields__ if name in everything}
                own.clear()
                own.update(in_order | everything)
            if not self._only_root:
                todo += _held_by(item)

    def _strip(self, node: mi.Type, value: Any) -> Any:
        node = bare(node)
        if isinstance(node, mi.UnionType):
            node = member(node, value) or node
        inside = {
            key: self._strip(inner, part) for key, inner, part in parts(node, value) if isinstance(inner, mi.Type)
        }
        if isinstance(value, dict):
            hidden = self._hidden.get(class_of(node.cls), ()) if isinstance(node, mi.DataclassType) else ()
            return {key: inside.get(key, part) for key, part in value.items() if key not in hidden}
        return [inside.get(index, part) for index, part in enumerate(value)] if isinstance(value, list) else value


def _is_attrs(cls: type) -> bool:
    return hasattr(cls, "__attrs_attrs__")


def _left_on_class(node: mi.DataclassType, cls: type) -> dict[str, Any]:
    """The defaults that are attributes of the class. With slots msgspec sets them itself."""
    missing = object()
    return {
        field.name: field.default
        for field in node.fields
        if field.default is not msgspec.NODEFAULT
        and inspect.getattr_static(cls, field.name, missing) is field.default
        and not _is_attrs(cls)
    }


def _nodes(root: mi.Type) -> Iterator[mi.Type]:
    """Every node that can be reached."""
    todo: list[Any] = [root]
    seen: set[int] = set()
    while todo:
        node = todo.pop()
        if isinstance(node, mi.Field):
            todo.append(node.type)
        elif isinstance(node, tuple):
            todo += node
        elif isinstance(node, mi.Type) and id(node) not in seen:
            seen.add(id(node))
            yield node
            todo += [getattr(node, name) for name in node.__struct_fields__]


def _held_by(item: Any) -> Iterable[Any]:
    if isinstance(item, list | tuple | set | frozenset):
        return item
    if isinstance(item, dict):
        return item.values()
    names = getattr(item, "__struct_fields__", None) or getattr(item, "__dataclass_fields__", None)
    if names is None:
        names = [attribute.name for attribute in getattr(item, "__attrs_attrs__", ())]
    return [getattr(item, name) for name in names if hasattr(item, name)]
