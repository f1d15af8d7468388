"""What the protocol says about one line of input, decided with the standard library alone.

The invariant: for each line that is not blank

    a request with a readable id                    exactly one reply, with that id
    a notification or a response                    nothing
    a batch, at 2025-03-26                          one array, with an answer to each item that asks for one
    anything else                                   exactly one error, without an id or with the one that can be read

A request that is cancelled by a later line may stay unanswered. "Readable": a string or an integer (1.0 is one).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

BOM = b"\xef\xbb\xbf"
MAX_DEPTH = 128
NO_ID = object()
"""Stands for the id of a reply that has none."""


@dataclass
class Expected:
    """One answer: `ids` that it may carry; `error`, whether it must be one; `items`, if it may be an array of these.

    `optional`: there may be none.
    """

    ids: list[Any]
    error: bool = False
    optional: bool = False
    items: list[Expected] | None = field(default=None)


def expect(line: bytes) -> Expected | None:
    """What one line is to be answered with; None: nothing."""
    line = line.removesuffix(b"\r")
    if not line or line.isspace():
        return None
    try:
        # A line is read as far as it is UTF-8: what can be told of its id may be told.
        text, whole = line.removeprefix(BOM).decode(), True
    except UnicodeDecodeError:
        text, whole = line.removeprefix(BOM).decode("utf-8", "replace"), False
    try:
        value = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        return Expected([NO_ID, *_ids_in(text)], error=True)
    except ValueError:
        return Expected([NO_ID], error=True)
    if depth(value) > MAX_DEPTH:
        # A notification is dropped, unless it is so deep that nothing can be told of it.
        dropped = isinstance(value, dict) and isinstance(value.get("method"), str) and "id" not in value
        return Expected([NO_ID, *_ids_of(value)], error=True, optional=dropped)
    return expect_value(value) if whole else Expected([NO_ID, *_ids_of(value)], error=True)


def expect_value(value: Any, in_batch: bool = False) -> Expected | None:
    if isinstance(value, list) and not in_batch:
        answers = [expect_value(item, in_batch=True) for item in value]
        items = [answer for answer in answers if answer is not None]
        return Expected([NO_ID], error=True, items=items, optional=bool(value) and not items)
    if not isinstance(value, dict):
        return Expected([NO_ID], error=True)
    id = read_id(value.get("id", NO_ID))
    if "id" in value and value["id"] is None and "method" not in value and ("result" in value or "error" in value):
        id = NO_ID  # a response to what its sender could not read
    if value.get("jsonrpc") != "2.0" or id is None:
        return Expected([NO_ID if id is None else id], error=True)
    if "method" in value:
        if not isinstance(value["method"], str):
            return Expected([id], error=True)
        return None if id is NO_ID else Expected([id])
    if "result" in value or "error" in value:
        return None
    return Expected([id], error=True)


def read_id(id: Any) -> Any:
    """The id as it goes back; NO_ID if there is none, None if it is no id."""
    if isinstance(id, float) and id.is_integer():
        return int(id)
    if isinstance(id, bool) or not (id is NO_ID or isinstance(id, int | str)):
        return None
    # A lone surrogate can't go back as it came.
    return re.sub("[\ud800-\udfff]", "\ufffd", id) if isinstance(id, str) else id


def depth(value: Any) -> int:
    """The number of arrays and objects around the innermost value."""
    level, layer = 0, [value]
    while layer := [item for item in layer if isinstance(item, dict | list)]:
        level += 1
        layer = [inner for item in layer for inner in (item.values() if isinstance(item, dict) else item)]
    return level


def _ids_of(value: Any) -> list[Any]:
    id = read_id(value.get("id")) if isinstance(value, dict) else None
    return [] if id is None else [id]


def _ids_in(text: str) -> list[Any]:
    """Candidates for the id of a text that is nested too deeply for the standard library."""
    return [read_id(json.loads(found)) for found in re.findall(r'"id"\s*:\s*("[^"\\]*"|-?\d{1,40})', text)]


def _refuse(name: str) -> Any:
    raise ValueError(name)


# ------------------------------------------------------------ judging


def expected_of(lines: list[bytes]) -> list[Expected]:
    """What the lines are to be answered with, together."""
    expected: list[Expected] = []
    for line in lines:
        answer = expect(line)
        if answer is not None:
            expected.append(answer)
        # What a cancelled request was to get may have been sent before, and else never is.
        cancelled = [repr(id) for id in _cancels(_loads(line))]
        for one in _each(expected):
            one.optional = one.optional or any(repr(id) in cancelled for id in one.ids)
    return expected


def _each(expected: list[Expected]) -> Iterator[Expected]:
    for one in expected:
        yield one
        yield from one.items or ()


def _cancels(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            if not isinstance(item, list):
                yield from _cancels(item)
    elif isinstance(value, dict) and value.get("method") == "notifications/cancelled":
        params = value.get("params")
        if isinstance(params, dict) and "requestId" in params:
            yield read_id(params["requestId"])


def _loads(line: bytes) -> Any:
    try:
        return json.loads(line.removeprefix(BOM).decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def judge(lines: list[bytes], replies: list[bytes]) -> None:
    """Raises AssertionError unless the replies, in any order, are what the lines ask for."""
    expected = expected_of(lines)
    got = [strict(reply) for reply in replies]
    assert matches(expected, got), f"{lines!r:.3000}\nexpected {expected!r:.2000}\ngot {got!r:.3000}"


def matches(expected: list[Expected], got: list[Any]) -> bool:
    """Whether each reply can be given to one that expects it, and none that must have one is left."""
    if not expected:
        return got == []
    first, *rest = expected
    if any(fits(first, reply) and matches(rest, got[:index] + got[index + 1 :]) for index, reply in enumerate(got)):
        return True
    optional = first.optional or bool(first.items and all(item.optional for item in first.items))
    return optional and matches(rest, got)


def fits(expected: Expected, reply: Any) -> bool:
    if isinstance(reply, list):
        return expected.items is not None and matches(expected.items, reply)
    if expected.error and "error" not in reply:
        return False
    got = reply.get("id", NO_ID)
    return any(got is id or (type(got) is type(id) and got == id) for id in expected.ids)


def strict(reply: bytes) -> Any:
    """A reply or an array of them, checked for its form."""
    assert b"\n" not in reply
    assert b"\r" not in reply
    value = json.loads(reply.decode(), parse_constant=_refuse)
    for one in value if isinstance(value, list) else [value]:
        assert one["jsonrpc"] == "2.0"
        assert one.keys() - {"id"} in ({"jsonrpc", "result"}, {"jsonrpc", "error"}), one
        if "error" in one:
            assert type(one["error"]["code"]) is int
            assert one["error"]["message"]
            assert one["error"]["code"] != -32603, f"a fault of the library: {one}"
        else:
            assert "id" in one
            assert isinstance(one["result"], dict)
    return value
