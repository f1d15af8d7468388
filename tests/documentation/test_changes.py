"""The tables and sentences of docs/changes.md, and its snippet that needs a Redis."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from picomcp_py import McpError, ResourceConfig, pico
from picomcp_py.bus import redis as redis_bus
from picomcp_py.client import Client
from picomcp_py.protocol import handshake
from picomcp_py.running import changes
from tests.bus.parts import RedisServer, redis_program
from tests.pages import ROOT, Page
from tests.peer import HANDSHAKE, connected

PAGE = Page("changes")


def test_the_table_of_bounds() -> None:
    numbers = [int(how_much) for _, how_much in PAGE.rows("Bounds") if how_much.isdecimal()]
    assert numbers == [changes.MAX_LISTENS, handshake.MAX_FOLLOWED]


def test_what_waits_for_redis_is_as_many_as_told() -> None:
    import inspect

    default = inspect.signature(redis_bus.RedisBus).parameters["max_pending"].default
    assert f"Up to {default} changed resources wait for Redis" in PAGE.words


def test_the_snippet_with_redis_runs_and_its_own_checks_hold() -> None:
    pytest.importorskip("redis", reason="redis is not installed")
    program = redis_program()
    if program is None:
        pytest.skip("redis-server is not installed")
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(program, Path(folder))
        try:
            server.start()
            command = [sys.executable, "-X", "utf8", "-W", "error", "docs/snippets/changes/redis_bus.py"]
            env = {**os.environ, "REDIS_URL": server.url}
            done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=False)
        finally:
            server.stop()
    assert done.returncode == 0, done.stderr


@pytest.mark.anyio
@pytest.mark.parametrize("revision", HANDSHAKE)
async def test_a_session_is_told_what_initialize_has_promised(revision: str) -> None:
    server = pico({"name": "s"}).resource("a:b", {"read": lambda: "x"})
    async with connected(server, revision) as peer:
        server.prompt("p", {"run": lambda: "x"})  # prompts were not promised
        server.tool("t", {"run": lambda: "x"})
        server.resource("a:c", {"read": lambda: "x"})
        await peer.until(lambda message: message.get("method") == "notifications/resources/list_changed")
        told = [message["method"] for message in peer.messages if "id" not in message]
    assert told == ["notifications/tools/list_changed", "notifications/resources/list_changed"]


@pytest.mark.anyio
async def test_a_listen_is_honoured_for_what_there_is() -> None:
    async with Client(pico({"name": "s"}), revision="2026-07-28") as client:
        async with client.listen(tools=True, prompts=True, resources=True) as heard:
            assert set(heard.kinds) == {"tools"}


@pytest.mark.anyio
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_clients_are_told_of_what_a_list_gives_when_the_server_says_so(revision: str) -> None:
    days = ["monday"]
    config: ResourceConfig = {"read": lambda: "x", "list": lambda: [{"day": day} for day in days]}
    server = pico({"name": "s"}).resource("day:{day}", config)
    async with Client(server, revision=revision) as client, client.listen(resources=True) as heard:
        days.append("tuesday")
        server.notify_resources()
        assert (await anext(aiter(heard))).kind == "resources"
        assert len(await client.list_resources()) == 2


@pytest.mark.anyio
async def test_a_cursor_that_no_page_had() -> None:
    (code,) = re.findall(r"cursor that no page had is the error (-\d+)", PAGE.words)
    async with Client(pico({"name": "s"})) as client:
        with pytest.raises(McpError) as caught:
            await client.request("tools/list", {"cursor": "made up"})
    assert caught.value.code == int(code)
