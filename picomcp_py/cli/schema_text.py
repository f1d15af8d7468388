"""A tool's JSON Schema in a few words, for the table of its arguments."""

from __future__ import annotations

from typing import Any

from ..jsontext import encode_json

MAX_CHOICES = 8


def arguments_of(schema: Any) -> list[list[str]]:
    """Rows of name, type, "required" or "", description; one for each property."""
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return []
    required = schema.get("required") or []
    return [
        [name, type_of(member, schema), "required" if name in required else "", _description(member)]
        for name, member in schema["properties"].items()
    ]


def type_of(schema: Any, root: Any, depth: int = 0) -> str:
    """`string`, `array of integer`, `"a" | "b"`, ..."""
    if not isinstance(schema, dict) or depth > 3:
        return "any"
    if isinstance(schema.get("$ref"), str):
        return _referred(schema["$ref"], root, depth)
    if "const" in schema:
        return _json(schema["const"])
    if isinstance(schema.get("enum"), list):
        shown = [_json(choice) for choice in schema["enum"][:MAX_CHOICES]]
        return " | ".join([*shown, "..."] if len(schema["enum"]) > MAX_CHOICES else shown)
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return " | ".join(dict.fromkeys(type_of(choice, root, depth + 1) for choice in schema[key]))
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return " | ".join(map(str, kinds))
    if kinds == "array" and "items" in schema:
        return f"array of {type_of(schema['items'], root, depth + 1)}"
    return str(kinds)


def _referred(ref: str, root: Any, depth: int) -> str:
    name = ref.rpartition("/")[2]
    target = root.get("$defs", {}).get(name) if ref.startswith("#/$defs/") else None
    if isinstance(target, dict) and target.get("type") != "object":
        return type_of(target, root, depth + 1)
    return name or "any"


def _description(schema: Any) -> str:
    if not isinstance(schema, dict):
        return ""
    text = schema.get("description")
    default = f"(default {_json(schema['default'])})" if "default" in schema else ""
    return " ".join(filter(None, (text if isinstance(text, str) else "", default)))


def _json(value: Any) -> str:
    text = encode_json(value).decode()
    return text if len(text) <= 60 else text[:57] + "..."
