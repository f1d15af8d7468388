"""JSON Schema of a pydantic core schema, as `pydantic.json_schema` writes it with less noise and no silent gaps.

Imported only when a pydantic type is adapted: this module imports pydantic.

- Titles made from names are left out; those that an author wrote stay.
- Order is that of the declaration.
- A part without JSON Schema (a callable, a class to be an instance of) is an error also inside a union, where pydantic
  drops it with a warning.
- A default that a factory makes is shown if it is the same each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pydantic_core
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import SchemaValidator, ValidationError, to_jsonable_python

from ...errors import ConfigError
from ._defaults import finite, steady

# Keys of a core schema that hold the author's values, not schemas.
_VALUES = frozenset({"cls", "config", "default", "expected", "function", "members", "metadata", "serialization"})
_WITH_CONFIG = frozenset({"model", "dataclass", "typed-dict"})


class Generator(GenerateJsonSchema):
    """Given to `TypeAdapter.json_schema(schema_generator=...)`."""

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        return value

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """pydantic warns of defaults that aren't JSON; they are left out, which is all there is to do."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        at = next((at for at, node in nodes(self._root) if node is schema or node == schema), "")
        cls = schema.get("cls")
        shown = cls.__qualname__ if isinstance(cls, type) else f"a {schema['type']}"
        raise ConfigError(
            f"{at + ': ' if at else ''}{shown} is not a type that JSON can be read into: "
            "use a pydantic model or a plain type such as str"
        )

    def model_schema(self, schema: Any) -> JsonSchemaValue:
        return _untitled(super().model_schema(schema), schema)

    def dataclass_schema(self, schema: Any) -> JsonSchemaValue:
        return _untitled(super().dataclass_schema(schema), schema)

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        return _untitled(super().typed_dict_schema(schema), schema)

    def generate(self, schema: Any, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        self._root = schema
        shown: JsonSchemaValue = super().generate(schema, mode)
        enums = {node["cls"].__name__ for _, node in nodes(schema) if node["type"] == "enum"}
        for part in (shown, *shown.get("$defs", {}).values()):
            if part.get("title") in enums and ("enum" in part or "const" in part):
                del part["title"]
        return shown

    def default_schema(self, schema: Any) -> JsonSchemaValue:
        shown: JsonSchemaValue = super().default_schema(schema)
        factory = schema.get("default_factory")
        if factory is not None and not schema.get("default_factory_takes_data") and "default" not in shown:
            made = steady(factory, to_jsonable_python)
            if made is not None:
                shown = {**shown, "default": to_jsonable_python(made[0], by_alias=True)}
        if "default" in shown and not finite(shown["default"]):
            del shown["default"]
        return shown


def _untitled(shown: JsonSchemaValue, schema: Any) -> JsonSchemaValue:
    """Without the class's name as its title."""
    cls = schema.get("cls")
    if cls is not None and shown.get("title") == cls.__name__:
        del shown["title"]
    return shown


def nodes(core: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every node of a core schema that has a type, with the path of fields to it."""
    if isinstance(core, dict):
        if isinstance(core.get("type"), str):
            yield at, core
        for key, inner in core.items():
            if key not in _VALUES:
                named = key == "fields" and isinstance(inner, dict)
                parts = inner.items() if named else [("", inner)]
                for name, part in parts:
                    yield from nodes(part, f"{at}.{name}" if at and name else name or at)
    elif isinstance(core, list | tuple):
        for inner in core:
            name = inner.get("name", "") if isinstance(inner, dict) and inner.get("type") == "dataclass-field" else ""
            yield from nodes(inner, f"{at}.{name}" if at and name else name or at)


def check(core: Mapping[str, Any]) -> None:
    """ConfigError for what pydantic lets pass: a default that breaks its own type, a name that can't be published."""
    definitions = core.get("definitions", []) if core.get("type") == "definitions" else []
    for at, node in nodes(core):
        alias = node.get("validation_alias")
        if isinstance(alias, list) and not any(
            len(way) == 1 for way in (alias if isinstance(alias[0], list) else [alias])
        ):
            raise ConfigError(
                f"{at}: an AliasPath can't be told in a JSON Schema: give the field a plain alias as well"
            )
        if node["type"] == "default" and "default" in node:
            _check_default(at, node, definitions)


def _check_default(at: str, node: dict[str, Any], definitions: list[Any]) -> None:
    value, inner = node["default"], node["schema"]
    validator = SchemaValidator(
        {"type": "definitions", "schema": inner, "definitions": definitions} if definitions else inner
    )
    try:
        try:
            validator.validate_python(value, strict=True)
        except ValidationError:
            if node.get("validate_default"):
                raise
            # as it would come from a client: text for a Path or a date is fine
            validator.validate_json(pydantic_core.to_json(value, by_alias=True), strict=True)
    except ValidationError as error:
        (first, *_) = error.errors(include_url=False, include_context=False, include_input=False)
        raise ConfigError(
            f"{at}: the default {value!r:.60} does not fit the field's own type: {first['msg']}; "
            f"change the default or the type{' (`... | None`)' if value is None else ''}"
        ) from None
    except Exception:  # the author's validator wants what only a call has (other fields, a context): nothing is known
        return


def reads_its_own_output(core: Mapping[str, Any]) -> bool:
    """Can output be validated as input? Not if an author's validator gets it before pydantic does."""
    return not any(node["type"] in ("function-before", "function-wrap", "function-plain") for _, node in nodes(core))


def is_lax_somewhere(core: Mapping[str, Any]) -> bool:
    """Has the author written `strict=False`? (Secrets have such a node of their own, which changes nothing.)"""
    return any(
        node.get("strict") is False or (node.get("config") or {}).get("strict") is False
        for _, node in nodes(core)
        if node["type"] != "lax-or-strict"
    )


def strict_by_default(core: Any) -> Any:
    """The core schema with `strict=True` wherever the author did not say `strict=False`."""
    if isinstance(core, dict):
        out = {key: inner if key in _VALUES else strict_by_default(inner) for key, inner in core.items()}
        if out.get("type") in _WITH_CONFIG:
            out["config"] = {"strict": True, **(core.get("config") or {})}
        return out
    return [strict_by_default(inner) for inner in core] if isinstance(core, list) else core
