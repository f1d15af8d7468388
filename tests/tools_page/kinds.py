"""The schemas of the page's two examples, in each way of writing them; and how a handler reads its input from each."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import pytest

KINDS = ("json schema", "msgspec", "pydantic")


class Search(msgspec.Struct):
    repo: Annotated[str, msgspec.Meta(description="owner/name")]
    query: str
    limit: Annotated[int, msgspec.Meta(le=50)] = 10


class Price(msgspec.Struct):
    sku: str
    cents: int
    currency: Literal["EUR"]


SEARCH = {
    "type": "object",
    "properties": {
        "repo": {"type": "string", "description": "owner/name"},
        "query": {"type": "string"},
        "limit": {"type": "integer", "maximum": 50, "default": 10},
    },
    "required": ["repo", "query"],
}
PRICE = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "cents": {"type": "integer"}, "currency": {"const": "EUR"}},
    "required": ["sku", "cents", "currency"],
}


class Kind(NamedTuple):
    search: Any
    price: Any


def kind(name: str) -> Kind:
    """Skips where pydantic isn't installed."""
    if name == "msgspec":
        return Kind(Search, Price)
    if name == "json schema":
        return Kind(SEARCH, PRICE)
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    described = Annotated[str, pydantic.Field(description="owner/name")]
    at_most_50 = Annotated[int, pydantic.Field(le=50)]
    return Kind(
        pydantic.create_model("Search", repo=(described, ...), query=(str, ...), limit=(at_most_50, 10)),
        pydantic.create_model("Price", sku=(str, ...), cents=(int, ...), currency=(Literal["EUR"], ...)),
    )


def field(input: Any, name: str) -> Any:
    """A field of the input: a dict's member or an object's attribute."""
    return input[name] if isinstance(input, dict) else getattr(input, name)
