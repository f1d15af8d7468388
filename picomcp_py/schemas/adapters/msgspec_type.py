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
from ..coerce import narrow
from ..explain import Explainer
from ..schema import Invalid, Io, Issue, Valid
from ._generated import TOO_DEEP, merge, tidy
from ._msgspec_faults import Faults, complaint
from ._msgspec_schema import SchemaWriter


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


def adapt(source: Any) -> MsgspecSchema:
    """The Schema of a type. ConfigError: an undefined name, a type that JSON can't hold, a default that misfits."""
    return MsgspecSchema(source)


class MsgspecSchema:
    """A Schema (`picomcp_py.schemas.schema`) of one type."""

    vendor = "msgspec"

    def __init__(self, source: Any) -> None:
        self._explainer: Explainer | None = None
        try:
            self._decode = Decoder(source).decode
            self._node = msgspec.inspect.type_info(source)
            self._schemas: dict[Io, dict[str, Any]] = {
                "input": tidy(SchemaWriter("input").root(self._node, source)),
                "output": tidy(SchemaWriter("output").root(self._node, source)),
            }
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
            return self._second_look(data)

    def validate(self, value: Any) -> Valid[Any] | Invalid:
        """From JSON as Python values, by way of JSON text: msgspec would let instances in it pass unchecked."""
        return self.validate_json(encode_json(value))

    def json_schema(self, io: Io) -> dict[str, Any]:
        return copy.deepcopy(self._schemas[io])

    def _second_look(self, data: bytes) -> Valid[Any] | Invalid:
        schema = self._schemas["input"]
        try:
            value = narrow(schema, decode_json(data))
            text = encode_json(value)
        except ValueError as error:
            return Invalid((Issue(f"Invalid JSON: {error}"),))
        except (RecursionError, Unencodable):
            return TOO_DEEP
        try:
            return Valid(self._decode(text))
        except msgspec.DecodeError as error:
            refusal = error
        try:
            return Invalid(self._explain(value) or merge((), [complaint(refusal)], lambda path: False))
        except RecursionError:
            return TOO_DEEP

    def _explain(self, value: Any) -> tuple[Issue, ...]:
        if self._explainer is None:
            self._explainer = Explainer(self._schemas["input"])
        faults = Faults(self._node, value)
        return merge(self._explainer.issues(value), faults.complaints, faults.accepts)


def _name(source: Any) -> str:
    return getattr(source, "__qualname__", None) or f"{source!r:.80}"
