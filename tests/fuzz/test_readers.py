"""What reads bytes gives the same for the whole, for single bytes and for any pieces, and minds what trails."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from picomcp_py.jsonrpc import Message, Refusal, decode
from picomcp_py.jsontext import decode_json
from picomcp_py.transports.stdio.framing import LineFramer
from tests.fuzz.lines import JSON, LINES, MESSAGES, cut, dump
from tests.fuzz.profiles import examples

MAX_LINE = 300
ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\n\r\n"])


def framed(pieces: list[bytes]) -> list[bytes | int]:
    """The lines, and the limit for each that was over it."""
    got: list[bytes | int] = []
    framer = LineFramer(got.append, got.append, MAX_LINE)
    for piece in pieces:
        framer.feed(piece)
    framer.finish()
    return got


def reference(data: bytes) -> list[bytes | int]:
    """The same by the rules, slowly."""
    got: list[bytes | int] = []
    for index, line in enumerate(data.split(b"\n")):
        line = (line.removeprefix(b"\xef\xbb\xbf") if index == 0 else line).removesuffix(b"\r")
        if len(line) > MAX_LINE and not (len(line) <= MAX_LINE + 3 and line.isspace()):
            got.append(MAX_LINE)
        elif line and not line.isspace():
            got.append(line)
    return got


@examples(200)
@given(st.data(), st.lists(LINES | st.binary(min_size=280, max_size=320), max_size=5), ENDS, LINES | st.just(b""))
def test_lines_are_the_same_whole_byte_by_byte_and_in_pieces(
    data: st.DataObject, lines: list[bytes], end: bytes, rest: bytes
) -> None:
    stream = b"".join(line + end for line in lines) + rest
    expected = reference(stream)
    assert framed([stream] if stream else []) == expected
    assert framed([stream[at : at + 1] for at in range(len(stream))]) == expected
    assert framed(data.draw(cut(stream))) == expected


@examples(200)
@given(MESSAGES, st.sampled_from([b"x", b"{}", b"]", b"}", b",", b'"', b"\x00", b"\xff", b"1", b"\xef\xbb\xbf"]))
def test_a_message_is_nothing_less_and_nothing_more(message: Any, more: bytes) -> None:
    data = dump(message)
    whole = decode(data)
    assert decode(b" " + data + b" \t\r") == whole
    trailing = decode(data + more)
    assert isinstance(trailing, Refusal)
    assert trailing.code == -32700
    for size in range(0, len(data), 1 + len(data) // 40):
        part = decode(data[:size])
        assert isinstance(part, Refusal)
        assert part.code == -32700


def refused(data: bytes) -> bool:
    try:
        decode_json(data)
    except ValueError:
        return True
    return False


@examples(200)
@given(JSON)
def test_json_is_read_as_the_standard_library_reads_it(value: Any) -> None:
    data = dump(value)
    assert repr(decode_json(data)) == repr(json.loads(data))
    for size in range(len(data)):
        part = data[:size]
        if not part.strip(b"-0123456789.eE+"):
            continue  # the beginning of a number may be one
        assert refused(part)
    for more in (b"x", b"{}", b",", b'"', b"\x00", b"\xff"):
        assert refused(data + more)
    assert decode_json(b" \t\r\n" + data + b" \n") == decode_json(data)


@pytest.mark.parametrize("size", [10_000, 1_000_000])
def test_an_unclosed_string_after_many_brackets_is_no_trap(size: int) -> None:
    """Each escaped quote could start the search for the string's end again: the square of the size, minutes."""
    refusal = decode(b"[" * 200 + b'"' + b'\\"' * size)
    assert isinstance(refusal, Refusal)
    assert refusal.code == -32700


@pytest.mark.parametrize("depth", [127, 128, 129, 1_000_000])
@pytest.mark.parametrize(("start", "end"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_the_depth_is_counted_exactly_and_brackets_in_strings_are_none(depth: int, start: bytes, end: bytes) -> None:
    inner = depth - 2  # the message and its params are two levels
    value = start * inner + b'"[[{{\\"[["' + end * inner
    message = decode(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":%b,"y":[[],{}]}}' % value)
    assert isinstance(message, Message if depth <= 128 else Refusal)


def test_bytes_that_are_no_utf_8_are_no_message_wherever_they_are() -> None:
    for where in (b'"x":"%b"', b'"%b":1', b'"_meta":{"vendor/x":"%b"}', b'"_meta":{"%b":1}'):
        for bad in (b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe2\x82"):
            refusal = decode(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{%b}}' % (where % bad))
            assert isinstance(refusal, Refusal)
            assert (refusal.code, refusal.id) == (-32700, 1)
