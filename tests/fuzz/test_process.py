"""Any bytes on a real server's stdin, cut anywhere: each line gets what the protocol says, and the server lives."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.lines import LINES, cut
from tests.fuzz.oracle import expected_of, judge, matches, strict
from tests.fuzz.profiles import examples
from tests.fuzz.program import Program
from tests.fuzz.test_connection import is_notification


@pytest.fixture(scope="module", params=["asyncio", "trio"])
def program(request: pytest.FixtureRequest) -> Iterator[Program]:
    program = Program(request.param)
    try:
        yield program
        code, errors = program.end()
    finally:
        program.process.kill()
        program.process.wait()
    assert (code, errors) == (0, b"")


def test_every_line_gets_what_the_protocol_says(program: Program) -> None:
    numbers = iter(range(10**9))

    @examples(80)
    @given(st.data(), st.lists(LINES, min_size=1, max_size=6), st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\n \n"]))
    def run(data: st.DataObject, lines: list[bytes], end: bytes) -> None:
        ping = b'{"jsonrpc":"2.0","id":"ping %d","method":"ping"}' % next(numbers)
        expected = expected_of([*lines, ping])

        def enough(answers: list[bytes]) -> bool:
            replies = [answer for answer in answers if not is_notification(answer)]
            if not any(b'"id":"ping ' in reply for reply in replies):
                return False
            # The ping is answered at once. Calls that came before it may take longer, cancelled ones don't.
            return len(replies) >= len(expected) or matches(expected, list(map(strict, replies)))

        pieces = data.draw(cut(b"".join(line + end for line in lines)))
        answers = program.talk([*pieces, ping + b"\n"], enough)
        judge([*lines, ping], [answer for answer in answers if not is_notification(answer)])

    run()
