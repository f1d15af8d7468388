"""A server on HTTP that behaves as a test says, well or badly: a function sends the bytes of each response."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream


class Request:
    """What came: `body` is the JSON of a POST, None for GET and DELETE."""

    def __init__(
        self, method: str, headers: dict[str, str], body: Any, send: Callable[[bytes], Awaitable[None]]
    ) -> None:
        self.send = send
        self.method = method
        self.headers = headers
        self.body = body

    @property
    def says(self) -> str:
        """The message's method, or the HTTP method of a request without one."""
        return self.body["method"] if self.body is not None else self.method


Answer = Callable[[Request], Awaitable[None]]
END = b"0\r\n\r\n"
"""Of a stream. Without it the connection has broken."""


class Script:
    """The running server: its URL, and the requests so far."""

    def __init__(self, answer: Answer) -> None:
        self.url = ""
        self.requests: list[Request] = []
        self._answer = answer

    @property
    def said(self) -> list[str]:
        return [request.says for request in self.requests]

    def of(self, says: str) -> list[Request]:
        return [request for request in self.requests if request.says == says]

    async def serve(self, stream: SocketStream) -> None:
        async with stream:
            buffered = BufferedByteReceiveStream(stream)
            head = (await buffered.receive_until(b"\r\n\r\n", 65536)).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            body = await buffered.receive_exactly(int(headers.get("content-length", 0)))
            request = Request(head[0].split(" ")[0], headers, json.loads(body) if body else None, stream.send)
            self.requests.append(request)
            await self._answer(request)


@asynccontextmanager
async def scripted(answer: Answer) -> AsyncIterator[Script]:
    """Serve on a free port while this is open."""
    script = Script(answer)

    async def serve(stream: SocketStream) -> None:
        # The client may go at any time, as some tests want it.
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.IncompleteRead):
            await script.serve(stream)

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener:
        script.url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/mcp"
        async with anyio.create_task_group() as group:
            group.start_soon(listener.serve, serve)
            yield script
            group.cancel_scope.cancel()


def response(status: int = 200, body: bytes | str = b"", kind: str = "application/json", **headers: str) -> bytes:
    """A whole response. Header names are written with underscores."""
    data = body.encode() if isinstance(body, str) else body
    headers = {"content-type": kind, "content-length": str(len(data)), "connection": "close", **headers}
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def reply(request: Request, result: Any = None, error: Any = None, status: int = 200, **headers: str) -> bytes:
    """A JSON response with the answer to the request."""
    return response(status, json.dumps(message(request, result, error)), **headers)


def message(request: Request, result: Any = None, error: Any = None) -> dict[str, Any]:
    outcome = {"result": result} if error is None else {"error": error}
    return {"jsonrpc": "2.0", "id": request.body["id"], **outcome}


def stream_head(**headers: str) -> bytes:
    """The beginning of a stream of events."""
    lines = ["HTTP/1.1 200 OK", "content-type: text/event-stream", "transfer-encoding: chunked", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def event(data: Any = None, *, id: str | None = None, retry: int | None = None, name: str | None = None) -> bytes:
    """One event in a chunk: a message, or empty data."""
    lines = [f"{key}: {value}" for key, value in (("id", id), ("retry", retry), ("event", name)) if value is not None]
    lines.append(f"data: {'' if data is None else json.dumps(data)}")
    text = "\n".join(lines).encode() + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(text), text)


DISCOVERED = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "ttlMs": 0,
    "cacheScope": "private",
}
INITIALIZED = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "old"}}
RESULT = {"content": [{"type": "text", "text": "done"}]}


def stateless(then: Answer) -> Answer:
    """A server of 2026-07-28: `then` answers what isn't server/discover."""

    async def answer(request: Request) -> None:
        if request.says == "server/discover":
            await request.send(reply(request, DISCOVERED))
        else:
            await then(request)

    return answer


def handshake(then: Answer, *, listen: Answer | None = None, **headers: str) -> Answer:
    """A server of 2025-11-25 with a session: `then` answers what follows, `listen` the GET that resumes nothing."""

    async def answer(request: Request) -> None:
        if request.says == "server/discover":
            await request.send(response(400, "Bad Request: no session", "text/plain"))
        elif request.says == "initialize":
            await request.send(reply(request, INITIALIZED, mcp_session_id="s-1", **headers))
        elif request.says.startswith("notifications/"):
            await request.send(response(202))
        elif request.says == "GET" and "last-event-id" not in request.headers:
            if listen is None:
                await request.send(response(405))
            else:
                await listen(request)
        elif request.says == "DELETE":
            await request.send(response(204))
        else:
            await then(request)

    return answer
