"""A conversation over pipes, however the bytes come, on every loop and with every way of reading and writing."""

from __future__ import annotations


def test_bytes_may_come_one_by_one(running):
    for byte in b"echo one\r\n\r\n\necho tw\xc3\xb6\n":
        running.write(bytes([byte]))
    assert running.out.next() == b"one"
    assert running.out.next() == b"tw\xc3\xb6"


def test_several_lines_and_half_of_one_may_come_at_once(running):
    running.write(b"echo one\necho two\r\n\n  \necho thr")
    assert running.out.next() == b"one"
    assert running.out.next() == b"two"
    running.write(b"ee\n")
    assert running.out.next() == b"three"


def test_a_line_of_2_mb_comes_back_whole(running):
    text = b"x" * 2_000_000
    running.write(b"echo " + text + b"\n")
    assert running.out.next() == text
    assert running.ask(b"echo after") == b"after"


def test_a_line_of_20_mb_comes_back_whole_with_the_default_limit(running):
    text = b"0123456789" * 2_000_000
    running.write(b"echo " + text + b"\n")
    assert running.out.next() == text


def test_replies_of_all_sizes_keep_their_order(running):
    running.write(b"".join(b"burst 3 %d\n" % size for size in (1, 70_000, 10, 200_000, 100)) + b"echo last\n")
    for size in (1, 70_000, 10, 200_000, 100):
        for number in range(3):
            assert running.out.next() == b"%d:" % number + b"x" * size
    assert running.out.next() == b"last"


def test_bytes_that_are_no_utf_8_are_passed_on(running):
    assert running.ask(b"\xff\xfe") == b"no verb in 2 bytes: b'\\xff\\xfe'"


def test_the_wire_is_utf_8_whatever_the_environment_says(running):
    assert running.ask("echo ✓ 中文 é".encode()) == "✓ 中文 é".encode()


def test_what_receive_raises_costs_no_other_line(start):
    server = start()
    server.write(b"echo one\nraise\necho two\n")
    assert server.out.next() == b"one"
    assert server.out.next() == b"two"
    server.err.until(b"out of receive")


def test_contextvars_set_before_serving_are_seen(running):
    assert running.ask(b"value") == b"set before serving"


def test_no_noise_reaches_the_wire(running):
    assert running.ask(b"print noise from print") == b"printed"
    assert running.ask(b"raw noise from C code") == b"written"
    assert running.ask(b"child noise from a child") == b"child done"
    assert running.ask(b"log noise from a log handler") == b"logged"
    told = running.err.until(b"noise from a log handler")
    noise = [b"noise from print", b"noise from C code", b"noise from a child", b"noise from a log handler"]
    assert [line for line in told if b"noise" in line] == noise


def test_what_a_tool_prints_is_seen_at_once(running):
    assert running.ask(b"print seen while serving") == b"printed"
    running.err.until(b"seen while serving")


def test_stdin_is_empty_for_a_tool(running):
    assert running.ask(b"input") == b"''"


def test_a_line_over_the_limit_is_told_once_and_skipped(start):
    server = start("--max-line", "1000")
    server.write(b"echo " + b"x" * 200_000)
    assert server.out.next() == b"oversized 1000"
    server.write(b"x" * 200_000 + b"\necho after\n")
    assert server.out.next() == b"after"
    assert server.end() == b""


def test_a_byte_order_mark_is_dropped(start):
    server = start()
    assert server.ask(b"\xef\xbb\xbfecho one") == b"one"
    assert server.end() == b""
