"""Changes that wait for Redis."""

from __future__ import annotations

from picomcp_py.bus import Change
from picomcp_py.bus.outbox import Outbox

LISTS = [Change("tools"), Change("prompts"), Change("resources")]


def note(number: int) -> Change:
    return Change("resource", f"note://{number}")


def drained(outbox: Outbox) -> list[Change]:
    return [outbox.take() for _ in range(len(outbox))]


def test_changes_leave_in_the_order_they_came_each_once() -> None:
    outbox = Outbox(10)
    for change in [note(1), LISTS[0], note(2), note(1), LISTS[0]]:
        assert not outbox.put(change)
    assert drained(outbox) == [note(1), LISTS[0], note(2)]


def test_a_change_that_was_taken_may_come_again() -> None:
    outbox = Outbox(10)
    outbox.put(note(1))
    assert outbox.take() == note(1)
    outbox.put(note(1))
    assert drained(outbox) == [note(1)]


def test_past_the_limit_uris_become_any_resource_and_lists_stay() -> None:
    outbox = Outbox(2)
    for change in [LISTS[0], note(1), LISTS[1], note(2), LISTS[2]]:
        assert not outbox.put(change)
    assert outbox.put(note(3))
    assert not outbox.put(note(4))
    assert drained(outbox) == [*LISTS, Change("resource")]


def test_after_that_it_has_room_again() -> None:
    outbox = Outbox(1)
    outbox.put(note(1))
    assert outbox.put(note(2))
    assert drained(outbox) == [Change("resource")]
    assert not outbox.put(note(3))
    assert drained(outbox) == [note(3)]
    assert not outbox.put(note(4))
    assert outbox.put(note(5))
