"""One of several workers: a server over HTTP whose changes reach the others through Redis. Its argument is a URL."""

from __future__ import annotations

import sys
from typing import Any

from picomcp_py import pico
from picomcp_py.bus import RedisBus

server = pico({"name": "worker", "bus": RedisBus(sys.argv[1])})
server.resource("note://one", {"read": lambda: "1"})


@server.tool("change")
async def change(input: Any) -> None:
    server.notify_resource("note://one")
    server.tool("more", {"run": lambda: None})


server.serve({"port": 0})
