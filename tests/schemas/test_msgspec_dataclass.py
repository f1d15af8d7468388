"""Dataclasses and attrs classes: what msgspec reads otherwise than their constructors would."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import attrs
import pytest
from msgspec import Struct

from picomcp_py import ConfigError, pico
from picomcp_py.jsontext import encode_json
from picomcp_py.schemas.schema import Valid, schema_of


@dataclass
class Page:
    number: int
    size: int = 5
    tags: list[str] = field(default_factory=list)


@dataclass
class Holder:
    pages: list[Page]
    first: Page | None = None
    named: dict[str, Page] = field(default_factory=dict)


class Outer(Struct):
    inner: Holder
    pair: tuple[Page, int]


@dataclass
class Node:
    n: int = 1
    next: Node | None = None


@dataclass(frozen=True)
class Frozen:
    a: int
    b: int = 2


@dataclass(slots=True)
class Slots:
    a: int
    b: int = 2


@dataclass
class Total:
    prices: list[int]
    total: int = field(init=False, default=0)
    note: str = field(init=False, default="none")

    def __post_init__(self) -> None:
        self.total = sum(self.prices)


@dataclass
class Totals:
    each: list[Total | str]


@dataclass
class Computed:
    a: int
    double: int = field(init=False)

    def __post_init__(self) -> None:
        self.double = 2 * self.a


@attrs.define
class Private:
    a: int
    _secret: int = 4
    made: int = attrs.field(init=False, default=3)


@attrs.define
class Unwritten:
    a: int
    _secret: int


def value_of(source: Any, data: bytes) -> Any:
    outcome = schema_of(source).validate_json(data)  # type: ignore[attr-defined]
    assert isinstance(outcome, Valid), outcome
    return outcome.value


@pytest.mark.parametrize(
    ("source", "sent", "given"),
    [
        (Page, b'{"number":1}', b'{"number":1,"size":5,"tags":[]}'),
        (Page, b'{"number":1.0}', b'{"number":1,"size":5,"tags":[]}'),
        (Page, b'{"number":1,"size":2}', b'{"number":1,"size":2,"tags":[]}'),
        (Frozen, b'{"a":1}', b'{"a":1,"b":2}'),
        (Slots, b'{"a":1}', b'{"a":1,"b":2}'),
        (Node, b'{"next":{"next":{"n":3}}}', b'{"n":1,"next":{"n":1,"next":{"n":3,"next":null}}}'),
        (
            Outer,
            b'{"inner":{"pages":[{"number":1}],"named":{"x":{"number":2}}},"pair":[{"number":3},4]}',
            b'{"inner":{"pages":[{"number":1,"size":5,"tags":[]}],"first":null,'
            b'"named":{"x":{"number":2,"size":5,"tags":[]}}},"pair":[{"number":3,"size":5,"tags":[]},4]}',
        ),
    ],
)
def test_defaults_are_in_what_a_handler_gets_and_returns(source: Any, sent: bytes, given: bytes) -> None:
    assert encode_json(value_of(source, sent)) == given


def test_defaults_are_in_the_instance_as_its_constructor_would_have_it() -> None:
    assert vars(value_of(Page, b'{"number":1}')) == vars(Page(1))
    assert list(vars(value_of(Page, b'{"number":1}'))) == ["number", "size", "tags"]


@pytest.mark.anyio
async def test_an_echoed_dataclass_keeps_its_defaults() -> None:
    s = pico(name="x").tool("t", {"input": Page, "output": Page, "run": lambda input: input})
    result = await s.call("t", {"number": 1})
    assert result["structuredContent"] == {"number": 1, "size": 5, "tags": []}


# ------------------------------------------------------------ what no input may set


def test_a_field_that_the_constructor_does_not_take_is_published_as_output_only() -> None:
    schema = schema_of(Total)
    assert [*schema.json_schema("input")["properties"]] == ["prices"]
    assert [*schema.json_schema("output")["properties"]] == ["prices", "total", "note"]
    assert [*schema_of(Private).json_schema("input")["properties"]] == ["a"]
    assert [*schema_of(Private).json_schema("output")["properties"]] == ["a", "made"]


@pytest.mark.parametrize("key", [b'"note"', b'"n\\u006fte"'])
def test_a_field_that_the_constructor_does_not_take_cannot_be_set(key: bytes) -> None:
    sent = b'{"prices":[1,2],"total":9,' + key + b':"from outside"}'
    assert value_of(Total, sent) == Total([1, 2])
    assert value_of(Totals, b'{"each":["note",' + sent + b"]}") == Totals(["note", Total([1, 2])])
    got = value_of(Private, b'{"a":1,"_secret":7,"made":8}')
    assert got == Private(1)


def test_what_cannot_be_read_is_still_an_issue() -> None:
    schema: Any = schema_of(Total)
    assert schema.validate_json(b'{"note"').issues[0].message.startswith("Invalid JSON: ")
    assert schema.validate({"prices": ["x"], "note": 5}).issues[0].path == ("prices", 0)
    deep = b'{"note":1,"prices":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    assert "nested too deeply" in schema.validate_json(deep).issues[0].message


@pytest.mark.anyio
async def test_a_computed_field_is_checked_as_output() -> None:
    wrong = Total([1])
    wrong.total = "one"  # type: ignore[assignment]
    s = pico(name="x").tool("good", {"output": Computed, "run": lambda: Computed(2)})
    s.tool("bad", {"output": Total, "run": lambda: wrong})
    assert (await s.call("good"))["structuredContent"] == {"a": 2, "double": 4}
    assert "total: Invalid input: expected number, received string" in (await s.call("bad"))["content"][0]["text"]


def test_a_field_that_msgspec_insists_on_and_no_input_may_have_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r'^tool "t": "input": Computed: double: it has init=False.*give it a default'
    ):
        pico(name="x").tool("t", {"input": Computed, "run": print})
    with pytest.raises(ConfigError, match=r"Unwritten: _secret: msgspec never writes what is private"):
        schema_of(Unwritten)


def test_the_fields_of_a_dataclass_stay_its_own() -> None:
    got = value_of(Page, b'{"number":1}')
    assert dataclasses.asdict(got) == {"number": 1, "size": 5, "tags": []}
    assert Page.size == 5
