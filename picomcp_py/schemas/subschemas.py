"""Where the subschemas of a JSON Schema are, and which dialects are known. Knows keywords, not values.

A default, an enum or an unknown keyword may hold something that looks like a schema and isn't: so subschemas are found
by this table of keywords, never by looking for dicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import ConfigError

DRAFT_07 = "draft-07"
DRAFT_2019_09 = "2019-09"
DRAFT_2020_12 = "2020-12"
DIALECTS = {
    "json-schema.org/draft/2020-12/schema": DRAFT_2020_12,
    "json-schema.org/draft/2019-09/schema": DRAFT_2019_09,
    "json-schema.org/draft-07/schema": DRAFT_07,
}

# Where subschemas are, by the shape of the keyword's value.
_ONE = (
    "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames", "additionalItems",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
)  # fmt: skip
_LIST = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_MAP = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
# Those that look at the same value as the schema they stand in: a cycle of them never ends.
SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies")


def dialect_of(schema: dict[str, Any]) -> str:
    """The dialect that `$schema` declares; 2020-12 without one. ConfigError for one that isn't supported."""
    declared = schema.get("$schema")
    if declared is None:
        return DRAFT_2020_12
    known = DIALECTS.get(str(declared).removeprefix("https://").removeprefix("http://").removesuffix("#"))
    if known is None:
        raise ConfigError(
            f"#/$schema: the dialect {declared!r:.100} is not supported; supported are "
            + ", ".join(f"{name} ({'http' if name == DRAFT_07 else 'https'}://{uri})" for uri, name in DIALECTS.items())
            + ". Without $schema it is 2020-12"
        )
    return known


def pointer_of(path: tuple[str | int, ...]) -> str:
    return "/".join(["#", *(str(key).replace("~", "~0").replace("/", "~1") for key in path)])


def children(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The subschemas right inside of one (booleans too), each with the steps of the pointer to it."""
    for keyword, value in schema.items():
        if keyword in _MAP and isinstance(value, dict):
            for name, sub in value.items():
                written = str(getattr(name, "ecma", name))
                yield f"{keyword}/{written.replace('~', '~0').replace('/', '~1')}", sub
        elif keyword in _LIST and isinstance(value, list):
            for index, sub in enumerate(value):
                yield f"{keyword}/{index}", sub
        elif keyword in _ONE:
            yield keyword, value


def every(schema: Any, pointer: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """`schema` and each subschema in it with its pointer, outer before inner, in the order they are written.

    One may be changed as soon as it is given out: what it holds is looked up afterwards.
    """
    todo: list[tuple[str, Any]] = [(pointer, schema)]
    while todo:
        at, node = todo.pop()
        if isinstance(node, dict):
            yield at, node
            todo += [(f"{at}/{step}", sub) for step, sub in reversed([*children(node)])]


def walk(root: Any, pointer: str) -> Any:
    """What a JSON pointer (without its `#`) leads to; None if it leads nowhere."""
    from urllib.parse import unquote  # with ipaddress, a tenth of the package's import time

    found = root
    for step in pointer.split("/")[1:]:
        step = unquote(step).replace("~1", "/").replace("~0", "~")
        try:
            found = found[int(step)] if isinstance(found, list) else found[step]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return found


def is_plain(root: dict[str, Any]) -> bool:
    """Are all references pointers from the root: is there no resource with an `$id` inside, no anchor, nothing remote?

    Looks at everything, also where no schemas are: a false no costs some time, a false yes the meaning.
    """
    todo: list[Any] = [root]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            if value is not root and isinstance(value.get("$id"), str):
                return False
            for ref in (value.get("$ref"), value.get("$dynamicRef"), value.get("$recursiveRef")):
                if isinstance(ref, str) and ref != "#" and not ref.startswith("#/"):
                    return False
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return True
