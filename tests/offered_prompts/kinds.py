"""One input in every kind of schema: JSON Schema dict, msgspec, pydantic, and an object's own `__standard_schema__`."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, to_builtins

from picomcp_py import Invalid, Issue, Valid
from picomcp_py.schemas.schema import schema_of

try:
    from pydantic import BaseModel, ConfigDict, Field
except ImportError:  # an extra
    BaseModel = None  # type: ignore[assignment,misc]

DICT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "style": {"$ref": "#/$defs/Style", "description": "How to sum up"},
        "tone": {"enum": ["dry", "warm"], "default": "dry"},
        "limit": {"type": ["integer", "null"], "title": "Limit", "default": None},
        "deep": {"type": "boolean", "default": False},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
        "note": {"type": "string", "default": ""},
    },
    "required": ["style"],
    "additionalProperties": False,
    "$defs": {"Style": {"description": "A style", "enum": ["list", "prose"]}},
}


class Style(Enum):
    LIST = "list"
    PROSE = "prose"


class Input(Struct, forbid_unknown_fields=True):
    style: Annotated[Style, Meta(description="How to sum up")]
    tone: Literal["dry", "warm"] = "dry"
    limit: Annotated[int | None, Meta(title="Limit")] = None
    deep: bool = False
    tags: list[str] = []
    note: str = ""


KINDS: dict[str, Any] = {"dict": DICT, "msgspec": Input}

if BaseModel is not None:

    class Model(BaseModel):
        model_config = ConfigDict(extra="forbid")

        style: Style = Field(description="How to sum up")
        tone: Literal["dry", "warm"] = "dry"
        limit: int | None = Field(default=None, title="Limit")
        deep: bool = False
        tags: list[str] = []
        note: str = ""

    KINDS["pydantic"] = Model


class Own:
    """Validates later, in a coroutine, and brings no `validate_json`."""

    vendor = "own"

    @property
    def __standard_schema__(self) -> Own:
        return self

    async def validate(self, value: Any) -> Valid[Any] | Invalid:
        outcome = schema_of(DICT).validate(value)
        assert isinstance(outcome, Valid | Invalid)
        return outcome if isinstance(outcome, Valid) else Invalid((*outcome.issues, Issue("by my own rules")))

    def json_schema(self, io: str) -> dict[str, Any]:
        return DICT


def plain(value: Any) -> Any:
    """A validated input as plain values, of whatever kind it is."""
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else to_builtins(value)
