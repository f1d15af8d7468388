"""Bytes into lines, as `LineFramer` does it."""

from __future__ import annotations

import logging
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from picomcp_py.transports.stdio.framing import LineFramer


def frame(pieces: list[bytes], max_line: int = 1000) -> list[bytes | int]:
    """The lines, and the limit where a line was over it."""
    seen: list[bytes | int] = []
    framer = LineFramer(seen.append, seen.append, max_line)
    for piece in pieces:
        framer.feed(piece)
    framer.finish()
    return seen


def single_bytes(data: bytes) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


CASES = {
    "one line": (b'{"a":1}\n', [b'{"a":1}']),
    "several": (b"a\nb\nc\n", [b"a", b"b", b"c"]),
    "one CR is dropped": (b"a\r\nb\r\r\n", [b"a", b"b\r"]),
    "CR inside stays": (b"a\rb\n", [b"a\rb"]),
    "blank lines": (b"\n\r\n  \t\n\na\n \r\n", [b"a"]),
    "text after the last newline": (b"a\nb", [b"a", b"b"]),
    "nothing": (b"", []),
    "mark": (b"\xef\xbb\xbfa\nb\n", [b"a", b"b"]),
    "mark alone": (b"\xef\xbb\xbf", []),
    "mark on a blank first line": (b"\xef\xbb\xbf\r\na\n", [b"a"]),
    "only one mark, only at the start": (
        b"\xef\xbb\xbf\xef\xbb\xbfa\n\xef\xbb\xbfb\n",
        [b"\xef\xbb\xbfa", b"\xef\xbb\xbfb"],
    ),
    "no UTF-8": (b"\xff\xfe\n\xff", [b"\xff\xfe", b"\xff"]),
    "as long as allowed": (b"\xef\xbb\xbf" + b"x" * 1000 + b"\r\n" + b"y" * 1000, [b"x" * 1000, b"y" * 1000]),
    "one too long": (b"x" * 1001 + b"\na\n", [1000, b"a"]),
    "much too long, at the end": (b"a\n" + b"x" * 5000, [b"a", 1000]),
    "two too long": (b"x" * 5000 + b"\n" + b"y" * 5000 + b"\nz\n", [1000, 1000, b"z"]),
}


@pytest.mark.parametrize(("data", "lines"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("cut", [lambda data: [data] if data else [], single_bytes], ids=["whole", "byte by byte"])
def test_lines_are_the_same_however_they_are_cut(data, lines, cut):
    assert frame(cut(data)) == lines


@given(data=st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b" ", b"\xef\xbb\xbf", b"x" * 9])), cuts=st.data())
def test_any_cut_gives_what_the_whole_gives(data, cuts):
    whole = b"".join(data)
    pieces = []
    while whole:
        size = cuts.draw(st.integers(1, len(whole)))
        pieces.append(whole[:size])
        whole = whole[size:]
    joined = b"".join(pieces)
    assert frame(pieces, max_line=8) == frame([joined] if joined else [], max_line=8)


def test_a_long_line_in_single_bytes_costs_linear_time():
    # Joining anew with each piece would copy some 10^11 bytes.
    line = b"x" * 600_000
    seen: list[bytes] = []
    framer = LineFramer(seen.append, lambda limit: None, 2_000_000)
    for piece in single_bytes(line):
        framer.feed(piece)
    framer.feed(b"\n")
    assert seen == [line]


def test_memory_stays_near_the_limit_for_an_endless_line():
    chunk = b"x" * 65536
    rejected: list[int] = []
    framer = LineFramer(rejected.append, rejected.append, 1_000_000)
    tracemalloc.start()
    try:
        for _ in range(1000):
            framer.feed(chunk)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000
    assert rejected == [1_000_000]


def test_a_line_too_long_is_told_before_it_ends():
    told: list[int] = []
    framer = LineFramer(told.append, told.append, 10)
    framer.feed(b"x" * 100)
    assert told == [10]


def test_an_exception_costs_no_other_line(caplog):
    seen: list[bytes] = []

    def receive(line: bytes) -> None:
        if line == b"bad":
            raise RuntimeError("out of receive")
        seen.append(line)

    def oversized(limit: int) -> None:
        raise RuntimeError("out of oversized")

    framer = LineFramer(receive, oversized, 10)
    with caplog.at_level(logging.ERROR, "picomcp_py"):
        framer.feed(b"a\nbad\nb\n" + b"x" * 20 + b"\nc\n")
        framer.feed(b"bad\n")
        framer.feed(b"d\n")
    assert seen == [b"a", b"b", b"c", b"d"]
    assert len(caplog.records) == 3
    assert all(record.exc_info for record in caplog.records)
