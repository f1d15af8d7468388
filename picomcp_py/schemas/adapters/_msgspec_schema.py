"""JSON Schema 2020-12 of a type that msgspec reads, from `msgspec.inspect`.

`msgspec.json.schema` exists; it is not used because it sorts enum members, literals and TypedDict fields, leaves
`datetime` without a format, and hides defaults that a factory makes. Here:

- Order is that of the declaration, everywhere.
- Class names are no titles; a `Meta(title=...)` is. A description is one that the author wrote (`Meta`, docstring).
- "input" says what is read, "output" what is written: they differ for Decimal (read from numbers too) and for fields
  that no input may set.
- A default that breaks its own type is a ConfigError: msgspec itself never checks defaults.

Non-goals: types for which msgspec needs hooks (a ConfigError names the field).
"""

from __future__ import annotations

import inspect
import re
import typing
from typing import Any

import msgspec
from msgspec import inspect as mi

from ...errors import ConfigError
from ..schema import Io
from ._defaults import finite, steady
from ._msgspec_dataclass import NotForInput, is_private, not_for_input
from ._msgspec_node import annotation, bare, class_of, declared_fields

DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_OBJECTS = (mi.StructType, mi.TypedDictType, mi.DataclassType, mi.NamedTupleType)
_FORMATS: dict[type, str] = {mi.DateType: "date", mi.TimeDeltaType: "duration", mi.UUIDType: "uuid"}
_MISSING = object()


