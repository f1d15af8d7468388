"""Which loop the library finds itself in."""

from __future__ import annotations

import sys
from types import ModuleType

import anyio
import pytest

from picomcp_py import pico
from tests.peer import MODERN, connected


def test_a_trio_that_another_thread_is_just_importing_is_not_the_running_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trio", ModuleType("trio"))  # as it stands there before its code has run
    server = pico({"name": "test"}).resource("note://a", read=lambda: "text", thread=False)

    async def read() -> None:
        async with connected(server, MODERN) as peer:
            assert "result" in await peer.request("resources/read", {"uri": "note://a"})

    anyio.run(read, backend="asyncio")
