"""How much of a bare asyncio server's throughput is left over stdio, and what does a call cost beside the official SDK?

All servers run at once and idle but for the one measured, one after the other, again and again; ratios are taken inside
a round, and their medians printed. Each reply is read, and its size and id checked. Linux only: a server's CPU time is
read from /proc.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rounds import compare, cpu_seconds

HERE = Path(__file__).parent
ROUNDS, SECONDS = 7, 0.3
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALLS = {"add": {"a": 2, "b": 3}, "search": {"query": "streamable http", "limit": 20}}


class Server:
    """One server process that speaks one era."""

    def __init__(self, name: str, script: str, modern: bool) -> None:
        self.name, self.modern, self.next_id = name, modern, 1_000_000
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "servers" / script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.stdin = self.process.stdin
        self.w, self.r = self.stdin.fileno(), self.process.stdout.fileno()
        self.rest = b""
        if not modern:
            params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": META_INFO}
            self.exchange([self.message("initialize", params)])
            os.write(self.w, b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def message(self, method: str, params: dict[str, Any]) -> bytes:
        self.next_id += 1
        if self.modern:
            params = {**params, "_meta": META}
        return json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}).encode() + b"\n"

    def exchange(self, messages: list[bytes]) -> list[bytes]:
        os.write(self.w, b"".join(messages))
        replies: list[bytes] = []
        while len(replies) < len(messages):
            *lines, self.rest = (self.rest + os.read(self.r, 1 << 16)).split(b"\n")
            replies += [line for line in lines if b'"id"' in line]
        return replies

    def cpu(self) -> float:
        return cpu_seconds(self.process.pid)

    def measure(self, tool: str, window: int) -> tuple[float, float]:
        """Calls a second, and the server's CPU microseconds a call, with `window` calls in flight."""
        params = {"name": tool, "arguments": CALLS[tool]}
        size = len(self.exchange([self.message("tools/call", params)])[0])
        done, cpu, start = 0, self.cpu(), time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            for reply in self.exchange([self.message("tools/call", params) for _ in range(window)]):
                assert len(reply) == size, reply
            done += window
        wall = time.perf_counter() - start
        return done / wall, (self.cpu() - cpu) / done * 1e6

    def stop(self) -> None:
        self.stdin.close()
        self.process.wait(20)


META_INFO = META["io.modelcontextprotocol/clientInfo"]


def main() -> None:
    rows = [("floor", "floor.py"), ("ours", "ours.py")]
    if importlib.util.find_spec("mcp"):
        rows.append(("official", "official.py"))
    for modern in (False, True):
        servers = [Server(name, script, modern) for name, script in rows]
        print(f"\n{'2026-07-28' if modern else '2025-11-25'}: throughput of floor / CPU us a call (of floor's)")
        for tool in CALLS:
            for window in (1, 64):
                found = compare(servers, lambda s, tool=tool, window=window: s.measure(tool, window), ROUNDS)
                for name, (rate, cpu, times) in found.items():
                    print(f"  {tool:7} {window:2} in flight  {name:9} {rate:6.3f}  {cpu:8.1f} us  ({times:.1f} x)")
        for server in servers:
            server.stop()


if __name__ == "__main__":
    main()
