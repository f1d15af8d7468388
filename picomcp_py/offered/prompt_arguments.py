"""A prompt's arguments as its input schema describes them: what prompts/list shows, and values to suggest for each.

Found along `$ref` and `allOf`, and in the branches of a union at the root. Rules:

1. Order and names are the schema's. `required` is there only when true.
2. Title and description are those beside the name, else those of what it refers to.
3. Suggested are the values of an enum, const or union of them, the two booleans, else `examples`; as the text that a
   client has to send, since all arguments of a prompt are strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..jsontext import encode_json
from ..schemas.document import Document


def arguments_of(document: Document) -> list[dict[str, Any]]:
    """PromptArgument objects (MCP 2026-07-28), in schema order."""
    required = {name for part in document.parts(document.root) for name in part.get("required", ())}
    return [
        {
            "name": name,
            **{key: said for key in ("title", "description") if (said := _said(document, schema, key)) is not None},
            **({"required": True} if name in required else {}),
        }
        for name, schema in _members(document).items()
    ]


def suggestions_of(document: Document) -> dict[str, list[str]]:
    """By argument, the values that its schema names; only those for which it names any."""
    named = {name: _suggestions(document, schema) for name, schema in _members(document).items()}
    return {name: values for name, values in named.items() if values}


def _members(document: Document) -> dict[str, Any]:
    """name -> subschema; {} for a name that is only required."""
    members: dict[str, Any] = {}
    parts = [*document.parts(document.root)]
    branches = [branch for part in parts for key in ("anyOf", "oneOf") for branch in part.get(key, ())]
    for part in [*parts, *(part for branch in branches for part in document.parts(branch))]:
        for name, schema in part.get("properties", {}).items():
            members.setdefault(name, schema)
    for part in parts:
        for name in part.get("required", ()):
            members.setdefault(name, {})
    return members


def _said(document: Document, schema: Any, key: str) -> str | None:
    return next((part[key] for part in document.parts(schema) if isinstance(part.get(key), str)), None)


def _suggestions(document: Document, schema: Any) -> list[str]:
    options = document.options(schema)
    if options is None and {*document.types(schema)} - {"null"} == {"boolean"}:
        options = [True, False]
    if options is None:
        options = next(_examples(document, schema), [])
    texts = (option if isinstance(option, str) else encode_json(option).decode() for option in options)
    return [*dict.fromkeys(text for text, option in zip(texts, options, strict=True) if option is not None)]


def _examples(document: Document, schema: Any) -> Iterator[list[Any]]:
    for part in document.parts(schema):
        if isinstance(part.get("examples"), list):
            yield part["examples"]
