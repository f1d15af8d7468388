"""Any Python value that a handler may return gives a valid reply: strict JSON, one line, and both copies the same."""

from __future__ import annotations

import collections
import datetime as dt
import enum
import json
import logging
import pathlib
from dataclasses import dataclass
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Raw, Struct
from pydantic import BaseModel

from picomcp_py import ToolError, image, link, pico, result, text
from tests.fuzz.profiles import examples
from tests.peer import EVERY, connected


class Colour(enum.Enum):
    RED = "red"
    PAIR = (1, 2)


class Level(enum.IntEnum):
    LOW = 1


class Holder(Struct):
    value: Any
    other: Any = UNSET


@dataclass
class Data:
    value: Any


class Model(BaseModel):
    value: Any


class Text(str):
    pass


class Broken:
    def __str__(self) -> str:
        raise RuntimeError("no text")


Point = collections.namedtuple("Point", "x y")

TEXT = st.text(st.characters(), max_size=8) | st.sampled_from(
    [
        "\ud800",
        "a\udfffb",
        "\ud83d\ude00",
        "\ude00\ud83d",
        "\u2028",
        "\x00\x1f\x7f",
        "1.0",
        "1e5",
        "\\u0041",
        '"',
        "NaN",
    ]
)
FLOATS = st.floats() | st.sampled_from([5.0, -0.0, 1e16, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 2.0**53])
HASHABLE = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**60), 10**60)
    | FLOATS
    | TEXT
    | st.binary(max_size=6)
    | st.decimals(allow_nan=False)
    | st.datetimes(timezones=st.none() | st.just(dt.UTC) | st.just(dt.timezone(dt.timedelta(hours=-3, seconds=7))))
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.uuids()
    | st.fractions()
    | st.complex_numbers()
    | st.sampled_from(
        [Colour.RED, Colour.PAIR, Level.LOW, Text("x\ud800"), pathlib.PurePosixPath("/caf\udce9"), UNSET, ...]
    )
)
PLAIN = (
    HASHABLE
    | st.builds(bytearray, st.binary(max_size=4))
    | st.builds(memoryview, st.binary(max_size=4))
    | st.decimals()
)
# A Raw inside a value is sent as it is: whoever makes one vouches for it. At the root it is read.
ODD = st.sampled_from([object(), print, Broken(), type, iter([1]), Raw(b'{"a":1.50}'), Raw(b"[1,\n2]")])
RAW = st.sampled_from([Raw(b'{"a":"\xff"}'), Raw(b"{"), Raw(b""), Raw(b"NaN"), Raw(b'{"a":1.50}\n')])
KEYS = (
    TEXT
    | st.integers()
    | FLOATS
    | st.booleans()
    | st.none()
    | st.dates()
    | st.tuples(st.integers())
    | st.binary(max_size=3)
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXT, inner, max_size=3)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.tuples(inner, inner)
        | st.sets(HASHABLE, max_size=3)
        | st.frozensets(HASHABLE, max_size=3)
        | st.builds(Holder, inner)
        | st.builds(Data, inner)
        | st.builds(Model, value=inner)
        | st.builds(Point, inner, inner)
        | st.builds(collections.deque, st.lists(inner, max_size=2))
        | st.builds(collections.OrderedDict, st.dictionaries(TEXT, inner, max_size=2))
    )


VALUES = st.recursive(PLAIN, _nested, max_leaves=8) | st.recursive(PLAIN | ODD, _nested, max_leaves=8)
BLOCKS = st.one_of(
    st.builds(text, TEXT),
    st.just(image(b"\x89PNG", "image/png")),
    st.builds(lambda name: link("file:///x", name), TEXT.filter(bool)),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "image", "resource", "resource_link", "json", "", 5])},
        optional={
            "text": VALUES,
            "data": VALUES,
            "mimeType": VALUES,
            "resource": VALUES,
            "uri": VALUES,
            "name": VALUES,
        },
    ),
    TEXT,
)
EXPLICIT = st.fixed_dictionaries(
    {"content": st.lists(BLOCKS, max_size=3) | VALUES},
    optional={
        "structuredContent": VALUES,
        "isError": st.booleans() | VALUES,
        "_meta": st.dictionaries(TEXT, VALUES, max_size=2),
    },
)


