"""Section F, concurrency and threads, with real programs; the rest is in tests/running."""

from __future__ import annotations

import pytest

from tests.bug_reports.conftest import Start
from tests.bug_reports.program import MODERN

ERAS = pytest.mark.parametrize("revision", ["2025-11-25", MODERN])


@ERAS
def test_b102_blocking_handlers_run_side_by_side_and_freeze_nothing(start: Start, revision: str) -> None:
    program = start(revision=revision)
    program.initialize()
    program.call(1, "meet")  # two of them block until there is a third
    program.call(2, "meet")
    program.call(3, "none")
    assert program.next()["id"] == 3
    program.call(4, "meet")
    assert set(program.replies([1, 2, 4])) == {1, 2, 4}
    assert program.end() == (0, b"", b"")


@ERAS
def test_b106_replies_come_as_they_are_ready_and_whole(start: Start, revision: str) -> None:
    program = start(revision=revision)
    program.initialize()
    big = "x" * 1_000_000
    for id in range(1, 6):
        program.call(id, "wait", id=id, text=big)
    program.call("fast", "echo", text=big)
    assert program.next()["id"] == "fast"
    program.call("open", "open")
    replies = program.replies([1, 2, 3, 4, 5, "open"])
    for id in range(1, 6):
        assert replies[id]["result"]["structuredContent"] == {"id": id, "text": big}
    assert program.end() == (0, b"", b"")
