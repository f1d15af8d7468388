"""The collections of what a server offers, when they change while they are read."""

from __future__ import annotations

import threading
from typing import Any

from msgspec import Struct

from picomcp_py.offered.registry import Registry


class Entry(Struct):
    name: str


def in_thread(work: Any) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_what_was_made_before_a_change_in_another_thread_is_not_kept() -> None:
    entries: Registry[Entry] = Registry("tool")
    entries.add(Entry("a"))

    def page_and_then_change(change: Any) -> list[str]:
        names = entries.names()
        in_thread(change)
        return names

    assert entries.keep("k", lambda: page_and_then_change(lambda: entries.add(Entry("b")))) == ["a"]
    assert entries.keep("k", lambda: page_and_then_change(lambda: entries.remove("a"))) == ["a", "b"]
    assert entries.keep("k", entries.names) == ["b"]


def test_what_was_made_is_kept_until_a_change() -> None:
    entries: Registry[Entry] = Registry("tool")
    first = entries.keep("k", lambda: [1])
    assert entries.keep("k", lambda: [2]) is first
    entries.add(Entry("a"))
    assert entries.keep("k", lambda: [3]) == [3]
