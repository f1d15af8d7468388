"""What stdin and stdout may be: pipes, sockets, terminals, files, the null device, nothing."""

from __future__ import annotations

import os
import pty
import socket
import tty

import pytest


def pipes():
    stdin, our_in = os.pipe()
    our_out, stdout = os.pipe()
    return stdin, stdout, our_in, our_out


def one_socket():
    ours, theirs = (end.detach() for end in socket.socketpair())
    return theirs, theirs, ours, ours


def terminal():
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    return theirs, theirs, ours, ours


KINDS = {"pipes": pipes, "socket": one_socket, "terminal": terminal}


def null() -> int:
    return os.open(os.devnull, os.O_RDWR)


@pytest.mark.parametrize("kind", KINDS)
def test_a_client_that_does_not_read_stops_nothing_and_loses_nothing(start, way, kind):
    stdin, stdout, our_in, our_out = KINDS[kind]()
    server = start(*way, "--ticks", streams=(stdin, stdout, our_in, our_out), keep=True)
    try:
        for blocking in (True, False):  # as found, whoever set it
            for fd in (stdin, stdout):
                os.set_blocking(fd, blocking)
            assert server.ask(b"echo one") == b"one"
            server.write(b"burst 40 50000\n")
            server.err.until(b"burst sent, full=True")
            # The loop still reads, and its timers run.
            server.write(b"tell still reading\ntick\necho last\n")
            server.err.until(b"still reading")
            if blocking:
                server.err.until(b"tick 2")
            for number in range(40):
                assert server.out.next() == b"%d:" % number + b"x" * 50_000
            assert server.out.next() == b"last"
            server.err.until(b"room")
            assert server.ask(b"full") == b"False"
            assert [os.get_blocking(stdin), os.get_blocking(stdout)] == [blocking, blocking]
        for fd in (stdin, stdout):
            os.set_blocking(fd, True)
        server.write(b"cancel\n")
        assert server.wait() == 0
        assert [os.get_blocking(stdin), os.get_blocking(stdout)] == [True, True]
    finally:
        for fd in {stdin, stdout}:
            os.close(fd)


def test_a_terminal_that_hangs_up_is_the_end(start, some_way):
    server = start(*some_way, streams=terminal())
    assert server.ask(b"echo one") == b"one"
    os.close(server.stdin)
    server.stdin = server.out.fd = null()
    assert server.wait() == 0
    assert b"Traceback" not in server.err.rest()


def test_a_file_in_and_a_file_out(start, backend, tmp_path):
    requests = tmp_path / "requests"
    requests.write_bytes(b"echo one\nburst 1 300000\nhold three")
    replies = tmp_path / "replies"
    stdin = os.open(requests, os.O_RDONLY)
    stdout = os.open(replies, os.O_WRONLY | os.O_CREAT)
    os.write(stdout, b"what the shell wrote before\n")
    server = start(*backend, "--bye", streams=(stdin, stdout, null(), null()))
    assert server.wait() == 0
    expected = [b"what the shell wrote before", b"one", b"0:" + b"x" * 300_000, b"three", b"bye ''"]
    assert replies.read_bytes().split(b"\n") == [*expected, b""]


def test_the_null_device_in_and_out(start, backend):
    server = start(*backend, streams=(null(), null(), null(), null()))
    assert server.wait() == 0
    assert server.err.rest().splitlines() == [b"serving 0", b"finishing", b"finished", b"handlers restored: True"]


CLOSED = {
    "stdin": ("<&-", b"finished"),
    "stdout": (">&-", b"stdout is closed: there is no client to serve"),
    "all": ("<&- >&- 2>&-", b""),
}


@pytest.mark.parametrize("early", [(), ("--early",)], ids=["claimed in the loop", "claimed early"])
@pytest.mark.parametrize(("shell", "said"), CLOSED.values(), ids=CLOSED)
def test_closed_descriptors_end_the_session_quietly(start, shell, said, early):
    # In the loop, the numbers 0 to 2 belong to the loop by then.
    server = start(*early, shell=shell)
    assert server.wait() == 0
    errors = server.err.rest()
    assert said in errors
    assert b"Traceback" not in errors
    assert server.out.rest() == b""


@pytest.mark.parametrize("early", [(), ("--early",)], ids=["claimed in the loop", "claimed early"])
def test_closed_stderr_leaves_the_wire_clean(start, early):
    server = start(*early, shell="2>&-")
    assert server.ask(b"print to nowhere") == b"printed"
    assert server.ask(b"raw to nowhere") == b"written"
    assert server.ask(b"child to nowhere") == b"child done"
    assert server.end() == b""


def test_a_loop_without_readers_falls_back_to_a_thread(start):
    server = start("--backend", "no-readers")
    assert server.ask(b"echo one") == b"one"
    assert server.ask(b"value") == b"set before serving"
    assert server.end() == b""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give up its rights")
@pytest.mark.parametrize("kind", ["pipes", "terminal"])
def test_a_process_that_gave_up_its_rights_still_does_not_stop(start, kind):
    server = start("--uid", "65534", "--ticks", streams=KINDS[kind]())
    server.write(b"burst 1 300000\ntick\n")
    server.err.until(b"tick 2")
    assert server.out.next() == b"0:" + b"x" * 300_000
    server.write(b"cancel\n")
    assert server.wait() == 0


def test_a_default_timeout_of_sockets_is_not_taken_over(start):
    stdin, stdout, our_in, our_out = one_socket()
    server = start("--socket-timeout", "--ticks", streams=(stdin, stdout, our_in, our_out), keep=True)
    try:
        server.write(b"burst 40 50000\ntick\n")
        server.err.until(b"tick 2")
        assert os.get_blocking(stdout)
        assert [server.out.next().partition(b":")[0] for _ in range(40)] == [b"%d" % n for n in range(40)]
    finally:
        os.close(stdin)
