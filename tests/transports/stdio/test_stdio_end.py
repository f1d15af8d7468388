"""How a session ends: the client ends it or goes, a signal comes, or the server is cancelled."""

from __future__ import annotations

import os
import signal

import pytest


def test_what_was_accepted_is_answered_after_the_input_has_ended(start, way):
    server = start(*way, "--bye")
    server.write(b"hold one\nhold two\nhold three")
    assert server.end() == b"one\ntwo\nthree\nbye ''\n"


def test_the_end_is_bounded_when_work_does_not_finish(start, backend):
    server = start(*backend, "--drain", "0.1", "--bye")
    server.write(b"stuck\nhold one\n")
    assert server.end() == b"one\nbye ''\n"


def test_a_client_that_goes_is_a_quiet_end(start, way):
    server = start(*way)
    assert server.ask(b"echo one") == b"one"
    server.lose_stdout()
    server.write(b"echo two\necho three\n")
    errors = server.err.rest()
    assert server.wait() == 0
    assert b"closed: the client no longer reads" in errors
    assert b"Traceback" not in errors


def test_a_client_that_was_gone_before_the_start_is_a_quiet_end(start):
    stdin, our_in = os.pipe()
    our_out, stdout = os.pipe()
    os.close(our_out)
    server = start(streams=(stdin, stdout, our_in, os.open(os.devnull, os.O_RDONLY)))
    server.write(b"echo one\n")
    errors = server.err.rest()
    assert server.wait() == 0
    assert b"closed: the client no longer reads" in errors
    assert b"Traceback" not in errors


def test_a_client_that_goes_while_the_session_ends_is_a_quiet_end(start, some_way):
    server = start(*some_way, "--drain", "600")
    server.write(b"burst 40 50000\nstuck\n")
    server.err.until(b"burst sent")
    server.close_stdin()
    server.err.until(b"finishing")
    server.lose_stdout()
    errors = server.err.rest()
    assert server.wait() == 0
    assert b"closed: the client no longer reads" in errors
    assert b"Traceback" not in errors


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_is_told_and_ends_the_session(start):
    stdin, our_in = os.pipe()
    full = os.open("/dev/full", os.O_WRONLY)
    server = start(streams=(stdin, full, our_in, os.open(os.devnull, os.O_RDONLY)))
    server.write(b"echo one\n")
    errors = server.err.rest()
    assert server.wait() == 0
    assert b"stdout can't be written" in errors
    assert b"Traceback" not in errors


def signal_answers_and_exits(server, number):
    server.write(b"hold one\n")
    assert server.ask(b"echo two") == b"two"
    server.process.send_signal(number)
    assert server.out.rest() == b"one\n"
    errors = server.err.rest()
    assert server.wait() == 128 + number
    assert b"Traceback" not in errors
    assert b"handlers restored: True" in errors


def test_sigterm_answers_what_was_accepted_and_exits_with_its_number(start, way):
    signal_answers_and_exits(start(*way), signal.SIGTERM)


@pytest.mark.parametrize("backend", ["asyncio", "trio", "uvloop"])  # each has its own way with SIGINT
def test_sigint_answers_what_was_accepted_and_exits_with_its_number(start, backend):
    if backend == "uvloop":
        pytest.importorskip("uvloop", reason="uvloop is not installed")
    signal_answers_and_exits(start("--backend", backend), signal.SIGINT)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_at_once(start, backend, second):
    server = start(*backend, "--drain", "600")
    server.write(b"stuck\nhold one\n")
    assert server.ask(b"echo two") == b"two"
    server.process.send_signal(signal.SIGTERM)
    server.err.until(b"finishing")
    server.process.send_signal(second)
    errors = server.err.rest()
    assert server.out.rest() == b""
    assert server.wait() == 128 + signal.SIGTERM
    assert b"while the session was ending" in errors
    assert b"Traceback" not in errors


def test_a_signal_after_the_input_has_ended_ends_at_once(start, backend):
    server = start(*backend, "--drain", "600")
    server.write(b"stuck\n")
    server.close_stdin()
    server.err.until(b"finishing")
    server.process.send_signal(signal.SIGTERM)
    assert server.wait() == 128 + signal.SIGTERM
    assert b"Traceback" not in server.err.rest()


def test_a_third_signal_ends_even_a_loop_that_is_held(start):
    server = start()
    server.write(b"exhaust\n")
    server.err.until(b"blocking")
    # Sent until it ends: signals of one kind that come at once may become one.
    while server.process.poll() is None:
        server.process.send_signal(signal.SIGTERM)
    assert server.wait() == -signal.SIGTERM


def test_an_ignored_signal_stays_ignored(start):
    server = start("--ignore-sigint")
    assert server.ask(b"echo one") == b"one"
    server.process.send_signal(signal.SIGINT)
    assert server.ask(b"echo two") == b"two"
    assert server.end() == b""


def test_handlers_of_the_program_are_put_back(start, backend):
    server = start(*backend, "--own-sigterm")
    assert server.ask(b"echo one") == b"one"
    server.close_stdin()
    assert b"handlers restored: True" in server.err.rest()


def test_a_server_in_a_thread_leaves_signals_alone(start):
    server = start("--thread")
    assert server.ask(b"echo one") == b"one"
    server.process.send_signal(signal.SIGTERM)
    assert server.wait() == -signal.SIGTERM


def test_cancelling_cleans_up_and_the_next_session_goes_on(start, way):
    server = start(*way, "--times", "3", "--bye")
    for session in range(2):
        server.err.until(b"serving %d" % session)
        assert server.ask(b"echo one") == b"one"
        server.write(b"hold two\ncancel\n")
        told = server.err.until(b"cancelled")
        assert told == [b"closed: the server was stopped", b"cancelled"]
    server.err.until(b"serving 2")
    assert server.ask(b"print noise") == b"printed"
    assert server.end() == b"bye ''\n"
