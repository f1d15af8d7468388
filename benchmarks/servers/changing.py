"""A server with many tools, and one that changes a resource so many times."""

from __future__ import annotations

import sys
from typing import Any

from msgspec import Struct

from picomcp_py import pico


class Times(Struct):
    times: int


server = pico({"name": "changing", "pageSize": 100})
server.resource("test://thing", {"read": lambda uri: "something"})


@server.tool("touch", {"input": Times})
async def touch(input: Times) -> None:
    for _ in range(input.times):
        server.notify_resource("test://thing")


async def nothing(input: Any) -> None:
    """What none of the many does."""


for i in range(int(sys.argv[1]) - 1):
    server.tool(f"tool_{i:05}", {"description": f"Tool number {i}", "run": nothing})
server.serve({"port": 0})
