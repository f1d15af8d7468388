"""A change, its JSON, and what is no change."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from picomcp_py.bus import Change

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("change", "data"),
    [
        (Change("tools"), b'{"kind":"tools"}'),
        (Change("prompts"), b'{"kind":"prompts"}'),
        (Change("resources"), b'{"kind":"resources"}'),
        (Change("resource"), b'{"kind":"resource"}'),
        (Change("resource", "note://a b"), b'{"kind":"resource","uri":"note://a b"}'),
    ],
)
def test_a_change_is_compact_json_and_comes_back(change: Change, data: bytes) -> None:
    assert change.encode() == data
    assert Change.decode(data) == change


@given(TEXT)
def test_any_uri_comes_back(uri: str) -> None:
    change = Change("resource", uri)
    assert Change.decode(change.encode()) == change


def test_a_lone_surrogate_in_a_uri_costs_only_itself() -> None:
    assert Change.decode(Change("resource", "note://\ud800").encode()) == Change("resource", "note://\ufffd")


def test_members_of_later_versions_are_passed_over() -> None:
    assert Change.decode(b'{"kind":"tools","since":1}') == Change("tools")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'"tools"',
        b'{"kind":"tool"}',
        b'{"kind":null}',
        b'{"kind":"tools"',
        b'{"kind":"tools"} {}',
        b'{"kind":"tools","uri":"note://1"}',
        b'{"kind":"resource","uri":1}',
        b'{"kind":"resource","uri":"\xff"}',
        b'{"kind":"resource","uri":"\\ud800"}',
        b'{"kind":"tools","more":' + b"[" * 100_000,
        b"\x80\x04K\x01.",
    ],
)
def test_what_is_no_change_is_none(data: bytes) -> None:
    assert Change.decode(data) is None


@given(st.binary())
def test_decoding_never_raises(data: bytes) -> None:
    change = Change.decode(data)
    assert change is None or isinstance(change, Change)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("tool",), "Change: kind must be one of tools, prompts, resources, resource, not 'tool'"),
        (("tools", "note://1"), 'Change: a uri only goes with kind "resource", not "tools"'),
        (("resource", b"note://1"), "Change: uri must be a str, not bytes"),
    ],
)
def test_what_could_not_be_sent_cannot_be_made(words: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Change(*words)
