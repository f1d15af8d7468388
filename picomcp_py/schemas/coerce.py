"""Changes that a JSON Schema asks for before a value is validated: narrowing, the lenient mode, defaults.

- Narrowing, always: a float with an integer value is the integer, where the schema asks for integers (5.0 and 1e2 are
  integers in JSON). Where it lets in other numbers too, it stays what it is.
- The lenient mode (`Walker(..., lenient=True)`; a tool's `coerce: True`), for clients that send text for everything.
  Where the schema lets in no string: "5" and "-5" -> integer; "5.5", "1e3" -> number; "true", "false" -> boolean; text
  of a JSON object or array -> that. Nothing else: not "0x10", "1,000", " 5 ", "yes", "", "null". What comes out may be
  nested deeper than what came in: the caller looks.
- Defaults, for dict schemas (`Walker(..., fill=True)`).

One walk does it all, with the schema as its guide: through properties, patternProperties, additionalProperties, items
and prefixItems, along `$ref` and `allOf`. Of a union it follows the branches that can be meant (type and tag tell), and
in the lenient mode only if there is just one. if/then/else and dependentSchemas are conditions, not descriptions, and
are not followed, nor are $dynamicRef and $recursiveRef.

Rules
- The value is never changed; what differs is a copy.
- Validation comes afterwards and decides. A value that fits nothing comes back as it is, so that the fault is told of
  what the client sent.
- Defaults come from no union, and a default is taken as it is: nothing is filled into it.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from ..jsontext import decode_json
from .document import Document, Types
from .plain import copied

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_UNSET: Any = object()


class Walker:
    """Callable: value -> value, the same object if nothing had to change. See the top of the module.

    What it finds out about the schema is kept, so make one and keep it; threads may share it.
    """

    def __init__(self, document: Document, *, lenient: bool = False, fill: bool = False) -> None:
        self._document = document
        self._lenient = lenient
        self._fill = fill
        self._parts: dict[int, list[dict[str, Any]]] = {}

    def __call__(self, value: Any) -> Any:
        try:
            return self._visit(self._document.root, value, self._fill)
        except RecursionError:
            return value  # validation says that it is nested too deeply

    def _visit(self, schema: Any, value: Any, fill: bool) -> Any:
        if not isinstance(schema, dict):
            return value
        value = self._leaf(self._document.types(schema), value)
        if isinstance(value, dict):
            value = self._object(schema, value, fill)
        elif isinstance(value, list):
            value = self._array(schema, value, fill)
        else:
            return value
        for part in self._parts_of(schema):
            for branches in (part.get("anyOf"), part.get("oneOf")):
                meant = self._document.fitting(branches or [], value)
                if branches and (not self._lenient or len(meant) == 1):
                    for index in meant:
                        value = self._visit(branches[index], value, False)
        return value

    def _leaf(self, types: Types, value: Any) -> Any:
        if isinstance(value, float):
            return int(value) if "number" not in types and "integer" in types and value.is_integer() else value
        if self._lenient and isinstance(value, str) and "string" not in types:
            return _read(value, types)
        return value

    def _object(self, schema: dict[str, Any], value: dict[str, Any], fill: bool) -> dict[str, Any]:
        changed: dict[str, Any] = {}
        filled: dict[str, Any] = {}
        for part in self._parts_of(schema):
            properties = part.get("properties", {})
            for name, subschema in properties.items():
                if name in value:
                    changed[name] = self._visit(subschema, changed.get(name, value[name]), fill)
                elif fill and name not in filled and (default := self._default(subschema)) is not _UNSET:
                    filled[name] = copied(default)
            patterns, rest = part.get("patternProperties", {}), part.get("additionalProperties")
            if patterns or isinstance(rest, dict):
                for key in value:
                    matching = [subschema for pattern, subschema in patterns.items() if re.search(pattern, key)]
                    for subschema in matching or ([] if key in properties else [rest]):
                        changed[key] = self._visit(subschema, changed.get(key, value[key]), fill)
        if filled or any(changed[name] is not value[name] for name in changed):
            return value | changed | filled
        return value

    def _array(self, schema: dict[str, Any], value: list[Any], fill: bool) -> list[Any]:
        items = value
        for part in self._parts_of(schema):
            each, prefix = part.get("items"), part.get("prefixItems", ())
            if isinstance(each, list):  # up to 2019-09
                each, prefix = part.get("additionalItems"), each
            if prefix or isinstance(each, dict):
                items = [
                    self._visit(prefix[index] if index < len(prefix) else each, item, fill)
                    for index, item in enumerate(items)
                ]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value

    def _default(self, schema: Any) -> Any:
        return next((part["default"] for part in self._parts_of(schema) if "default" in part), _UNSET)

    def _parts_of(self, schema: Any) -> list[dict[str, Any]]:
        if id(schema) not in self._parts:
            self._parts[id(schema)] = [*self._document.parts(schema)]
        return self._parts[id(schema)]


def _read(text: str, types: Types) -> Any:
    """What the text says, if it is of one of the types; else the text."""
    try:
        if "integer" in types and _INTEGER.fullmatch(text):
            return int(text)
        if "number" in types and _NUMBER.fullmatch(text) and isfinite(number := float(text)):
            return number
        if "boolean" in types and text in ("true", "false"):
            return text == "true"
        start = text.lstrip(" \t\r\n")[:1]
        if ("object" in types and start == "{") or ("array" in types and start == "["):
            return decode_json(text.encode())
    except ValueError:
        pass  # not JSON, or a number of thousands of digits
    return text