@st.composite
def made(draw: st.DrawFn) -> Any:
    """What `result(...)` gives, or the exception it raises."""
    content = draw(st.none() | st.lists(BLOCKS, max_size=3))
    options = {"is_error": draw(st.booleans()), "meta": draw(st.none() | st.dictionaries(TEXT, VALUES, max_size=2))}
    return result(content, draw(VALUES), **options)


# Exceptions are raised instead of returned.
ERRORS = (
    st.builds(ValueError, VALUES)
    | st.builds(ToolError, TEXT)
    | st.builds(KeyError, VALUES)
    | st.builds(OSError, st.integers(0, 200), TEXT)
)
RETURNED = VALUES | RAW | st.lists(BLOCKS, max_size=3) | EXPLICIT | made() | ERRORS

OUTPUTS: dict[str, Any] = {
    "none": None,
    "anything": {},
    "object": {"type": "object"},
    "number": {"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]},
    "struct": Holder,
    "model": Model,
    "list": list[Any],
}


def refuse(name: str) -> Any:
    raise AssertionError(f"{name} is not JSON")


def check(reply: bytes, output: str, revision: str) -> None:
    assert b"\n" not in reply
    assert b"\r" not in reply
    message = json.loads(reply.decode(), parse_constant=refuse)
    assert message.keys() == {"jsonrpc", "id", "result"}, message
    got = message["result"]
    assert type(got["content"]) is list
    for block in got["content"]:
        assert type(block["type"]) is str
        assert None not in block.values(), "absent means absent"
    assert got.get("isError", True) in (True, False)
    if output == "none" or got.get("isError"):
        return
    if revision >= "2025-06-18":
        assert "structuredContent" in got, got


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_value_gives_a_valid_reply(output: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "picomcp_py")
    returned: list[Any] = []

    def run() -> Any:
        value = returned.pop()
        if isinstance(value, Exception):
            raise value
        return value

    config = {"run": run, "thread": False} | ({"output": OUTPUTS[output]} if OUTPUTS[output] is not None else {})
    server = pico({"name": "fuzzed"}).tool("t", config)

    async def call(revision: str) -> bytes:
        async with connected(server, revision) as peer:
            peer.start("tools/call", {"name": "t"}, id="it")
            await peer.reply("it")
            return peer.raw[-1]

    with start_blocking_portal() as portal:

        @examples(60)
        @given(RETURNED, st.sampled_from(EVERY))
        def run_one(value: Any, revision: str) -> None:
            returned[:] = [value]
            check(portal.call(call, revision), output, revision)

        run_one()


@pytest.mark.parametrize("output", ["none", "anything"])
def test_the_text_copy_says_the_same_as_the_structured_content(output: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "picomcp_py")
    returned: list[Any] = []
    config = {"run": lambda: {"value": returned.pop()}, "thread": False}
    server = pico({"name": "fuzzed"}).tool("t", config | ({"output": {}} if output == "anything" else {}))

    with start_blocking_portal() as portal:

        @examples(100)
        @given(VALUES)
        def run_one(value: Any) -> None:
            returned[:] = [value]
            got = portal.call(server.call, "t")
            (block,) = got["content"]
            if got.get("isError"):
                assert "structuredContent" not in got
                assert block["text"].startswith('Tool "t" returned a value that cannot be sent: '), block
            else:
                copy = json.loads(block["text"], parse_constant=refuse)
                # Compared as text: 1, 1.0 and True are equal in Python.
                assert json.dumps(copy) == json.dumps(got["structuredContent"])
                assert copy.keys() == {"value"} or value is UNSET

        run_one()
