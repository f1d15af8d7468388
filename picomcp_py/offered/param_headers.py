"""`x-mcp-header`: arguments that clients mirror into `Mcp-Param-*` HTTP headers, checked when a tool is registered.

Clients drop a whole tool whose annotation breaks a rule, so it has to be found here
(https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#custom-headers-from-tool-parameters).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..errors import ConfigError
from ..schemas.subschemas import every

KEY = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110 section 5.6.2
_TYPES = ("string", "integer", "boolean")


def param_headers(schema: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """header name (as annotated) -> path of property names. Raises ConfigError naming the property and the rule."""
    found: dict[str, tuple[str, ...]] = {}
    reachable: set[int] = set()
    for path, node in _properties(schema, ()):
        if KEY not in node:
            continue
        reachable.add(id(node))
        where, name = ".".join(path), node[KEY]
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            raise ConfigError(
                f'input property "{where}": {KEY} must be an HTTP token (letters, digits, -), not {name!r}'
            )
        if name.lower() in (n.lower() for n in found):
            raise ConfigError(f'input property "{where}": {KEY} "{name}" is used twice; names differ by more than case')
        if node.get("type") not in _TYPES:
            raise ConfigError(
                f'input property "{where}": {KEY} needs "type" string, integer or boolean, not {node.get("type")!r}'
            )
        found[name] = path
    for pointer, node in every(schema):
        if KEY in node and id(node) not in reachable:
            raise ConfigError(
                f"input schema at {pointer}: {KEY} only works on properties of the root or of nested objects, "
                "not inside items, anyOf, allOf, $defs or the like"
            )
    return found


def _properties(schema: dict[str, Any], path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    properties = schema.get("properties")
    for name, node in properties.items() if isinstance(properties, dict) else ():
        if isinstance(node, dict):
            yield (*path, name), node
            yield from _properties(node, (*path, name))
