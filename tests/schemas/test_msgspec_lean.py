"""Outputs of plain containers are checked and encoded in one go, and come out as the sure way has them."""

from __future__ import annotations

import collections
import datetime
import enum
import json
import math
import sqlite3
import sys
import types
import uuid
from decimal import Decimal
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

from picomcp_py import result
from picomcp_py.jsontext import encode_json
from picomcp_py.offered.result import Output, to_result
from picomcp_py.schemas.schema import schema_of
from tests.results import MISFIT, error_text, wire

LOWEST = Annotated[float, Meta(ge=-1e300, lt=5)]
SHARE = Annotated[float, Meta(gt=-1, le=1)]
NAME = Annotated[str, Meta(min_length=1, max_length=4)]


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Row(TypedDict):
    id: int
    name: NAME
    score: float
    share: NotRequired[SHARE]
    low: NotRequired[LOWEST | None]
    two: NotRequired[Annotated[str, Meta(min_length=2)]]


class Page(TypedDict):
    rows: list[Row]
    flags: NotRequired[dict[str, bool | None]]
    pair: NotRequired[tuple[int, str]]
    many: NotRequired[tuple[float, ...]]


class Event(TypedDict):
    at: datetime.datetime
    day: NotRequired[datetime.date]
    took: NotRequired[datetime.timedelta]
    price: NotRequired[Decimal]
    key: NotRequired[uuid.UUID]
    cost: float
    colour: NotRequired[Colour]
    level: NotRequired[Level]
    kind: NotRequired[Literal["a", 1, None]]


class Free(TypedDict):
    data: Any
    more: NotRequired[list[Any]]
    loose: NotRequired[dict]  # type: ignore[type-arg]
    any: NotRequired[Any]


class Either(TypedDict):
    data: float | str


class Keyed(TypedDict):
    data: dict[float, int]


class Inner(Struct):
    value: float
    text: str | UnsetType = UNSET


class Outer(Struct, rename="camel"):
    some_inner: Inner
    others: dict[str, Inner] = {}
    quoted: int = field(default=0, name="a-b.c")


class Lonely(TypedDict):
    data: float


TYPES = [Row, Page, Event, Free, Outer, Lonely, Either, Keyed]


class SubText(str):
    __slots__ = ()


class SubNumber(float):
    __slots__ = ()


class Misleading(collections.UserDict[str, float]):
    """What has other attributes than items."""

    value = 9.0


class Written(str):
    """A number, as it is written."""

    __slots__ = ()


def database_row() -> Any:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    row = connection.execute("select 1.5 as data, 2 as other").fetchone()
    connection.close()
    return row


SMALL = [0.0, -0.0, 1.0, -3.0, 0.984, 1e-5, 1e-6, 1.5e-7, 5e-324, 0.1 + 0.2, 12345678.5, 123456789012345.0]
LARGE = [2.0**53, 2.0**53 + 2, 1e16, 1e20, 1e21, 1e300, -1e17, math.nan, math.inf, -math.inf]
FLOATS = st.sampled_from(SMALL) | st.sampled_from(LARGE) | st.floats(width=64)
NUMBERS = FLOATS | st.integers() | st.integers(-3, 3) | st.booleans()
TEXTS = st.sampled_from(
    ["", "a", "red", "1.5", "é", "\ud800", 'a"b', "\\", "1.0,", ".0]", "2026-07-28", "long text", "\ud83d\ude00"]
)
ODD = st.sampled_from(
    [
        *(
            UNSET,
            None,
            b"x",
            Raw(b"1.50"),
            Raw(b'"a"'),
            Raw(b"{}"),
            Colour.RED,
            Level.LOW,
            SubText("ab"),
            SubNumber(2.0),
        ),
        *(Decimal("1.5"), Decimal("2"), Decimal("NaN"), Decimal("0.10"), 10**400, range(2), object(), Ellipsis),
        *(
            datetime.datetime(2026, 7, 28),
            datetime.datetime(2026, 7, 28, tzinfo=datetime.UTC),
            datetime.date(2026, 1, 2),
        ),
        *(
            datetime.timedelta(seconds=90),
            datetime.time(9),
            uuid.UUID(int=1),
            Inner(1.0),
            Inner(math.nan),
            Outer(Inner(1.5)),
        ),
        *(collections.UserDict(data=1.5), types.MappingProxyType({"data": 1.5}), collections.ChainMap({"value": 1.5})),
        *(collections.OrderedDict(data=2.0), {1.0, 2.5}, frozenset([1]), collections.deque([1.0]), database_row()),
    ]
)
MEMBERS = ["id", "name", "score", "share", "low", "rows", "flags", "pair", "many", "at", "day", "took", "price", "key"]
MEMBERS += [
    "cost",
    "colour",
    "level",
    "kind",
    "data",
    "more",
    "value",
    "text",
    "someInner",
    "some_inner",
    "others",
    "a-b.c",
]
KEYS = st.sampled_from(MEMBERS) | st.sampled_from(["f0", "__dir__", "", 1, SubText("id"), Colour.RED, None])
SCALARS = NUMBERS | TEXTS | ODD
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
ROWS = st.fixed_dictionaries(
    {"id": st.integers(0, 9) | SCALARS, "name": TEXTS, "score": NUMBERS},
    optional={"share": NUMBERS, "low": NUMBERS | ODD, "two": TEXTS, "extra": SCALARS},
)
GOOD = st.one_of(
    ROWS,
    st.fixed_dictionaries(
        {"rows": st.lists(ROWS, max_size=3)},
        optional={
            "flags": st.dictionaries(TEXTS, st.booleans() | SCALARS, max_size=2),
            "pair": st.tuples(st.integers(), TEXTS) | SCALARS,
            "many": st.lists(NUMBERS, max_size=12),
        },
    ),
    st.fixed_dictionaries(
        {"at": ODD | st.datetimes(timezones=st.just(datetime.UTC)), "cost": NUMBERS | ODD},
        optional=dict.fromkeys(("day", "took", "price", "key", "colour", "level", "kind"), ODD | TEXTS | NUMBERS),
    ),
    st.fixed_dictionaries(
        {"data": VALUES}, optional={"more": st.lists(VALUES, max_size=3), "loose": VALUES, "any": VALUES}
    ),
    st.fixed_dictionaries(
        {"someInner": st.fixed_dictionaries({"value": NUMBERS}, optional={"text": TEXTS | ODD}) | ODD},
        optional={"others": st.dictionaries(TEXTS, st.fixed_dictionaries({"value": NUMBERS}) | ODD, max_size=2)},
    ),
)


