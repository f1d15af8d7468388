"""How much of a bare ASGI application's throughput is left over HTTP, with 16 connections under the same uvicorn?

All servers run at once and idle but for the one measured, one after the other, again and again; ratios are taken inside
a round, and their medians printed. Each reply is read, and its size checked. Linux only: a server's CPU time is read
from /proc.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rounds import compare, cpu_seconds

HERE = Path(__file__).parent
ROUNDS, SECONDS, CONNECTIONS = 7, 0.4, 16
INFO = {"name": "bench", "version": "1"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": INFO,
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALLS = {"add": {"a": 2, "b": 3}, "search": {"query": "streamable http", "limit": 20}}
TARGETS = {  # name -> script, its arguments, era
    "floor": ("floor.py", [], "2026-07-28"),
    "2026-07-28": ("ours.py", [], "2026-07-28"),
    "2025-11-25 without sessions": ("ours.py", ["json"], "2025-11-25"),
    "2025-11-25 with sessions": ("ours.py", [], "2025-11-25"),
}


class Connection:
    """A keep-alive connection: bytes out, a whole response in."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def response(self) -> tuple[bytes, bytes]:
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._read()
        head, _, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *([0-9]+)", head)
        while length and len(body) < int(length[1]):
            body += self._read()
        return head, body

    def _read(self) -> bytes:
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the server has closed the connection")
        return data


class Server:
    """One server process, spoken to in one era."""

    def __init__(self, name: str, script: str, arguments: list[str], era: str) -> None:
        self.name, self.era = name, era
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        command = [sys.executable, str(HERE / "servers" / script), "http", str(self.port), *arguments]
        self.process = subprocess.Popen(command)
        self.extra = f"MCP-Protocol-Version: {era}\r\n"
        while True:
            try:
                self.connections = [Connection(self.port) for _ in range(CONNECTIONS)]
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        if era != "2026-07-28":
            params = {"protocolVersion": era, "capabilities": {}, "clientInfo": INFO}
            head, _ = self.ask(self.message("initialize", params))
            if found := re.search(rb"(?i)mcp-session-id: *([!-~]+)", head):
                self.extra += f"Mcp-Session-Id: {found[1].decode()}\r\n"
            self.ask(self.request(b'{"jsonrpc":"2.0","method":"notifications/initialized"}'))

    def message(self, method: str, params: dict[str, Any]) -> bytes:
        extra = ""
        if self.era == "2026-07-28":
            params = {**params, "_meta": META}
            extra = f"Mcp-Method: {method}\r\nMcp-Name: {params['name']}\r\n"
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return self.request(json.dumps(message, separators=(",", ":")).encode(), extra)

    def request(self, body: bytes, extra: str = "") -> bytes:
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n{self.extra}{extra}Content-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def ask(self, request: bytes) -> tuple[bytes, bytes]:
        self.connections[0].send(request)
        return self.connections[0].response()

    def cpu(self) -> float:
        return cpu_seconds(self.process.pid)

    def measure(self, tool: str) -> tuple[float, float]:
        """Calls a second, and the server's CPU microseconds a call. Each connection has an id of its own."""
        requests = [
            self.message("tools/call", {"name": tool, "arguments": CALLS[tool]}).replace(
                b'"id":1', b'"id":%d' % (10 + i)
            )
            for i in range(CONNECTIONS)
        ]
        requests = [re.sub(rb"Content-Length: [0-9]+", b"Content-Length: %d" % len(_body(r)), r) for r in requests]
        size = len(self.ask(requests[0])[1])
        done, cpu, start = 0, self.cpu(), time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            for connection, request in zip(self.connections, requests, strict=True):
                connection.send(request)
            for connection in self.connections:
                _, body = connection.response()
                assert len(body) == size, body
            done += CONNECTIONS
        wall = time.perf_counter() - start
        return done / wall, (self.cpu() - cpu) / done * 1e6

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


def _body(request: bytes) -> bytes:
    return request.partition(b"\r\n\r\n")[2]


def main() -> None:
    servers = [Server(name, *rest) for name, rest in TARGETS.items()]
    print(f"{CONNECTIONS} connections: throughput of floor / CPU us a call (of floor's)")
    for tool in CALLS:
        found = compare(servers, lambda server, tool=tool: server.measure(tool), ROUNDS)
        for name, (rate, cpu, times) in found.items():
            print(f"  {tool:7} {name:28} {rate:6.3f}  {cpu:8.1f} us  ({times:.1f} x)")
    for server in servers:
        server.stop()


if __name__ == "__main__":
    main()
