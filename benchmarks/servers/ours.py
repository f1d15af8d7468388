"""The same two tools on picomcp_py, as a user would write them. With `http PORT` over HTTP, with the yardstick's
settings of uvicorn; `json` after it serves the handshake era without sessions.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

from msgspec import Meta, Struct

from picomcp_py import pico


class Add(Struct):
    a: int
    b: int


class Sum(Struct):
    sum: int


class Search(Struct):
    query: str
    limit: Annotated[int, Meta(ge=1, le=50)] = 10


class Row(Struct):
    id: int
    title: str
    url: str
    score: float


class Rows(Struct):
    query: str
    rows: list[Row]


ROWS = [Row(i, f"Result {i}", f"https://example.com/{i}", 1 - i / 64 - 0.001) for i in range(50)]
server = pico({"name": "bench"})


@server.tool("add", input=Add, output=Sum)
async def add(input: Add) -> Sum:
    return Sum(input.a + input.b)


@server.tool("search", input=Search, output=Rows)
async def search(input: Search, ctx: Any) -> Rows:
    return Rows(input.query, ROWS[: input.limit])


if sys.argv[1:2] == ["http"]:
    import uvicorn

    app = server.asgi({"sessions": sys.argv[3:] != ["json"]})
    uvicorn.run(app, port=int(sys.argv[2]), log_level="warning", access_log=False, lifespan="off", ws="none")
else:
    server.serve()
