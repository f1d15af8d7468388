"""What do a thousand clients that listen for changes cost, what does one that never reads, and what do long lists?

A server process over HTTP, raw sockets as clients. Printed: the time from publishing until the last of the listening
clients was told, and the server's CPU time for it; memory for each listener; memory after a client that never reads was
sent ever more; and how long 10,000 tools take to list, in pages of 100 and as one. Linux only.
"""

from __future__ import annotations

import json
import re
import selectors
import socket
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from rounds import cpu_seconds

HERE = Path(__file__).parent
LISTENERS, EVENTS, TOOLS, FLOOD = 1000, 20, 10_000, 200_000
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
WANTED = {"toolsListChanged": True, "resourceSubscriptions": ["test://thing"]}
TOLD = b"notifications/resources/updated"


class Process:
    def __init__(self) -> None:
        command = [sys.executable, str(HERE / "servers" / "changing.py"), str(TOOLS)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr
        found = re.search(r":(\d+)/mcp", self.process.stderr.readline())
        assert found
        self.port = int(found[1])

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port))

    def post(self, connection: socket.socket, method: str, params: dict[str, Any]) -> None:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
        body = json.dumps(message).encode()
        name = f"Mcp-Name: {params['name']}\r\n" if "name" in params else ""
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Method: {method}\r\n{name}"
            f"MCP-Protocol-Version: 2026-07-28\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        connection.sendall(head.encode() + body)

    def ask(self, connection: socket.socket, method: str, params: dict[str, Any]) -> Any:
        self.post(connection, method, params)
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(1 << 20)
        head, _, body = data.partition(b"\r\n\r\n")
        found = re.search(rb"(?i)content-length: (\d+)", head)
        assert found, head
        while len(body) < int(found[1]):
            body += connection.recv(1 << 20)
        return json.loads(body)["result"]

    def listen(self) -> socket.socket:
        connection = self.connect()
        self.post(connection, "subscriptions/listen", {"notifications": WANTED})
        data = b""
        while b"acknowledged" not in data:
            data += connection.recv(1 << 16)
        return connection

    def cpu(self) -> float:
        return cpu_seconds(self.process.pid)

    def memory(self) -> float:
        """Resident, in KB."""
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())
        assert found
        return float(found[1])


def told(listeners: list[socket.socket]) -> None:
    """Until each of them has been told once."""
    with selectors.DefaultSelector() as selector:
        for one in listeners:
            selector.register(one, selectors.EVENT_READ, bytearray())
        left = len(listeners)
        while left:
            for key, _ in selector.select():
                key.data.extend(key.fileobj.recv(1 << 16))  # type: ignore[union-attr]  # sockets only
                if TOLD in key.data:
                    assert key.data.count(TOLD) == 1, key.data
                    selector.unregister(key.fileobj)
                    left -= 1


def main() -> None:
    server = Process()
    caller = server.connect()
    call = {"name": "touch", "arguments": {"times": 1}}
    server.ask(caller, "tools/call", call)

    start, cpu, pages, seen, cursor = time.perf_counter(), server.cpu(), 0, 0, None
    while pages == 0 or cursor is not None:
        page = server.ask(caller, "tools/list", {"cursor": cursor} if cursor else {})
        pages, seen, cursor = pages + 1, seen + len(page["tools"]), page.get("nextCursor")
    print(f"{seen} tools in {pages} pages: {time.perf_counter() - start:.2f} s, CPU {server.cpu() - cpu:.2f} s")

    before = server.memory()
    listeners = [server.listen() for _ in range(LISTENERS)]
    print(f"{LISTENERS} listeners: {(server.memory() - before) / LISTENERS:.1f} KB each")
    walls, cpus = [], []
    for _ in range(EVENTS):
        start, cpu = time.perf_counter(), server.cpu()
        server.ask(caller, "tools/call", call)
        told(listeners)
        walls.append(time.perf_counter() - start)
        cpus.append(server.cpu() - cpu)
    print(
        f"one event to {LISTENERS} listeners: {median(walls) * 1e3:.0f} ms until the last was told, "
        f"{median(cpus) / LISTENERS * 1e6:.0f} us CPU for each"
    )
    for one in listeners:
        one.close()

    stuck = server.listen()
    server.ask(caller, "tools/call", {**call, "arguments": {"times": 10_000}})
    before = server.memory()
    for _ in range(FLOOD // 10_000):
        server.ask(caller, "tools/call", {**call, "arguments": {"times": 10_000}})
    print(f"one that never reads, after {FLOOD} events: {server.memory() - before:+.0f} KB")
    stuck.close()
    server.process.terminate()
    server.process.wait(20)


if __name__ == "__main__":
    main()
