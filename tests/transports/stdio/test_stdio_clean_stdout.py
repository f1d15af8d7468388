"""Nothing but the protocol reaches stdout, and afterwards the streams are as they were."""

from __future__ import annotations

import pytest


def test_text_that_waited_in_the_buffer_goes_to_stderr(start):
    server = start("--noise", "--bye")
    server.write(b"murmur and at the end\n")
    server.close_stdin()
    assert server.out.rest() == b"bye ''\n"
    errors = server.err.rest()
    assert b"text still in the buffer" in errors
    assert b"and at the end" in errors


@pytest.mark.parametrize("streams", ["none", "strings", "crlf"])
def test_replaced_stream_objects_do_not_matter(start, streams):
    server = start("--streams", streams)
    assert server.ask(b"print text") == b"printed"
    assert server.ask(b"child text") == b"child done"
    assert server.ask("echo ✓".encode()) == "✓".encode()
    assert server.end() == b""


def test_a_claim_taken_early_keeps_the_loading_off_the_wire(start, backend):
    server = start(*backend, "--early", "--bye")
    server.err.until(b"printed while the program loads")
    assert server.ask(b"echo one") == b"one"
    assert server.end() == b"bye ''\n"


def test_sessions_may_follow_each_other_under_one_claim(start):
    server = start("--times", "2", "--early", "--bye")
    server.write(b"cancel\n")
    server.err.until(b"serving 1")
    assert server.ask(b"echo two") == b"two"
    assert server.end() == b"bye ''\n"


def test_a_server_in_a_thread_works(start, backend):
    server = start(*backend, "--thread", "--bye")
    assert server.ask(b"print noise") == b"printed"
    assert server.end() == b"bye ''\n"


CLAIM = """
import os, sys
from picomcp_py.transports.stdio import claim_stdio, serve_stdio
"""


def test_a_second_claim_is_an_error_until_the_first_is_released(run_python):
    done = run_python(
        CLAIM
        + """
with claim_stdio() as first:
    try:
        claim_stdio()
    except RuntimeError as error:
        os.write(first.stdout, str(error).encode() + b"\\n")
with claim_stdio() as second:
    os.write(second.stdout, b"second\\n")
second.release()
print("end")
"""
    )
    assert done.stdout.splitlines() == [
        b"stdin and stdout already belong to a stdio server in this process; "
        b"let that one end first, or serve this one over HTTP",
        b"second",
        b"end",
    ]
    assert done.stderr == b""


def test_a_claim_serves_one_server_at_a_time_and_none_once_released(run_python):
    done = run_python(
        CLAIM
        + """
import anyio

class Engine:
    def receive(self, line): pass
    def oversized(self, limit): pass
    async def finish(self, seconds):
        try:
            await serve_stdio(lambda wire: Engine(), claim=claim)
        except RuntimeError as error:
            os.write(claim.stdout, str(error).encode() + b"\\n")

claim = claim_stdio()
anyio.run(lambda: serve_stdio(lambda wire: Engine(), claim=claim))
os.write(claim.stdout, b"still claimed\\n")
claim.release()
try:
    anyio.run(lambda: serve_stdio(lambda wire: Engine(), claim=claim))
except RuntimeError as error:
    print(error)
"""
    )
    assert done.stderr == b""
    assert done.stdout.splitlines() == [
        b"this claim on stdin and stdout is in use by another stdio server; wait for it to end",
        b"still claimed",
        b"this claim on stdin and stdout was released; call claim_stdio() for a new one",
    ]


def test_private_descriptors_are_not_inherited_and_number_three_or_more(run_python):
    done = run_python(
        CLAIM
        + """
os.close(0)
with claim_stdio() as claim:
    report = claim.stdin, claim.stdout >= 3, os.get_inheritable(claim.stdout), os.fstat(0) == os.stat(os.devnull)
    inherited = os.get_inheritable(0), os.get_inheritable(1)
print(report, inherited)
try:
    os.fstat(0)
except OSError:
    print("closed again")
"""
    )
    assert done.stdout.splitlines() == [b"(None, True, False, True) (True, True)", b"closed again"], done.stderr


def test_an_error_of_connect_comes_out_as_it_is_and_restores_the_streams(run_python):
    for backend in ("asyncio", "trio"):
        done = run_python(
            CLAIM
            + f"""
import anyio

def connect(wire):
    raise LookupError("no engine")

try:
    anyio.run(lambda: serve_stdio(connect), backend={backend!r})
except LookupError as error:
    print("caught", error)
"""
        )
        assert (done.stdout, done.stderr) == (b"caught no engine\n", b"")