def both_ways(value: Any, kind: Any) -> tuple[str, str, bool]:
    """The reply with the short cut and without it, and whether it was taken."""
    short, sure = Output(schema_of(kind)), Output(schema_of(kind))
    assert sure.encode is not None
    taken = short.encode(value) is not None if isinstance(value, dict) else False
    sure.encode = lambda value: None
    replies = [encode_json(to_result(value, output, "t")).decode() for output in (short, sure)]
    return replies[0], replies[1], taken


def told(reply: str) -> Any:
    """The data of a reply, both copies of it being the same, its numbers as they are written; or its error."""
    found = json.loads(reply, parse_constant=pytest.fail, parse_float=Written, parse_int=Written)
    if found.get("isError"):
        return found["content"][0]["text"]
    assert f'"structuredContent":{found["content"][0]["text"]}' in reply
    return found["structuredContent"]


@given(GOOD | VALUES, st.sampled_from(TYPES))
@settings(max_examples=400)
@example({"id": 1, "name": "a", "score": 1.0}, Row)
@example({"id": True, "name": "a", "score": 1.0}, Row)
@example({"data": UNSET}, Free)
@example({"data": collections.UserDict(data=1.5)}, Free)
@example({"someInner": Inner(math.nan)}, Outer)
@example({"someInner": collections.UserDict(value=1.5)}, Outer)
@example({"at": "2026-07-28T00:00:00+00:00", "cost": 1}, Event)
@example({"rows": [], "many": [float(n) for n in range(20)]}, Page)
@example({"data": [1e20, 1e-6, math.nan]}, Free)
@example({"data": "e", "more": [1e20]}, Free)
@example({"id": 1, "name": "a", "score": -math.inf}, Row)
@example({"id": 1, "name": "a", "score": 1e17}, Row)
@example({"someInner": Misleading(value=1.5)}, Outer)
@example({"data": Decimal("12345678901234567890.12")}, Free)
@example({"data": [], "more": [Decimal("1.50"), [Decimal("1.50")]], "loose": {"c": Decimal("1.0")}}, Free)
@example({"data": 1, "any": UNSET}, Free)
@example({"data": Decimal("1.50")}, Either)
@example({"data": {Decimal("1.50"): 1}}, Keyed)
@example({"data": 2**53 + 1}, Lonely)
@example({"data": Decimal("12345678901234567891")}, Lonely)
@example({"data": Decimal("1e400")}, Lonely)
@example({"id": 1, "name": "a", "score": 1.5, "low": Decimal("-Infinity")}, Row)
@example({"id": 1, "name": "a", "score": 1.5, "two": "\ud83d\ude00"}, Row)
@example({"id": Decimal("2"), "name": Decimal("1"), "score": Decimal("1.50")}, Row)
def test_the_short_cut_gives_what_the_sure_way_gives(value: Any, kind: Any) -> None:
    short, sure, taken = both_ways(value, kind)
    assert told(short) == told(sure)
    if not taken:
        assert short == sure


