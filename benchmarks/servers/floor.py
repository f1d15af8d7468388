"""The yardstick: the least a server can do for a valid reply to `add` and `search`. Not a library. On stdio with
asyncio; with `http PORT` as a bare ASGI application under uvicorn.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct


class Add(Struct):
    a: int
    b: int


class Search(Struct):
    query: str
    limit: Annotated[int, Meta(ge=1, le=50)] = 10


class Params(Struct, frozen=True):
    name: str = ""
    arguments: Raw = Raw(b"{}")


class Request(Struct):
    method: str
    id: int | str | None = None
    params: Params = Params()


class Text(Struct, tag="text"):
    text: str


class Result(Struct, rename="camel"):
    content: list[Text]
    structured_content: Raw
    result_type: str = "complete"


class Response(Struct):
    id: int | str
    result: Any
    jsonrpc: str = "2.0"


ROWS = [
    {"id": i, "title": f"Result {i}", "url": f"https://example.com/{i}", "score": 1 - i / 64 - 0.001} for i in range(50)
]
encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Request).decode
add = msgspec.json.Decoder(Add).decode
search = msgspec.json.Decoder(Search).decode


def answer(line: bytes) -> bytes:
    request = decode(line)
    if request.id is None:
        return b""
    if request.method == "initialize":
        info = {"name": "floor", "version": "0"}
        return encode(Response(request.id, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info}))
    if request.params.name == "add":
        numbers = add(request.params.arguments)
        value: Any = {"sum": numbers.a + numbers.b}
    else:
        wanted = search(request.params.arguments)
        value = {"query": wanted.query, "rows": ROWS[: wanted.limit]}
    structured = encode(value)
    return encode(Response(request.id, Result([Text(structured.decode())], Raw(structured))))


def write_all(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


async def main() -> None:
    done, rest = asyncio.Event(), b""

    def readable() -> None:
        nonlocal rest
        chunk = os.read(0, 1 << 16)
        if not chunk:
            done.set()
        *lines, rest = (rest + chunk).split(b"\n")
        if replies := [reply for line in lines if (reply := answer(line))]:
            write_all(b"\n".join([*replies, b""]))

    asyncio.get_running_loop().add_reader(0, readable)
    await done.wait()


async def app(scope: Any, receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        event = await receive()
        body += event["body"]
        more = event.get("more_body", False)
    reply = answer(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(reply))]
    await send({"type": "http.response.start", "status": 200 if reply else 202, "headers": headers})
    await send({"type": "http.response.body", "body": reply})


if sys.argv[1:2] == ["http"]:
    import uvicorn

    uvicorn.run(app, port=int(sys.argv[2]), log_level="warning", access_log=False, lifespan="off", ws="none")
else:
    asyncio.run(main())
