"""One file for each way of writing a schema, all of one shape; this list is what `schema_of` asks, in order.

An adapter module has two functions:

- `recognises(source) -> bool`: is this one of ours? It must not import the library behind it: whoever passes a
  pydantic model has imported pydantic, so `sys.modules` tells.
- `adapt(source) -> Schema`: the Schema, or ConfigError saying why it can't work and what to do.
"""

from __future__ import annotations

from typing import Any

from ...errors import ConfigError
from ..schema import Schema
from . import json_schema, msgspec_type, pydantic_type

ADAPTERS = (json_schema, pydantic_type, msgspec_type)


def adapt(source: Any) -> Schema[Any]:
    """The first adapter's Schema that recognises `source`; ConfigError if none does."""
    for adapter in ADAPTERS:
        if adapter.recognises(source):
            schema: Schema[Any] = adapter.adapt(source)
            return schema
    raise ConfigError(
        f"{source!r:.80} is not a schema: pass a JSON Schema dict, a msgspec Struct (or TypedDict, dataclass, "
        "NamedTuple, attrs class), a pydantic model or TypeAdapter, or an object with __standard_schema__"
    )
