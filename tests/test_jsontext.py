"""Encodings of Python values, one by one and nested; JavaScript's numbers; what is refused; reading back."""

from __future__ import annotations

import collections
import dataclasses
import enum
import json
import pathlib
import types
import uuid
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw, Struct

from picomcp_py.jsontext import Unencodable, clean_text, decode_json, encode_json, number_text
from picomcp_py.jsontext.writer import MAX_DEPTH, write_slowly


class Color(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Word(enum.StrEnum):
    HELLO = "hello"


class Bits(enum.Flag):
    A = 1
    B = 2


class Wide(enum.Enum):
    DAY = date(2020, 1, 1)


@dataclasses.dataclass
class Point:
    x: int
    _private: int = 2
    y: Any = UNSET


@dataclasses.dataclass(slots=True)
class Slotted:
    x: int


@attrs.define
class Attrs:
    x: int
    _hidden: int = 1


class Renamed(Struct, rename="camel", omit_defaults=True, tag="renamed"):
    some_field: int
    left_out: Any = UNSET
    items: list[int] = []
    default: int = 7


class Row(Struct, array_like=True, tag="row"):
    a: int
    b: str = "b"


class Model(pydantic.BaseModel):
    some_field: int = pydantic.Field(alias="someField")
    when: datetime = datetime(2020, 1, 1, tzinfo=UTC)


class Root(pydantic.RootModel[list[int]]):
    pass


class Str(str):
    pass


class Int(int):
    pass


class Float(float):
    pass


class Bytes(bytes):
    pass


class Moment(datetime):
    pass


class Day(date):
    pass


class Clock(time):
    pass


class Span(timedelta):
    pass


class Money(Decimal):
    pass


Pair = collections.namedtuple("Pair", "a b")

ENCODINGS: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "true"),
    (5, "5"),
    (2**53 + 1, "9007199254740993"),
    (-(2**63) - 1, "-9223372036854775809"),
    (2**200, str(2**200)),
    ('Привет 中文 \n"\\', '"Привет 中文 \\n\\"\\\\"'),
    ([], "[]"),
    ((), "[]"),
    ({}, "{}"),
    (Pair(1, 2), "[1,2]"),
    ({3}, "[3]"),
    (frozenset({3}), "[3]"),
    (collections.deque([1]), "[1]"),
    (range(3), "[0,1,2]"),
    ({"a": 1}.keys(), '["a"]'),
    (collections.OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
    (types.MappingProxyType({"a": 1}), '{"a":1}'),
    (collections.UserDict(a=1), '{"a":1}'),
    (datetime(2026, 7, 28, 9, 30, 0, 5), '"2026-07-28T09:30:00.000005"'),
    (datetime(2026, 7, 28, 9, 30, tzinfo=UTC), '"2026-07-28T09:30:00Z"'),
    (datetime(2026, 7, 28, 9, 30, tzinfo=timezone(timedelta(hours=3))), '"2026-07-28T09:30:00+03:00"'),
    (date(2026, 7, 28), '"2026-07-28"'),
    (time(9, 30), '"09:30:00"'),
    (timedelta(days=1, seconds=2.5), '"P1DT2.5S"'),
    (-timedelta(seconds=1), '"-PT1S"'),
    (Decimal("1.50"), '"1.50"'),
    (uuid.UUID(int=5), '"00000000-0000-0000-0000-000000000005"'),
    (pathlib.PurePosixPath("/tmp/a b"), '"/tmp/a b"'),
    (Color.RED, '"red"'),
    (Level.HIGH, "3"),
    (Word.HELLO, '"hello"'),
    (Bits.A | Bits.B, "3"),
    (Wide.DAY, '"2020-01-01"'),
    (b"\xff\x00", '"/wA="'),
    (bytearray(b"ab"), '"YWI="'),
    (memoryview(b"abcd"), '"YWJjZA=="'),
    (memoryview(b"abcd")[::2], '"YWM="'),
    (Point(1), '{"x":1,"_private":2}'),
    (Slotted(1), '{"x":1}'),
    (Attrs(1), '{"x":1}'),
    (Renamed(1), '{"type":"renamed","someField":1}'),
    (Renamed(1, items=[1], default=8), '{"type":"renamed","someField":1,"items":[1],"default":8}'),
    (Row(1), '["row",1,"b"]'),
    (Model(someField=1), '{"someField":1,"when":"2020-01-01T00:00:00Z"}'),
    (Root([1]), "[1]"),
    (Raw(b'{"a":1.0}'), '{"a":1}'),
    (Str("s"), '"s"'),
    (Int(4), "4"),
    (Float(4), "4"),
    (Bytes(b"ab"), '"YWI="'),
    (Moment(2020, 1, 1), '"2020-01-01T00:00:00"'),
    (Day(2020, 1, 1), '"2020-01-01"'),
    (Clock(9), '"09:00:00"'),
    (Span(days=1), '"P1D"'),
    (Money("2.0"), '"2.0"'),
    ({"a": UNSET, "b": 1}, '{"b":1}'),
]
ENCODING_IDS = [f"{type(value).__name__}-{text[:12]}" for value, text in ENCODINGS]

