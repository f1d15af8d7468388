"""Two workers and their clients: what changes in one reaches a client that listens on the other, in both eras."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
import redis

from picomcp_py.client import Client
from tests.serving import running

from .parts import RedisServer, until

pytestmark = pytest.mark.anyio
WORKER = os.fspath(Path(__file__).with_name("serving.py"))


def subscribers(server: RedisServer) -> int:
    with redis.Redis.from_url(server.url) as connection:
        counts: Any = connection.pubsub_numsub("picomcp")
        return int(dict(counts)[b"picomcp"])


async def told(changes: Any) -> set[tuple[str, str]]:
    """What is told, up to the change of the list of tools, which comes last."""
    found: set[tuple[str, str]] = set()
    async for change in changes:
        found.add((change.kind, change.uri))
        if change.kind == "tools":
            break
    return found


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_a_client_hears_of_what_another_worker_did(redis_server: RedisServer, revision: str) -> None:
    command = (sys.executable, WORKER, redis_server.url)
    with running(*command) as here, running(*command) as there, anyio.fail_after(50):
        async with Client(here.url, revision=revision) as client, Client(there.url) as other:
            await anyio.to_thread.run_sync(until, lambda: subscribers(redis_server) == 2)  # else all counts as changed
            async with client.listen(tools=True, uris=["note://one"]) as changes:
                await other.call_tool("change")
                assert await told(changes) == {("resource", "note://one"), ("tools", "")}