def takes(value: Any, kind: Any) -> bool:
    return both_ways(value, kind)[2]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"id": 1, "name": "a", "score": 0.5}, Row),
        ({"id": 1, "name": "a", "score": 1, "share": 1.0, "low": None}, Row),
        ({"rows": [{"id": 1, "name": "a", "score": 1.0}], "flags": {"x": None}, "pair": (1, "b"), "many": [1.5]}, Page),
        (
            {"at": datetime.datetime(2026, 7, 28, tzinfo=datetime.UTC), "cost": Decimal("1.5"), "price": Decimal(1)},
            Event,
        ),
        ({"data": {"a": [1.5, {"b": None}]}, "more": [1e20]}, Free),
        ({"someInner": {"value": 1.5}, "others": {"x": {"value": 2}}, "a-b.c": 1}, Outer),
    ],
)
def test_plain_values_that_fit_take_it(value: Any, kind: Any) -> None:
    assert takes(value, kind)


def test_a_result_with_a_structured_part_takes_it_too() -> None:
    made = wire(result("text", {"id": 1, "name": "a", "score": Decimal("1.5")}), Row)
    assert made["structuredContent"] == {"id": 1, "name": "a", "score": 1.5}
    assert made["content"][0]["text"] == "text"


def test_members_come_in_the_order_of_the_type() -> None:
    made = wire({"score": 2.0, "name": "a", "id": 1}, Row)
    assert made["content"][0]["text"] == '{"id":1,"name":"a","score":2}'


@pytest.mark.parametrize("extra", [{}, {"unknown": 1}])
def test_a_decimal_is_a_number_where_the_type_says_float(extra: dict[str, Any]) -> None:
    row = {"id": 1, "name": "a", "score": Decimal("1.50"), **extra}
    assert wire(row, Row)["structuredContent"] == {**row, "score": 1.5}
    assert wire({"rows": [row]}, Page)["structuredContent"] == {"rows": [{**row, "score": 1.5}]}


def test_a_decimal_stays_a_string_where_the_type_says_decimal() -> None:
    at = datetime.datetime(2026, 7, 28, tzinfo=datetime.UTC)
    made = wire({"at": at, "cost": Decimal("1.5"), "price": Decimal("1.50")}, Event)
    assert made["structuredContent"] == {"at": "2026-07-28T00:00:00Z", "cost": 1.5, "price": "1.50"}


@pytest.mark.parametrize("text", ["NaN", "sNaN"])
def test_a_decimal_that_is_no_number_is_a_misfit(text: str) -> None:
    text = error_text({"id": 1, "name": "a", "score": Decimal(text)}, Row)
    assert text == MISFIT + "score: Invalid input: expected number, received string"


class Tree(TypedDict):
    value: float
    children: list[Tree]


class Checked(Struct):
    value: float

    def __post_init__(self) -> None:
        if self.value > 1:
            raise ValueError("too much")


class Empty(TypedDict):
    pass


Quoted = TypedDict("Quoted", {'a"b': float})


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Tree, {"value": 1.0, "children": [{"value": 2.5, "children": []}]}),
        (Checked, {"value": 1.0}),
        (Empty, {"a": 1.0}),
        (Quoted, {'a"b': 1.0}),
    ],
)
def test_types_without_a_short_cut_work_as_well(kind: Any, value: Any) -> None:
    short, sure, taken = both_ways(value, kind)
    assert not taken
    assert short == sure
    assert json.loads(json.loads(short)["content"][0]["text"]) == value


def test_types_that_share_a_type_many_times_are_read_once() -> None:
    kind: Any = Lonely
    value: Any = {"data": 1.5}
    for level in range(40):
        kind = TypedDict(f"Level{level}", {"a": kind, "b": NotRequired[kind]})  # type: ignore[operator]  # noqa: UP013
        value = {"a": value}
    assert takes(value, kind)


def test_names_of_annotations_may_be_gone_when_the_first_value_comes() -> None:
    module = types.ModuleType("gone")
    source = """
from typing import TypedDict
class Inside(TypedDict):
    data: "float"
class Outside(TypedDict):
    inside: "Inside"
"""
    sys.modules["gone"] = module
    try:
        exec(source, module.__dict__)
        kind = module.Outside
        output = Output(schema_of(kind))
        del module.Inside
        made = to_result({"inside": {"data": 1.0}}, output, "t")
    finally:
        del sys.modules["gone"]
    assert told(encode_json(made).decode()) == {"inside": {"data": "1"}}


def test_code_of_the_type_is_run() -> None:
    assert error_text({"value": 2.0}, Checked) == MISFIT + "too much"