KEYS = [
    ("a", "a"),
    (1, "1"),
    (1.5, "1.5"),
    (2**70, str(2**70)),
    (True, "true"),
    (None, "null"),
    (Color.RED, "red"),
    (Level.HIGH, "3"),
    (uuid.UUID(int=5), "00000000-0000-0000-0000-000000000005"),
    (date(2020, 1, 1), "2020-01-01"),
    (Decimal("1.0"), "1.0"),
    (pathlib.PurePosixPath("/a"), "/a"),
    (Str("s"), "s"),
]

# number, as node prints it with JSON.stringify
NUMBERS = [
    (5.0, "5"),
    (-5.0, "-5"),
    (0.0, "0"),
    (-0.0, "0"),
    (1.5, "1.5"),
    (100.0, "100"),
    (10.05, "10.05"),
    (-0.05, "-0.05"),
    (0.1, "0.1"),
    (1e15, "1000000000000000"),
    (1e16, "10000000000000000"),
    (-1.5e16, "-15000000000000000"),
    (1.2345678901234568e20, "123456789012345680000"),
    (1e20, "100000000000000000000"),
    (1e21, "1e+21"),
    (-1.5e21, "-1.5e+21"),
    (1e22, "1e+22"),
    (1e-5, "0.00001"),
    (1.5e-5, "0.000015"),
    (1e-6, "0.000001"),
    (1.25e-6, "0.00000125"),
    (1e-7, "1e-7"),
    (-1.5e-7, "-1.5e-7"),
    (5e-324, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (9007199254740993.0, "9007199254740992"),
    (float("nan"), "null"),
    (float("inf"), "null"),
    (float("-inf"), "null"),
]


@pytest.mark.parametrize(("value", "text"), ENCODINGS, ids=ENCODING_IDS)
def test_every_kind_of_value_has_its_one_encoding_alone_nested_and_beside_a_surrogate(value: Any, text: str) -> None:
    assert encode_json(value).decode() == text
    assert encode_json({"a": [value]}).decode() == f'{{"a":[{text}]}}'
    assert encode_json({"a": [value], "b": "\ud800"}).decode() == f'{{"a":[{text}],"b":"\ufffd"}}'


@pytest.mark.parametrize(("key", "text"), KEYS, ids=[type(key).__name__ for key, _ in KEYS])
def test_keys_become_strings(key: Any, text: str) -> None:
    assert encode_json({key: 1}).decode() == f'{{"{text}":1}}'
    assert encode_json({key: "\ud800"}).decode() == f'{{"{text}":"\ufffd"}}'


@pytest.mark.parametrize(("number", "text"), NUMBERS, ids=[repr(number) for number, _ in NUMBERS])
def test_floats_print_as_in_javascript_wherever_they_stand(number: float, text: str) -> None:
    assert encode_json(number).decode() == text
    assert encode_json([number]).decode() == f"[{text}]"
    assert encode_json([number, number, 1]).decode() == f"[{text},{text},1]"
    assert encode_json({"a": number, "b": number}).decode() == f'{{"a":{text},"b":{text}}}'
    assert encode_json([{"a": 'quote " \\', "b": number}]).decode() == f'[{{"a":"quote \\" \\\\","b":{text}}}]'
    assert encode_json([number] * 50).decode() == f"[{','.join([text] * 50)}]"
    assert encode_json([number, "\ud800"]).decode() == f'[{text},"\ufffd"]'
    assert number_text(number) == text


TRAPS = [
    "1.0,",
    ":1.0,",
    "1.0]",
    "1.0}",
    "1.0",
    "-0.0,",
    "1e16",
    ":1e16,",
    "[1e-7]",
    '"',
    '":1.0,"',
    "\\",
    '\\"1.0,',
    '\\\\":1.0,',
    "\x00",
    "\x01",
    "\n",
    "é1.0,",
    "\u2028",
]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(TRAPS),
        lambda inner: (
            st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=3) | st.sampled_from(TRAPS), inner)
        ),
        max_leaves=30,
    )
)
def test_repairing_numbers_equals_writing_them_one_by_one(value: Any) -> None:
    assert encode_json(value) == write_slowly(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_float_loses_a_bit(number: float) -> None:
    assert float(encode_json(number)) == number


@pytest.mark.parametrize("count", [1, 8, 9, 40])
@pytest.mark.parametrize("trap", TRAPS)
def test_strings_that_look_like_numbers_stay(trap: str, count: int) -> None:
    value = [{"text": trap, "n": 2.0, trap: 1}] * count
    text = encode_json(value).decode()
    assert text == json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace('"n":2.0', '"n":2')


def test_lone_surrogates_become_the_replacement_character_and_pairs_their_character() -> None:
    assert encode_json({"\udce9": ["caf\udce9", "\ud83d\ude00", pathlib.Path("\udce9")]}).decode() == (
        '{"\ufffd":["caf\ufffd","😀","\ufffd"]}'
    )
    assert clean_text("ok é") == "ok é"
    assert clean_text("\ud800") == "\ufffd"


def test_a_raw_is_always_one_line() -> None:
    assert encode_json({"a": Raw(b'{"b":\n 1.0}')}) == b'{"a":{"b":1}}'
    with pytest.raises(Unencodable, match=r"^a\[0\]: a value of type Raw could not be read"):
        encode_json({"a": [Raw(b"{\n")]})


def endless() -> Any:
    yield 1


async def coroutine() -> None: ...


def holding_itself() -> Any:
    value: list[Any] = []
    value.append({"again": value})
    return value


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


class Broken(pydantic.BaseModel):
    data: bytes = b"\xff"


@pytest.mark.parametrize(
    ("value", "message", "path", "kind"),
    [
        (endless(), "a value of type generator has no JSON form: make it a list", (), "generator"),
        ({"rows": [1, {"when": 1j}]}, "rows[1].when: a value of type complex has no JSON form", None, "complex"),
        ({"a b": object()}, '["a b"]: a value of type object has no JSON form: return a dict', ("a b",), "object"),
        ([len], "[0]: a value of type builtin_function_or_method has no JSON form: it was not called", (0,), None),
        ([int], "[0]: a value of type type has no JSON form: return an instance", (0,), "type"),
        ([Point], "[0]: a value of type type has no JSON form: return an instance", (0,), "type"),
        (Point(1j), "x: a value of type complex has no JSON form", ("x",), "complex"),  # type: ignore[arg-type]
        (Renamed(1j), "someField: a value of type complex has no JSON form", None, "complex"),  # type: ignore[arg-type]
        ([UNSET], "[0]: a value of type UnsetType has no JSON form", (0,), "UnsetType"),
        ({"a": {(1, 2): 3}}, "a: a value of type tuple can't be a key: use a string", ("a",), "tuple"),
        ({"a": {frozenset(): 3}}, "a: a value of type frozenset can't be a key", ("a",), "frozenset"),
        (holding_itself(), "[0].again: a value of type list holds itself", (0, "again"), "list"),
        ({"a": nested(100_000)}, f"nested deeper than {MAX_DEPTH} levels", None, "list"),
        ([Broken()], "[0]: a value of type Broken could not be read (UnicodeDecodeError)", (0,), "Broken"),
        ([10**5000], "[0]: an integer of too many digits", (0,), "int"),
    ],
)
def test_what_has_no_json_form_is_refused_with_type_and_path(
    value: Any, message: str, path: tuple[Any, ...] | None, kind: str | None
) -> None:
    if message.startswith("nested"):
        message = f"a[0][0]: {message}"
    with pytest.raises(Unencodable) as caught:
        encode_json(value)
    assert str(caught.value).startswith(message)
    assert path is None or caught.value.path == path
    assert kind is None or caught.value.kind == kind


def test_an_awaitable_is_refused_by_name() -> None:
    forgotten = coroutine()
    with pytest.raises(Unencodable, match="type coroutine has no JSON form: it was not awaited"):
        encode_json([forgotten])
    forgotten.close()


def test_an_object_with_an_array_inside_is_told_to_make_lists() -> None:
    class Array:
        def tolist(self) -> list[int]:
            return [1]

    with pytest.raises(Unencodable, match=r"type Array has no JSON form: call its tolist\(\)"):
        encode_json([Array()])


def test_a_property_that_raises_is_named() -> None:
    class Rows(collections.UserDict[str, int]):
        def __iter__(self) -> Any:
            raise ZeroDivisionError("no rows")

    with pytest.raises(Unencodable, match=r"^x: a value of type Rows could not be read \(ZeroDivisionError\)$"):
        encode_json({"x": Rows(a=1)})


def test_a_user_string_is_a_string() -> None:
    text = collections.UserString("hi")
    assert encode_json([text, {"a": text}]) == b'["hi",{"a":"hi"}]'
    assert encode_json([text, "\ud800"]) == '["hi","\ufffd"]'.encode()


# ---- reading ----


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a":[1,2.5,null,true,"x"]}', {"a": [1, 2.5, None, True, "x"]}),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b'["\\ud800","\\ud83d\\ude00"]', ["\ud800", "😀"]),
        (b'{"a":1,"a":2}', {"a": 2}),
        (Raw(b"[1]"), [1]),
    ],
)
def test_decoding(text: bytes, value: Any) -> None:
    assert decode_json(text) == value


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"NaN",
        b'["\\ud800",NaN]',
        b'["\\ud800",1e400]',
        b'["\\ud800",-Infinity]',
        b"1e400",
        b"[1,]",
        b"1 2",
        b"\xef\xbb\xbf1",
        b'"\xff"',
        b'["\\ud800","\xff"]',
        b"[" * 100_000,
        b'["\\ud800",' + b"[" * 100_000,
        b"9" * 5000,
        b"'a'",
        b'"\\ud8"',
        b"[" + b"1," * 50_000,
    ],
)
def test_what_is_not_strict_json_is_a_short_value_error(text: bytes) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        decode_json(text)
    assert not isinstance(caught.value, msgspec.MsgspecError | UnicodeDecodeError)
    assert len(str(caught.value)) < 100


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=20))
def test_what_is_written_can_be_read(value: Any) -> None:
    assert decode_json(encode_json(value)) == value
