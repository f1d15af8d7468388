"""A stdio server with a tool of each kind, run as a program and used in memory: only the public API."""

from __future__ import annotations

import logging
import sys
from typing import Any

import anyio.lowlevel
from msgspec import Struct
from pydantic import BaseModel

from picomcp_py import Context, Server, pico


class StructInput(Struct):
    n: int = 0
    s: str = ""
    tags: list[str] = []


class ModelInput(BaseModel):
    n: int = 0
    s: str = ""
    tags: list[str] = []


DOCUMENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "n": {"type": "integer", "default": 0},
        "s": {"type": "string", "default": ""},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
    },
}


async def later(input: Any, ctx: Context) -> Any:
    await ctx.progress(1)
    await anyio.lowlevel.checkpoint()
    return ctx.meta


def fail(input: Any) -> None:
    raise ValueError(f"refused: {input}")


def make(backend: str = "asyncio") -> Server:
    server = pico({"name": "fuzzed", "version": "1", "backend": backend})
    for name, source in {"dict": DOCUMENT, "msgspec": StructInput, "pydantic": ModelInput}.items():
        server.tool(name, {"input": source, "run": lambda input: input, "thread": False})
    server.tool(
        "structured", {"input": StructInput, "output": StructInput, "run": lambda input: input, "thread": False}
    )
    server.tool("none", {"run": lambda: "ok", "thread": False})
    server.tool("raises", {"input": {"type": "object"}, "run": fail, "thread": False})
    server.tool("thread", {"input": {"type": "object"}, "run": lambda input: list(input)})
    server.tool("later", {"input": {"type": "object"}, "run": later})
    return server


if __name__ == "__main__":
    logging.getLogger("picomcp_py").setLevel(logging.CRITICAL + 1)  # a pipe that nobody reads would fill up
    make(sys.argv[1]).serve()
