"""pydantic types as schemas: BaseModel, RootModel, pydantic dataclass, TypeAdapter, and typing constructs of them.

Validation is `validate_json` in strict mode: strict JSON reads dates, UUIDs and enums from text, as JSON has to, but
neither "5" nor true as 5. A field or model for which the author wrote `strict=False` stays lenient: a strict flag at
run time would win over that, so the validator is then built anew with strictness as its default.

A pydantic type has two JSON Schemas, of what it reads and of what it writes (aliases, computed fields, Decimal). Output
is therefore checked by `validate_output`, against the published output schema.

Facts: `loc` mixes keys with names of union members and validators; only what leads through the input is a path here.
`ValueError` and `AssertionError` of a validator are faults of the input, any other exception is a crash of the author's
code and is left alone. After a failure validators may run a second time.

Non-goals: pydantic.v1, async validators, `AliasPath` without a plain alias.
"""

from __future__ import annotations

import copy
import re
import sys
import typing
from functools import cached_property
from typing import Any

from ...errors import ConfigError
from ...jsontext import Unencodable, decode_json, encode_json
from ..coerce import Walker
from ..explain import Explainer
from ..schema import Invalid, Io, Issue, Path, Valid, unreadable
from ._generated import MAX_COMPLAINTS, TOO_DEEP, Complaint, merge, related, takes_any_number, tidy, with_local_times
from ._pydantic_loc import path_of, property_names

_PREFIX = re.compile(r"^(Value error|Assertion failed), ")
_CLASSES = (("pydantic.main", "BaseModel"), ("pydantic.type_adapter", "TypeAdapter"), ("pydantic.fields", "FieldInfo"))


def recognises(source: Any) -> bool:
    """A pydantic class or TypeAdapter, or a typing construct with one in it (`list[Model]`)."""
    if "pydantic" not in sys.modules:
        return False
    base, adapter, field = (getattr(sys.modules.get(module), name, _Absent) for module, name in _CLASSES)
    if isinstance(source, type):
        return issubclass(source, base) or "__pydantic_validator__" in vars(source)
    if isinstance(source, adapter | field):
        return True
    return any(map(recognises, typing.get_args(source)))


class _Absent:
    """Stands for a class of a module that isn't loaded: nobody has an instance of it."""


def adapt(source: Any) -> PydanticSchema:
    """The Schema of a pydantic type. ConfigError: an undefined name, a part without JSON Schema, a bad default."""
    return PydanticSchema(source)