class SchemaWriter:
    """Writes one schema: `SchemaWriter(io).root(node, the annotation)`."""

    def __init__(self, io: Io) -> None:
        self.io = io
        self.names: dict[Any, str] = {}
        self.defs: dict[str, Any] = {}
        self.where: list[str] = []

    def root(self, node: mi.Type, source: Any) -> dict[str, Any]:
        self.refuse_ignored(source)
        schema = self.write(node, source)
        return {**schema, "$defs": self.defs} if self.defs else schema

    def write(self, node: mi.Type, declared: Any = None) -> dict[str, Any]:
        """`declared` is the annotation as it was written, if it is known: msgspec sorts literals."""
        extra: dict[str, Any] = {}
        while isinstance(node, mi.Metadata):
            extra = {**(node.extra_json_schema or {}), **extra}
            node = node.type
        if isinstance(node, (*_OBJECTS, mi.EnumType)):
            return {"$ref": self.reference(node), **extra}
        return {**self.plain(node, declared), **extra}

    def reference(self, node: Any) -> str:
        name = self.names.get(node.cls)
        if name is None:
            name = self.names[node.cls] = self.free_name(node.cls)
            self.defs[name] = {}
            body = self.enum(node) if isinstance(node, mi.EnumType) else self.object(node)
            doc = _docstring(class_of(node.cls))
            self.defs[name] = {"description": doc, **body} if doc else body
        return f"#/$defs/{name}"

    def free_name(self, cls: Any) -> str:
        shown = class_of(cls).__name__
        for arg in typing.get_args(cls):
            shown += f"_{getattr(arg, '__name__', arg)}"
        short = name = re.sub(r"[^A-Za-z0-9._-]", "_", shown)
        number = 2
        while name in self.defs:
            name = f"{short}_{number}"
            number += 1
        return name

    def plain(self, node: mi.Type, declared: Any) -> dict[str, Any]:
        match node:
            case mi.AnyType() | mi.RawType():
                return {}
            case mi.NoneType():
                return {"type": "null"}
            case mi.BoolType():
                return {"type": "boolean"}
            case mi.IntType() | mi.FloatType():
                bounds = _present(
                    minimum=node.ge,
                    exclusiveMinimum=node.gt,
                    maximum=node.le,
                    exclusiveMaximum=node.lt,
                    multipleOf=node.multiple_of,
                )
                return {"type": "integer" if isinstance(node, mi.IntType) else "number", **bounds}
            case mi.StrType():
                return {
                    "type": "string",
                    **_present(minLength=node.min_length, maxLength=node.max_length, pattern=node.pattern),
                }
            case mi.BytesType() | mi.ByteArrayType() | mi.MemoryViewType():
                lengths = {
                    key: 4 * ((size + 2) // 3)
                    for key, size in (("minLength", node.min_length), ("maxLength", node.max_length))
                    if size is not None
                }
                return {"type": "string", "contentEncoding": "base64", **lengths}
            case mi.DateTimeType() | mi.TimeType():
                kind = "date-time" if isinstance(node, mi.DateTimeType) else "time"
                # RFC 3339 wants an offset: a type that takes none (tz=False) can't have the format.
                return {"type": "string"} if node.tz is False else {"type": "string", "format": kind}
            case mi.DateType() | mi.TimeDeltaType() | mi.UUIDType():
                return {"type": "string", "format": _FORMATS[type(node)]}
            case mi.DecimalType():
                return {"type": ["string", "number"] if self.io == "input" else "string", "pattern": DECIMAL}
            case mi.LiteralType():
                return _options(_in_order(node.values, declared))
            case mi.UnionType():
                return {"anyOf": [self.write(member, declared) for member in node.types]}
            case mi.TupleType():
                size = len(node.item_types)
                items = [self.write(item, declared) for item in node.item_types]
                prefix = {"prefixItems": items} if items else {}
                return {"type": "array", **prefix, "items": False, "minItems": size, "maxItems": size}
            case mi.CollectionType():
                schema = {"type": "array", **_open("items", self.write(node.item_type, declared))}
                if isinstance(node, mi.SetType | mi.FrozenSetType):
                    schema["uniqueItems"] = True
                return schema | _present(minItems=node.min_length, maxItems=node.max_length)
            case mi.DictType():
                return {
                    "type": "object",
                    **self.keys(node.key_type),
                    **_open("additionalProperties", self.write(node.value_type, declared)),
                    **_present(minProperties=node.min_length, maxProperties=node.max_length),
                }
        raise ConfigError(self.unsupported(node))

    def keys(self, node: mi.Type) -> dict[str, Any]:
        inner = bare(node)
        if isinstance(inner, mi.IntType):
            return {"propertyNames": {"pattern": "^(0|-?[1-9][0-9]*)$"}}
        if isinstance(inner, mi.StrType | mi.LiteralType | mi.EnumType | mi.UnionType):
            schema = self.write(node)
            return _open("propertyNames", schema if schema != {"type": "string"} else {})
        return {}

    def enum(self, node: mi.EnumType) -> dict[str, Any]:
        members = {id(member): member.value for member in node.cls.__members__.values()}
        return _options(tuple(members.values()))

    def object(self, node: Any) -> dict[str, Any]:
        """Struct, TypedDict, dataclass, attrs class, NamedTuple."""
        array = isinstance(node, mi.NamedTupleType) or getattr(node, "array_like", False)
        fields: dict[str, Any] = {}
        required: list[str] = []
        if getattr(node, "tag_field", None) is not None:
            fields[node.tag_field] = _options((node.tag,))
            required.append(node.tag_field)
        hidden = not_for_input(node) if self.io == "input" else ()
        for field, declared in declared_fields(node):
            self.where.append(field.encode_name)
            if field.name in hidden or is_private(node, field.name):
                self.refuse_required(node, field)
                self.where.pop()
                continue
            self.refuse_ignored(declared)
            schema = self.write(field.type, declared)
            if field.required:
                required.append(field.encode_name)
            else:
                default = self.default(field)
                if default is not _MISSING:
                    schema["default"] = default
            fields[field.encode_name] = schema
            self.where.pop()
        forbids = getattr(node, "forbid_unknown_fields", False)
        if array:
            closed = forbids or isinstance(node, mi.NamedTupleType)
            least = max((i + 1 for i, name in enumerate(fields) if name in required), default=0)
            limits = {"items": False, "maxItems": len(fields)} if closed else {}
            prefix = {"prefixItems": list(fields.values())} if fields else {}
            return {"type": "array", **prefix, "minItems": least, **limits}
        schema = {"type": "object", "properties": fields, "required": required}
        return schema | ({"additionalProperties": False} if forbids else {})

    def refuse_required(self, node: Any, field: mi.Field) -> None:
        """ConfigError for a field that isn't published, but that msgspec insists on."""
        if field.required:
            at = ".".join(self.where)
            if is_private(node, field.name):
                raise ConfigError(f"{at}: msgspec never writes what is private: give it a default, or a public name")
            raise NotForInput(f"{at}: it has init=False, so no input can have it: give it a default")

    def default(self, field: mi.Field) -> Any:
        """The default as JSON; _MISSING if it can't be told. Raises ConfigError if it doesn't fit the field's type."""
        value = field.default
        if value is msgspec.NODEFAULT:
            if field.default_factory is msgspec.NODEFAULT:
                return _MISSING
            value = steady(field.default_factory, msgspec.to_builtins)
            if value is None:
                return _MISSING
            (value,) = value
        try:
            shown = msgspec.to_builtins(value, str_keys=True)
            msgspec.convert(shown, annotation(field.type), str_keys=True)
        except (TypeError, ValueError) as error:
            if isinstance(bare(field.type), mi.AnyType):
                return _MISSING
            raise ConfigError(
                f"{'.'.join(self.where)}: the default {value!r:.60} does not fit the field's own type: {error}; "
                f"change the default or the type{' (`... | None`)' if value is None else ''}"
            ) from None
        return shown if finite(shown) else _MISSING

    def refuse_ignored(self, declared: Any) -> None:
        """ConfigError for constraints in the words of another library, which msgspec would pass over in silence."""
        for meta in getattr(declared, "__metadata__", ()):
            if type(meta).__module__.partition(".")[0] in ("pydantic", "annotated_types"):
                raise ConfigError(
                    f"{'.'.join(self.where)}: msgspec ignores {type(meta).__name__} in an annotation: "
                    "use msgspec.Meta, or pass pydantic.TypeAdapter(...) of the whole type"
                )
        for arg in typing.get_args(declared):
            self.refuse_ignored(arg)

    def unsupported(self, node: mi.Type) -> str:
        at = f"{'.'.join(self.where)}: " if self.where else ""
        cls = getattr(node, "cls", node)
        shown = getattr(cls, "__qualname__", repr(cls))
        if hasattr(cls, "__get_pydantic_core_schema__"):
            return (
                f"{at}{shown} is pydantic's, which msgspec can't read: pass pydantic.TypeAdapter(...) of the whole type"
            )
        return (
            f"{at}{shown} is not a type that JSON can be read into: use a msgspec Struct, dataclass, TypedDict, "
            "or a plain type such as str"
        )


def _present(**keywords: Any) -> dict[str, Any]:
    return {k: v for k, v in keywords.items() if v is not None}


def _open(keyword: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {keyword: schema} if schema else {}


def _options(values: tuple[Any, ...]) -> dict[str, Any]:
    schema: dict[str, Any] = {"const": values[0]} if len(values) == 1 else {"enum": list(values)}
    kinds = {type(v) for v in values}
    if kinds == {str}:
        return {"type": "string", **schema}
    return {"type": "integer", **schema} if kinds == {int} else schema


def _in_order(values: tuple[Any, ...], declared: Any) -> tuple[Any, ...]:
    """Literal values in the order of the annotation."""
    wanted = {(type(v), v) for v in values}
    for literal in _literals(declared):
        if {(type(v), v) for v in literal} >= wanted:
            return tuple(v for v in dict.fromkeys(literal) if (type(v), v) in wanted)
    return values


def _literals(declared: Any) -> typing.Iterator[tuple[Any, ...]]:
    origin = typing.get_origin(declared)
    if origin is typing.Literal:
        yield typing.get_args(declared)
    declared = getattr(declared, "__supertype__", None) or getattr(origin or declared, "__value__", None) or declared
    for arg in typing.get_args(declared):
        yield from _literals(arg)


def _docstring(cls: type) -> str:
    """The class's own docstring, if its author wrote one: dataclasses, named tuples and enums bring their own."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    automatic = doc.startswith(f"{cls.__name__}(") and doc.endswith(")")
    return "" if automatic or doc == "An enumeration." else doc
