"""An ASGI client in process: it sends what it is told, byte for byte, and checks that the answers keep ASGI's rules."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import anyio

from tests.peer import MODERN, envelope

Pairs = list[tuple[str, str]]

JSON = "application/json"
BOTH = "application/json, text/event-stream"


class Event:
    """A server-sent event, or a comment (`comment` set)."""

    def __init__(self, text: str) -> None:
        self.id: str | None = None
        self.retry: int | None = None
        self.data: str | None = None
        self.comment: str | None = None
        for line in text.split("\r\n"):
            name, _, value = line.partition(": ")
            if name == "":
                self.comment = value
            elif name in ("id", "data"):
                setattr(self, name, value)
            elif name == "retry":
                self.retry = int(value)
            else:
                assert line == "event: message", line

    @property
    def message(self) -> Any:
        assert self.data
        return json.loads(self.data)


class Exchange:
    """One HTTP exchange in progress."""

    def __init__(self, app: Any, scope: dict[str, Any], chunks: list[bytes]) -> None:
        self._app = app
        self._scope = scope
        self._chunks = chunks
        self._more = False  # the body never ends
        self._gone = anyio.Event()
        self._news = anyio.Event()
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.sent: list[bytes] = []
        self.received = 0
        self.told = False  # that its client has gone
        self.done = False

    async def run(self) -> None:
        await self._app(self._scope, self._receive, self._send)
        self.done = True
        self._news.set()

    async def _receive(self) -> dict[str, Any]:
        self.received += 1
        if self._chunks:
            return {"type": "http.request", "body": self._chunks.pop(0), "more_body": bool(self._chunks) or self._more}
        await self._gone.wait()
        self.told = True
        self._news.set()
        return {"type": "http.disconnect"}

    async def _send(self, event: dict[str, Any]) -> None:
        if event["type"] == "http.response.start":
            assert not self.status, "the response has started already"
            self.status = event["status"]
            pairs = [(name.decode(), value.decode()) for name, value in event["headers"]]
            self.headers = dict(pairs)
            assert len(pairs) == len(self.headers), f"a header twice: {pairs}"
        else:
            assert event["type"] == "http.response.body"
            assert self.status, "a body before the start"
            self.sent.append(event["body"])
            self.body += event["body"]
        self._news.set()
        self._news = anyio.Event()
        await anyio.lowlevel.checkpoint()

    def disconnect(self) -> None:
        self._gone.set()

    @property
    def json(self) -> Any:
        assert self.headers["content-type"] == JSON, self.headers
        assert self.headers["content-length"] == str(len(self.body))
        return json.loads(self.body)

    @property
    def events(self) -> list[Event]:
        """What has come of an event stream."""
        assert self.headers["content-type"] == "text/event-stream", (self.status, self.headers, self.body)
        return [Event(part) for part in self.body.decode().split("\r\n\r\n")[:-1]]

    @property
    def reply(self) -> Any:
        """The JSON-RPC reply, whichever way it came."""
        return self.json if self.headers.get("content-type") == JSON else self.events[-1].message

    async def until(self, found: Any, seconds: float = 20) -> None:
        """Until `found(self)` is true."""
        with anyio.fail_after(seconds):
            while not found(self):
                assert not self.done, f"it has ended: {self.status} {self.body!r}"
                await self._news.wait()

    async def until_events(self, count: int) -> list[Event]:
        await self.until(lambda one: one.status and len(one.events) >= count)
        return self.events


def scope_of(
    method: str, path: str, headers: Iterable[tuple[str, str]], root_path: str = "", http_version: str = "1.1"
) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": http_version,
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": root_path,
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }


def modern(
    method: str,
    params: dict[str, Any] | None = None,
    *,
    id: Any = 1,
    meta: dict[str, Any] | None = None,
    headers: dict[str, str | None] | None = None,
) -> dict[str, Any]:
    """The arguments of `ask` for a 2026-07-28 request with all its headers; None takes a header away."""
    params = {**(params or {}), "_meta": envelope(**(meta or {}))}
    usual = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if isinstance(name := params.get("name"), str):
        usual["Mcp-Name"] = name
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    return {"body": message, "headers": {**usual, **(headers or {})}}


def call(tool: str, arguments: Any = None, **more: Any) -> dict[str, Any]:
    """The arguments of `ask` for a 2026-07-28 tools/call."""
    params = {"name": tool, **({} if arguments is None else {"arguments": arguments})}
    return modern("tools/call", params, **more)


def request(method: str, params: dict[str, Any] | None = None, id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": params})}


def exchange(
    app: Any,
    body: Any = None,
    *,
    method: str = "POST",
    path: str = "/mcp",
    headers: dict[str, str | None] | Pairs | None = None,
    chunks: list[bytes] | None = None,
    root_path: str = "",
) -> Exchange:
    """An exchange that hasn't run. A body that isn't bytes is sent as JSON; header values of None are left out."""
    pairs: dict[str, str | None] = {"Host": "127.0.0.1:3000", "Accept": BOTH}
    if method == "POST":
        pairs["Content-Type"] = JSON
    extra: Pairs = []
    if isinstance(headers, list):
        extra = headers
    else:
        pairs |= headers or {}
    whole = [(name, value) for name, value in pairs.items() if value is not None] + extra
    if chunks is None:
        chunks = [body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()]
    return Exchange(app, scope_of(method, path, whole, root_path), chunks)


async def ask(app: Any, body: Any = None, **more: Any) -> Exchange:
    """A whole exchange."""
    one = exchange(app, body, **more)
    with anyio.fail_after(20):
        await one.run()
    return one


@asynccontextmanager
async def asking(app: Any, body: Any = None, **more: Any) -> AsyncIterator[Exchange]:
    """An exchange in progress; the client leaves at the end."""
    one = exchange(app, body, **more)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one.run)
        yield one
        one.disconnect()
        with anyio.fail_after(20):
            while not one.done:
                await one._news.wait()


class Client:
    """A client of the handshake era with a session."""

    def __init__(self, app: Any, id: str | None, revision: str) -> None:
        self.app = app
        self.id = id
        self.revision = revision

    def headers(self, **more: str | None) -> dict[str, str | None]:
        return {
            "Mcp-Session-Id": self.id,
            "MCP-Protocol-Version": self.revision if self.revision >= "2025-06-18" else None,
            **more,
        }

    async def ask(self, body: Any = None, *, headers: dict[str, str | None] | None = None, **more: Any) -> Exchange:
        return await ask(self.app, body, headers=self.headers(**(headers or {})), **more)

    def asking(self, body: Any = None, *, headers: dict[str, str | None] | None = None, **more: Any) -> Any:
        return asking(self.app, body, headers=self.headers(**(headers or {})), **more)

    async def call(self, tool: str, arguments: Any = None, id: Any = 1) -> Exchange:
        return await self.ask(tool_call(tool, arguments, id))


def tool_call(tool: str, arguments: Any = None, id: Any = 1, token: Any = None) -> dict[str, Any]:
    meta = {} if token is None else {"_meta": {"progressToken": token}}
    return request("tools/call", {"name": tool, "arguments": arguments or {}, **meta}, id)


def initialize(revision: str = "2025-11-25") -> dict[str, Any]:
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return request("initialize", params, "init")


async def connect(app: Any, revision: str = "2025-11-25") -> Client:
    """A client that has done its handshake."""
    opened = await ask(app, initialize(revision))
    assert opened.json["result"]["protocolVersion"] == revision
    client = Client(app, opened.headers.get("mcp-session-id"), revision)
    told = await client.ask({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (told.status, told.body) == (202, b"")
    return client
