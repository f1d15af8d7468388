"""Any lines at all, given to a connection in memory: each gets what the protocol says, and the connection lives."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.lines import LINES
from tests.fuzz.oracle import judge
from tests.fuzz.profiles import examples
from tests.fuzz.server import make
from tests.peer import connected

PING = b'{"jsonrpc":"2.0","id":"the last","method":"ping"}'


@pytest.mark.parametrize(
    ("backend", "revision"),
    [("asyncio", "2025-11-25"), ("asyncio", "2025-03-26"), ("asyncio", ""), ("trio", "2025-06-18")],
)
def test_every_line_gets_what_the_protocol_says(backend: str, revision: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "picomcp_py")
    server = make()

    async def talk(lines: list[bytes]) -> None:
        async with connected(server, revision or "2025-11-25", initialize=bool(revision)) as peer:
            before = len(peer.raw)
            for line in [*lines, PING]:
                # Blank lines don't get past the framing, nor does a CR at the end.
                if line.strip(b" \t\r\v\f"):
                    peer.send(line.removesuffix(b"\r"))
            await peer.connection.finish(20)
            judge([*lines, PING], [reply for reply in peer.raw[before:] if not is_notification(reply)])

    with start_blocking_portal(backend) as portal:

        @examples(100)
        @given(st.lists(LINES, min_size=1, max_size=6))
        def run(lines: list[bytes]) -> None:
            portal.call(talk, lines)

        run()


def is_notification(reply: bytes) -> bool:
    value: Any = json.loads(reply)
    return isinstance(value, dict) and "method" in value and "id" not in value
