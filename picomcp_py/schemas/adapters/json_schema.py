"""JSON Schema documents as schemas: a dict, or an instance of a jsonschema validator.

Published verbatim, validated by its own dialect (2020-12 unless `$schema` says 2019-09 or draft-07), with defaults
filled in. All that can't work is found when it is registered: an invalid schema or unknown dialect, a `$ref` to nothing
or to elsewhere, a pattern that doesn't compile, a default that its own subschema refuses, a schema that never ends, and
one that is larger than any in use (limits in document.py).

A validator instance brings its class (with keywords of the user's own), its format checker and the resources of its
registry. Whatever that registry would fetch is not fetched.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ...errors import ConfigError
from ...jsontext import decode_json
from ..coerce import Walker
from ..document import MAX_DEPTH, Document
from ..explain import Explainer
from ..plain import NotJson, as_json, copied
from ..schema import Invalid, Io, Issue, Schema, Valid, render_path, unreadable
from ..subschemas import dialect_of, pointer_of

_TOO_DEEP = Invalid((Issue("Invalid input: nested too deeply"),))


def recognises(source: Any) -> bool:
    """A dict, or what looks like a jsonschema validator (`adapt` refuses the class itself, and says so)."""
    return isinstance(source, dict) or _looks_like_validator(source if isinstance(source, type) else type(source))


def adapt(source: Any) -> Schema[Any]:
    """The Schema of a dict or validator. ConfigError says what can't work, where in it, and what to do."""
    if isinstance(source, dict):
        return JsonSchema(source)
    if isinstance(source, type):
        raise ConfigError(f"{source.__name__} is a validator class: pass a validator, {source.__name__}(schema)")
    if not isinstance(source.schema, dict):
        raise ConfigError(f"the validator's schema is {source.schema!r:.40}: give it a JSON object")
    if getattr(source, "_ref_resolver", None) is not None:
        raise ConfigError("the validator has a RefResolver, which fetches references: give it a referencing.Registry")
    meta = type(source).META_SCHEMA
    return JsonSchema(
        source.schema,
        dialect=dialect_of({"$schema": meta.get("$id", meta.get("id", "without a name"))}),
        base=type(source),
        registry=_own_resources(source),
        format_checker=source.format_checker,
    )


class JsonSchema:
    """A Schema of a JSON Schema document; see picomcp_py.Schema for the members."""

    vendor = "json-schema"

    def __init__(
        self,
        schema: dict[str, Any],
        *,
        dialect: str | None = None,
        registry: Any = None,
        base: Any = None,
        format_checker: Any = None,
    ) -> None:
        document = Document(schema, dialect=dialect, registry=registry, strict=True)
        self._published = copied(schema, MAX_DEPTH)
        _check_by_metaschema(self._published, document.dialect)
        self._explainer = Explainer(schema, document=document, base=base, format_checker=format_checker)
        self._walk = Walker(document, fill=True)
        _check_defaults(document, self._explainer)

    def validate(self, value: Any) -> Valid[Any] | Invalid:
        """`value` with defaults, and integers where it had floats for them; the value itself is not changed."""
        try:
            return self._validated(as_json(value))
        except NotJson as exc:
            expected = "number" if exc.kind in ("NaN", "Infinity") else "a JSON value"
            return Invalid((Issue(f"Invalid input: expected {expected}, received {exc.kind}", exc.path),))
        except RecursionError:
            return _TOO_DEEP

    def validate_json(self, data: bytes) -> Valid[Any] | Invalid:
        try:
            value = decode_json(data)
        except ValueError as exc:
            return unreadable(exc)
        return self._validated(value)

    def json_schema(self, io: Io) -> dict[str, Any]:
        """The document as it was given, the same for both; a copy."""
        published: dict[str, Any] = copied(self._published)
        return published

    def _validated(self, value: Any) -> Valid[Any] | Invalid:
        filled = self._walk(value)
        issues = self._explainer.issues(filled)
        if not issues:
            return Valid(filled)
        # Told of what was sent: beside an unknown key, one that only the defaults brought would count as given.
        paths = {issue.path for issue in issues}
        told = tuple(issue for issue in self._explainer.issues(value) if issue.path in paths)
        return Invalid(told if len(told) == len(issues) else issues)


def _looks_like_validator(kind: type) -> bool:
    # By its looks, as jsonschema must not be imported for a look.
    return hasattr(kind, "META_SCHEMA") and hasattr(kind, "iter_errors") and hasattr(kind, "check_schema")


def _own_resources(source: Any) -> Any:
    """The registry of a validator, if there is more in it than the metaschemas that all have."""
    from jsonschema_specifications import REGISTRY

    registry = getattr(source, "_registry", ())
    return registry if any(uri not in REGISTRY for uri in registry) else None


@cache
def _metaschema(dialect: str) -> Explainer:
    from ..keywords import validator_class

    return Explainer(validator_class(dialect).META_SCHEMA)


def _check_by_metaschema(schema: dict[str, Any], dialect: str) -> None:
    issues = _metaschema(dialect).issues(schema)
    if issues:
        told = [f"{pointer_of(issue.path)}: {issue.message}" for issue in issues[:5]]
        raise ConfigError(f"not a valid JSON Schema ({dialect}): " + "; ".join(told))


def _check_defaults(document: Document, explainer: Explainer) -> None:
    for pointer, schema, resolver in document.places.values():
        if "default" in schema:
            errors = explainer.validator.descend(schema["default"], schema, resolver=resolver)
            for issue in explainer.told(errors):
                where = render_path(issue.path)
                raise ConfigError(
                    f"{pointer}/default: its own schema refuses it ({where + ': ' if where else ''}{issue.message}): "
                    "change the default, or what the schema allows"
                )
