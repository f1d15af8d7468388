"""Section A, stdio: streams, framing, process life. Real programs, real bytes."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.bug_reports.conftest import Start
from tests.bug_reports.program import ENVELOPE, MODERN

ERAS = pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
PARSE, REQUEST = -32700, -32600


def text(reply: dict) -> str:  # type: ignore[type-arg]
    return reply["result"]["content"][0]["text"]


@ERAS
def test_b01_print_never_reaches_the_wire(start: Start, revision: str) -> None:
    # Unbuffered, what is printed before serve() would be gone already.
    program = start("print-early", revision=revision, environment={"PYTHONUNBUFFERED": ""})
    program.initialize()
    program.call(1, "say")
    assert text(program.reply(1)) == "ok"
    code, rest, errors = program.end()
    assert (code, rest) == (0, b"")
    assert b"hello from the start\n" in errors
    assert b"hello\n" in errors


def test_b03_a_log_handler_that_kept_the_old_stdout_does_not_reach_the_wire(start: Start) -> None:
    program = start("log-to-stdout")
    program.initialize()
    program.call(1, "warn")
    assert text(program.reply(1)) == "ok"
    code, rest, errors = program.end()
    assert (code, rest) == (0, b"")
    assert b"careful\n" in errors


@ERAS
def test_b05_closing_stdin_ends_the_process(start: Start, revision: str) -> None:
    program = start(revision=revision)
    program.initialize()
    assert program.end() == (0, b"", b"")


@ERAS
def test_b05_closing_stdin_ends_it_while_a_def_handler_blocks(start: Start, revision: str) -> None:
    program = start(revision=revision)
    program.initialize()
    meta = {"progressToken": 0, **(ENVELOPE if revision == MODERN else {})}
    program.send("tools/call", {"name": "block", "_meta": meta}, 1)
    assert program.next()["method"] == "notifications/progress"
    code, rest, _ = program.end()
    assert (code, rest) == (0, b"")


@ERAS
def test_b07_a_client_that_goes_is_a_quiet_end(start: Start, revision: str) -> None:
    program = start(revision=revision)
    program.initialize()
    program.close_stdout()
    program.call(1, "echo")
    assert program.process.wait() == 0
    assert b"Traceback" not in program.stderr()


@ERAS
def test_b08_bytes_that_are_no_utf_8_cost_an_error_each(start: Start, revision: str) -> None:
    program = start(revision=revision)
    program.initialize()
    program.write(b"\xff\xfe\n")
    refusal = program.next()
    assert refusal["error"]["code"] == PARSE
    assert "id" not in refusal
    for tool in (b"echo", b"none"):
        program.write(
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%b","arguments":{"s":"\xff"}}}\n' % tool
        )
        refusal = program.next()
        assert refusal["error"]["code"] == PARSE
        assert refusal.get("id", 1) == 1
    program.call(2, "none")
    assert text(program.reply(2)) == "ok"
    assert program.end()[:2] == (0, b"")


def test_b09_a_byte_order_mark_before_the_first_message_is_dropped(start: Start) -> None:
    program = start()
    program.write(b"\xef\xbb\xbf")
    assert program.initialize()["result"]["protocolVersion"] == "2025-11-25"


def test_b10_lines_end_in_lf_alone_and_may_come_with_crlf_and_blank_lines(start: Start) -> None:
    program = start("crlf")
    program.initialize()
    program.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n\r\n\n{"jsonrpc":"2.0","id":2,"method":"ping"}\r\n')
    assert [program.next()["id"], program.next()["id"]] == [1, 2]
    assert program.end() == (0, b"", b"")
    assert not [line for line in program.raw if b"\r" in line]


def test_b11_the_wire_is_utf_8_whatever_the_environment_says(start: Start) -> None:
    program = start(environment={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    program.initialize()
    line = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"s":"✓ 中文 é 😀"}}}\n'
    program.write(line.encode())
    assert program.reply(1)["result"]["structuredContent"] == {"s": "✓ 中文 é 😀"}
    assert "✓ 中文 é 😀".encode() in program.raw[-1]


@ERAS
def test_b12_a_line_of_2_mb_goes_through_whole(start: Start, revision: str) -> None:
    program = start(revision=revision)
    program.initialize()
    program.call(1, "echo", s="x" * 2_000_000)
    assert program.reply(1)["result"]["structuredContent"] == {"s": "x" * 2_000_000}
    program.call(2, "none")
    assert text(program.reply(2)) == "ok"


def test_b14_the_programs_own_streams_are_open_after_serving(start: Start) -> None:
    program = start("bye")
    program.initialize()
    assert program.end() == (0, b"bye\n", b"")


def test_b15_the_root_logger_is_left_alone_and_nothing_is_written_by_default(start: Start) -> None:
    program = start()
    program.initialize()
    program.call(1, "root")
    assert program.reply(1)["result"]["structuredContent"] == {"handlers": 0, "level": 30}
    assert program.end() == (0, b"", b"")


def test_b15_a_full_stderr_holds_up_the_handler_that_fills_it_and_nobody_else(start: Start) -> None:
    program = start(errors=subprocess.PIPE)  # which nobody reads
    program.initialize()
    program.call(1, "chatter")
    for id in range(2, 12):
        program.call(id, "none")
        assert text(program.reply(id)) == "ok"


def test_b16_a_malformed_line_is_answered(start: Start) -> None:
    program = start()
    program.initialize()
    program.write(b'{not json}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n{"id":99,"method":"ping"}\n')
    first, second, third = program.next(), program.next(), program.next()
    assert first["error"]["code"] == PARSE
    assert "id" not in first
    assert second == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert (third["error"]["code"], third["id"]) == (REQUEST, 99)


@ERAS
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_b17_deep_nesting_is_answered(start: Start, revision: str, opening: bytes) -> None:
    program = start(revision=revision)
    program.initialize()
    closing = b"]" if opening == b"[" else b"}"
    for depth in (100, 150, 1_000, 100_000):
        deep = opening * depth + b"1" + closing * depth
        program.write(
            b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"x":%b},"_meta":%b}}\n'
            % (depth, deep, json.dumps(ENVELOPE).encode() if revision == MODERN else b"{}")
        )
        reply = program.next()
        assert reply.get("id", depth) == depth
        assert ("result" in reply) == (depth == 100)
        program.call(depth + 2, "none")
        assert text(program.reply(depth + 2)) == "ok"
    code, rest, errors = program.end()
    assert (code, rest, errors) == (0, b"", b"")