class PydanticSchema:
    """A Schema (`picomcp_py.schemas.schema`) of one pydantic type."""

    vendor = "pydantic"

    def __init__(self, source: Any) -> None:
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
        from pydantic_core import SchemaError, SchemaValidator, ValidationError

        from . import _pydantic_schema as generated

        self._error: type[ValidationError] = ValidationError
        self._explainers: dict[Io, Explainer] = {}
        name = getattr(source, "__qualname__", None) or f"{source!r:.80}"
        try:
            adapter = source if isinstance(source, TypeAdapter) else TypeAdapter(source)
            if not adapter.pydantic_complete:
                adapter.rebuild(raise_errors=True)
            core = adapter.core_schema
            generated.check(core)
            self._schemas: dict[Io, dict[str, Any]] = {
                "input": tidy(adapter.json_schema(schema_generator=generated.Generator, mode="validation")),
                "output": tidy(adapter.json_schema(schema_generator=generated.Generator, mode="serialization")),
            }
            self._validator: Any = adapter.validator
            self._strict: bool | None = True
            if generated.is_lax_somewhere(core) and "_use_prebuilt" in (SchemaValidator.__text_signature__ or ""):
                # Else the models in it would keep the validators that they have. Older pydantic can't be told so: there
                # all is strict.
                self._validator = SchemaValidator(
                    generated.strict_by_default(core), {"strict": True}, _use_prebuilt=False
                )
                self._strict = None
        except ConfigError as error:
            raise ConfigError(f"{name}: {error}") from None
        except PydanticUndefinedAnnotation as error:
            raise ConfigError(
                f"{name}: name {error.name!r} is not defined: an annotation refers to it; define or import it at the "
                "top of the module"
            ) from error
        except KeyError as error:  # pydantic looks up references of the author's own
            raise ConfigError(f"{name}: the reference {error} leads nowhere") from error
        except (PydanticUserError, SchemaError) as error:
            raise ConfigError(f"{name} can't be read from JSON: {_first_line(error)}") from error
        self._serializer = adapter.serializer
        self._names = property_names(self._schemas["input"])
        self._checks_nan = takes_any_number(self._schemas["input"])
        self._reads_output = self._schemas["input"] == self._schemas["output"] and generated.reads_its_own_output(core)

    def validate_json(self, data: bytes) -> Valid[Any] | Invalid:
        """Straight from JSON text into the type."""
        if not (self._checks_nan and (b"NaN" in data or b"Infinity" in data)):
            try:
                return Valid(self._validator.validate_json(data, strict=self._strict))
            except self._error:
                pass
        return self._second_look(data)

    def validate(self, value: Any) -> Valid[Any] | Invalid:
        """From JSON as Python values, by way of JSON text: only there does strict mode read dates from strings."""
        return self.validate_json(encode_json(value))

    def validate_output(self, data: bytes) -> Valid[Any] | Invalid:
        """JSON text against the published output schema. `value` is one of the type where it reads what it writes, else
        plain JSON."""
        if self._reads_output:
            return self.validate_json(data)
        try:
            value = decode_json(data)
        except ValueError as error:
            return unreadable(error)
        issues = self._explain("output", value)
        return Invalid(issues) if issues else Valid(value)

    def json_schema(self, io: Io) -> dict[str, Any]:
        return copy.deepcopy(self._schemas[io])

    def dump(self, value: Any) -> Any:
        """Plain JSON values by pydantic's own rules, under the names of the output schema. Misfits are dumped as they
        are, without a warning: it is `validate_output` that refuses them."""
        return self._serializer.to_python(value, mode="json", by_alias=True, warnings=False)

    @cached_property
    def _narrow(self) -> Walker:
        return Walker(self._explainer("input").document)

    def _second_look(self, data: bytes) -> Valid[Any] | Invalid:
        try:
            value = self._narrow(decode_json(data))
            text = encode_json(value)
        except ValueError as error:
            return unreadable(error)
        except (RecursionError, Unencodable):
            return TOO_DEEP
        try:
            return Valid(self._validator.validate_json(text, strict=self._strict))
        except self._error as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)[:MAX_COMPLAINTS]
        complaints = [self._complaint(fault, value) for fault in faults]
        places = [complaint.path for complaint in complaints]

        def accepted(path: Path) -> bool:
            return not any(related(path, place) for place in places)

        return Invalid(merge(self._explain("input", value), complaints, accepted))

    def _explain(self, io: Io, value: Any) -> tuple[Issue, ...]:
        return self._explainer(io).issues(value)

    def _explainer(self, io: Io) -> Explainer:
        if io not in self._explainers:
            schema = self._schemas[io]
            self._explainers[io] = Explainer(schema if io == "input" else with_local_times(schema))
        return self._explainers[io]

    def _complaint(self, fault: Any, value: Any) -> Complaint:
        loc, text = fault["loc"], _PREFIX.sub("", fault["msg"])
        if loc and loc[-1] == "[key]":
            loc, text = loc[:-1], f"Invalid key: {text}"
        path, union = path_of(loc, value, missing=fault["type"] == "missing", names=self._names)
        return Complaint(text, path, fault["type"] in ("value_error", "assertion_error"), union)


def _first_line(error: Exception) -> str:
    """Without the line that links to a page about the error."""
    return str(error).partition("\n")[0]
