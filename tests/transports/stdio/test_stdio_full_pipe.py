"""A client that does not read, at the end of a session, and what is called full."""

from __future__ import annotations

import anyio
import pytest

from picomcp_py.transports.stdio.wire import HIGH_WATER, LOW_WATER, Wire


@pytest.mark.parametrize("writer", ["auto", "thread"])
def test_a_few_replies_are_not_called_full(start, writer):
    server = start("--writer", writer)
    server.write(b"burst 10 50000\n")
    server.err.until(b"burst sent, full=False")
    for number in range(10):
        assert server.out.next() == b"%d:" % number + b"x" * 50_000
    server.close_stdin()
    assert b"room" not in server.err.rest()


def test_a_client_that_goes_while_replies_wait_is_a_quiet_end(start, some_way):
    server = start(*some_way)
    server.write(b"burst 40 50000\n")
    server.err.until(b"burst sent")
    server.lose_stdout()
    errors = server.err.rest()
    assert server.wait() == 0
    assert b"closed: the client no longer reads" in errors
    assert b"Traceback" not in errors


def test_the_end_waits_for_a_slow_client(start, some_way):
    server = start(*some_way, "--drain", "600")
    server.write(b"burst 40 50000\nhold last\n")  # held until there is room
    server.err.until(b"burst sent")
    server.close_stdin()
    server.err.until(b"finishing")
    for number in range(40):
        assert server.out.next() == b"%d:" % number + b"x" * 50_000
    assert server.end() == b"last\n"


def test_the_end_does_not_wait_for_ever_for_a_client_that_never_reads(start, some_way):
    server = start(*some_way, "--drain", "0.1")
    server.write(b"burst 40 50000\n")
    server.err.until(b"burst sent")
    server.close_stdin()
    assert server.wait() == 0
    errors = server.err.rest()
    assert b"the client did not read the last" in errors
    assert b"Traceback" not in errors


def test_work_that_waits_for_room_does_not_hold_the_end(start):
    server = start("--drain", "0.1")
    server.write(b"burst 40 50000\nhold last\n")
    server.err.until(b"burst sent")
    server.close_stdin()
    assert b"closed: the time to finish is over" in server.err.rest()
    assert server.wait() == 0


def test_the_low_mark_is_well_below_the_high_one():
    assert 0 < LOW_WATER < HIGH_WATER


def test_waiting_for_room_ends_in_its_first_step_while_there_is_room():
    async def main() -> None:
        waiting = Wire(lambda reason: None, lambda: None).room()
        with pytest.raises(StopIteration):
            waiting.send(None)

    anyio.run(main)
