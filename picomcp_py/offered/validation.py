"""From the schema in a config to the check of a request's arguments: what tools and prompts share.

Two ways to read raw arguments: `strict` takes them as they are, `lenient` first makes values of text where the schema
lets in no string (see schemas/coerce.py). Both give a function that may return an awaitable if the schema's does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import ConfigError
from ..jsontext import decode_json
from ..schemas.schema import Invalid, Io, Issue, Schema, Valid, schema_of, unreadable

if TYPE_CHECKING:
    from ..schemas.document import Document

Outcome: TypeAlias = "Valid[Any] | Invalid"  # as text: nothing but annotations needs it, and making it takes a while
Check: TypeAlias = "Callable[[bytes], Outcome | Awaitable[Outcome]]"


def schema_in(where: str, key: str, source: Any) -> Schema[Any] | None:
    """The Schema of what a config has under `key`; None without one. Raises ConfigError."""
    if source is None:
        return None
    try:
        return schema_of(source)
    except ConfigError as error:
        raise ConfigError(f'{where}: "{key}": {error}') from error


def published_by(where: str, key: Io, schema: Schema[Any] | None) -> dict[str, Any] | None:
    """The JSON Schema document of a Schema. Raises ConfigError."""
    if schema is None:
        return None
    try:
        document = schema.json_schema(key)
    except ConfigError as error:
        raise ConfigError(f'{where}: "{key}": {error}') from error
    if not isinstance(document, dict):
        raise ConfigError(f'{where}: "{key}": its JSON Schema must be an object, not {document!r:.40}')
    return document


def check_input_root(where: str, published: Mapping[str, Any]) -> None:
    """ConfigError unless the schema describes an object: arguments have names."""
    if published.get("type") == "object":
        return
    combined = next((k for k in ("oneOf", "anyOf", "allOf", "$ref", "const", "enum", "not") if k in published), None)
    if "type" not in published and ("properties" in published or combined is None):
        raise ConfigError(f'{where}: "input": add "type": "object" at the root of the JSON Schema: MCP requires it')
    raise ConfigError(
        f'{where}: "input" must describe an object, not {published.get("type", combined)}: arguments have names. Put '
        'it into a field: {"type": "object", "properties": {"value": ...}}'
    )


def document_of(published: dict[str, Any]) -> Document:
    """A published schema as a document, to be looked into."""
    from ..schemas.document import Document

    return Document(published)


def strict(schema: Schema[Any]) -> Check:
    """The check of raw arguments as they are."""
    fast: Check | None = getattr(schema, "validate_json", None)
    if fast is not None:
        return fast
    validate = schema.validate
    return lambda raw: _validate_text(raw, validate)


def lenient(schema: Schema[Any], document: Document) -> Check:
    """The check of raw arguments after text has become what it says; `document` is what the schema publishes."""
    from ..schemas.coerce import Walker

    read, validate = Walker(document, lenient=True), schema.validate
    return lambda raw: _validate_text(raw, lambda value: _validate_read(read(value), value, validate))


def _validate_text(raw: bytes, validate: Callable[[Any], Outcome | Awaitable[Outcome]]) -> Outcome | Awaitable[Outcome]:
    try:
        value = decode_json(raw)
    except ValueError as error:
        return unreadable(error)
    return validate(value)


def _validate_read(
    value: Any, sent: Any, validate: Callable[[Any], Outcome | Awaitable[Outcome]]
) -> Outcome | Awaitable[Outcome]:
    """What the lenient mode made of `sent`: text may hold what is nested deeper than any message may be."""
    from ..jsonrpc import MAX_DEPTH
    from ..schemas.plain import is_deeper

    if value is not sent and is_deeper(value, MAX_DEPTH):
        return Invalid((Issue(f"Invalid input: nested deeper than {MAX_DEPTH} levels"),))
    return validate(value)
