"""jsonschema's validators, with the keywords replaced that tell too little, too late or too slowly for us.

- `properties` tells of a missing property where the property stands, so that faults come in schema order; `required`
  is left with the names that no `properties` has. `dependentRequired` reports at the missing key as well.
- `additionalProperties` and `propertyNames` report each key by itself, in the order of the value (jsonschema: one error
  at the parent, and in the order of a set).
- `multipleOf` counts in decimals: 19.99 is a multiple of 0.01.
- `uniqueItems` takes linear time: jsonschema compares all pairs of objects, with a long list a denial of service.

The one place that imports jsonschema, when the first validator is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any

from .formats import FORMATS, is_format
from .subschemas import DRAFT_07, DRAFT_2019_09, DRAFT_2020_12

MISSING = "picomcp:missing"  # stands as `error.validator` for a property that isn't there
UNKNOWN_KEY = "picomcp:unknown-key"
BAD_KEY = "picomcp:bad-key"


@cache
def validator_class(dialect: str, base: Any = None) -> Any:
    """The class that validates by `dialect`. Of `base`, a user's own class, it keeps the keywords that are theirs."""
    from jsonschema import validators

    stock = {
        DRAFT_07: validators.Draft7Validator,
        DRAFT_2019_09: validators.Draft201909Validator,
        DRAFT_2020_12: validators.Draft202012Validator,
    }[dialect]
    base = base or stock
    ours = {
        name: function
        for name, function in _OURS.items()
        if name in stock.VALIDATORS and base.VALIDATORS.get(name) is stock.VALIDATORS[name]
    }
    return validators.extend(base, ours)


@cache
def format_checker() -> Any:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    for name in FORMATS:
        checker.checks(name)(lambda value, name=name: not isinstance(value, str) or is_format(name, value))
    return checker


def _error(kind: str, path: str | None = None, **details: Any) -> Any:
    from jsonschema import ValidationError

    # Never shown; explain.py finds the words.
    return ValidationError(kind, validator=kind, path=() if path is None else (path,), **details)


def _properties(validator: Any, properties: dict[str, Any], instance: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    required = schema.get("required", ())
    for name, subschema in properties.items():
        if name in instance:
            yield from validator.descend(instance[name], subschema, path=name, schema_path=name)
        elif name in required:
            yield _error(MISSING, name, schema=subschema)


def _required(validator: Any, required: list[str], instance: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if validator.is_type(instance, "object"):
        told = schema.get("properties", {})
        yield from (
            _error(MISSING, name, schema=True) for name in required if name not in instance and name not in told
        )


def _dependent_required(validator: Any, needs: dict[str, Any], instance: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for name, needed in needs.items():
        if name in instance and isinstance(needed, list):
            for missing in needed:
                if missing not in instance:
                    subschema = schema.get("properties", {}).get(missing, True)
                    yield _error(MISSING, missing, schema=subschema, validator_value=name)
        elif name in instance:  # draft-07 has subschemas in the same keyword
            yield from validator.descend(instance, needed, schema_path=name)


def _additional(validator: Any, additional: Any, instance: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for key, value in instance.items():
        if key in named or any(re.search(pattern, key) for pattern in patterns):
            continue
        if additional is False:
            yield _error(UNKNOWN_KEY, key, instance=instance, schema=schema)
        else:
            yield from validator.descend(value, additional, path=key)


def _property_names(validator: Any, names: Any, instance: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if validator.is_type(instance, "object"):
        for key in instance:
            if faults := list(validator.descend(key, names)):
                yield _error(BAD_KEY, key, instance=key, context=faults)


def _multiple_of(validator: Any, step: Any, instance: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if not validator.is_type(instance, "number"):
        return
    if isinstance(step, int) and isinstance(instance, int):
        wrong = instance % step != 0
    else:
        (a, b), (c, d) = _as_written(instance), _as_written(step)
        wrong = (a * d) % (b * c) != 0
    if wrong:
        yield _error("multipleOf")


def _as_written(number: int | float) -> tuple[int, int]:
    """The fraction that the digits say: 0.1 is 1/10, which the float is not."""
    return (number, 1) if isinstance(number, int) else Decimal(repr(number)).as_integer_ratio()


def _unique_items(validator: Any, unique: bool, instance: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if not unique or not validator.is_type(instance, "array"):
        return
    first: dict[Any, int] = {}
    for index, item in enumerate(instance):
        at = first.setdefault(_frozen(item), index)
        if at != index:
            yield _error("uniqueItems", validator_value=(at, index))
            return


def _frozen(value: Any) -> Any:
    """A hashable value that is equal for JSON values that are equal: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list):
        return ("list", *map(_frozen, value))
    if isinstance(value, dict):
        return frozenset((key, _frozen(member)) for key, member in value.items())
    return value


_OURS = {
    "properties": _properties,
    "required": _required,
    "dependentRequired": _dependent_required,
    "dependencies": _dependent_required,
    "additionalProperties": _additional,
    "propertyNames": _property_names,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
}
