"""Types that msgspec reads, as schemas: Struct, TypedDict, dataclass, NamedTuple, attrs class, `list[int]`...

The hot path is one decoder made once: bytes go straight into the type. Everything else happens after a failure: JSON's
`5.0` becomes the integer 5 and is tried again, then every fault is collected and explained.

Facts of msgspec that shape this file: it reads strictly by default (no "5" for 5, no True for 1); instances are never
checked, so values are taken apart before they are validated; `ValueError` and `TypeError` of a `__post_init__` are
faults of the input, any other exception is a crash of the author's code and is left alone.

Non-goals: types that need a `dec_hook` (a ConfigError says so), lenient parsing (`coerce` does that, before).
"""

from __future__ import annotations

import copy
import types
import typing
from typing import Any

import msgspec
from msgspec.json import Decoder

from ...errors import ConfigError
from ...jsontext import Unencodable, decode_json, encode_json
from ..coerce import Walker
from ..explain import Explainer
from ..schema import Invalid, Io, Issue, Valid, unreadable
from ._generated import TOO_DEEP, merge, tidy
from ._msgspec_dataclass import Classes, NotForInput
from ._msgspec_faults import Faults, complaint
from ._msgspec_lean import lean_encoder
from ._msgspec_schema import SchemaWriter

FITS = Valid(None)
"""The verdict on an output: what is sent is what was checked, not what was read from it."""


def recognises(source: Any) -> bool:
    """Any class or typing construct but a pydantic one. Whether msgspec can read it, `adapt` tells."""
    from . import pydantic_type

    if pydantic_type.recognises(source):
        return False
    return (
        isinstance(source, type)
        or source is Any
        or isinstance(source, types.UnionType | typing.NewType)
        or _is_construct(source)
    )


def _is_construct(source: Any) -> bool:
    """`list[int]`, `Annotated[...]`, `Literal[...]`, a `type X = ...` alias."""
    return typing.get_origin(source) is not None or type(source).__name__ == "TypeAliasType"


def adapt(source: Any) -> MsgspecSchema | DataclassSchema:
    """The Schema of a type. ConfigError: an undefined name, a type that JSON can't hold, a default that misfits."""
    schema = MsgspecSchema(source)
    classes = Classes(schema.node)
    return DataclassSchema(schema, classes) if classes else schema


class MsgspecSchema:
    """A Schema (`picomcp_py.schemas.schema`) of one type."""

    vendor = "msgspec"

    def __init__(self, source: Any) -> None:
        self._helpers: dict[Io, tuple[Walker, Explainer]] = {}
        try:
            self._decode = Decoder(source).decode
            self.node = msgspec.inspect.type_info(source)
            output = tidy(SchemaWriter("output").root(self.node, source))
            self._schemas: dict[Io, dict[str, Any]] = {"output": output, "input": self._input(source, output)}
            self.encode_output = lean_encoder(self.node)
        except ConfigError as error:
            raise ConfigError(f"{_name(source)}: {error}") from None
        except NameError as error:
            raise ConfigError(
                f"{_name(source)}: {error}: an annotation refers to it; define or import it at the top of the module"
            ) from error
        except Exception as error:  # annotations are the author's code: evaluating them may raise anything
            raise ConfigError(f"{_name(source)} can't be read from JSON: {error or type(error).__name__}") from error

    def validate_json(self, data: bytes) -> Valid[Any] | Invalid:
        """Straight from JSON text into the type."""
        try:
            return Valid(self._decode(data))
        except (msgspec.DecodeError, RecursionError):
            return self._second_look(data, "input")

    def validate_output(self, data: bytes) -> Valid[Any] | Invalid:
        """The same, with faults told by the output schema."""
        try:
            self._decode(data)
            return FITS
        except (msgspec.DecodeError, RecursionError):
            return self._second_look(data, "output")

    def validate(self, value: Any) -> Valid[Any] | Invalid:
        """From JSON as Python values, by way of JSON text: msgspec would let instances in it pass unchecked."""
        return self.validate_json(encode_json(value))

    def json_schema(self, io: Io) -> dict[str, Any]:
        if io == "input" and self._no_input is not None:
            raise self._no_input
        return copy.deepcopy(self._schemas[io])

    def _second_look(self, data: bytes, io: Io) -> Valid[Any] | Invalid:
        if io not in self._helpers:
            explainer = Explainer(self._schemas[io])
            self._helpers[io] = (Walker(explainer.document), explainer)
        narrow, explainer = self._helpers[io]
        try:
            value = narrow(decode_json(data))
            text = encode_json(value)
        except ValueError as error:
            return unreadable(error)
        except (RecursionError, Unencodable):
            return TOO_DEEP
        try:
            return Valid(self._decode(text))
        except msgspec.DecodeError as error:
            refusal = error
        try:
            return Invalid(self._explain(explainer, value) or merge((), [complaint(refusal)], lambda path: False))
        except RecursionError:
            return TOO_DEEP

    def _input(self, source: Any, output: dict[str, Any]) -> dict[str, Any]:
        self._no_input: ConfigError | None = None
        try:
            return tidy(SchemaWriter("input").root(self.node, source))
        except NotForInput as error:
            self._no_input = ConfigError(f"{_name(source)}: {error}")
            return output

    def _explain(self, explainer: Explainer, value: Any) -> tuple[Issue, ...]:
        faults = Faults(self.node, value)
        return merge(explainer.issues(value), faults.complaints, faults.accepts)


class DataclassSchema:
    """A Schema of a type with dataclasses that msgspec reads otherwise than their constructors would."""

    vendor = "msgspec"

    def __init__(self, plain: MsgspecSchema, classes: Classes) -> None:
        self._plain = plain
        self._classes = classes
        self.json_schema = plain.json_schema
        self.validate_output = plain.validate_output
        """What was dumped is complete, and nothing of it is hidden."""
        self.encode_output = plain.encode_output

    def validate(self, value: Any) -> Valid[Any] | Invalid:
        return self.validate_json(encode_json(value))

    def validate_json(self, data: bytes) -> Valid[Any] | Invalid:
        try:
            data = self._classes.without_hidden(data)
        except ValueError as error:
            return unreadable(error)
        except (RecursionError, Unencodable):
            return TOO_DEEP
        outcome = self._plain.validate_json(data)
        if type(outcome) is Valid:
            self._classes.complete(outcome.value)
        return outcome


def _name(source: Any) -> str:
    return getattr(source, "__qualname__", None) or f"{source!r:.80}"
