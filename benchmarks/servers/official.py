"""The same two tools on the official SDK's high-level API."""

from __future__ import annotations

from typing import Annotated

from mcp.server import MCPServer
from pydantic import BaseModel, Field


class Sum(BaseModel):
    sum: int


class Row(BaseModel):
    id: int
    title: str
    url: str
    score: float


class Rows(BaseModel):
    query: str
    rows: list[Row]


ROWS = [Row(id=i, title=f"Result {i}", url=f"https://example.com/{i}", score=1 - i / 64 - 0.001) for i in range(50)]
server = MCPServer("bench")


@server.tool()
async def add(a: int, b: int) -> Sum:
    return Sum(sum=a + b)


@server.tool()
async def search(query: str, limit: Annotated[int, Field(ge=1, le=50)] = 10) -> Rows:
    return Rows(query=query, rows=ROWS[:limit])


server.run("stdio")
