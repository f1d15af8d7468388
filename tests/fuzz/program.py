"""The fuzzed server as a program, fed in pieces and read at the same time, so that neither side waits for the other."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PATIENCE = 15.0
ROOT = Path(__file__).parents[2]


class Program:
    """A running server; `talk` gives the lines that came until they are `enough`."""

    def __init__(self, backend: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tests.fuzz.server", backend],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.stdin, False)
        self.rest = b""

    def talk(self, pieces: list[bytes], enough: Callable[[list[bytes]], bool]) -> list[bytes]:
        waiting, lines = list(pieces), []
        with selectors.DefaultSelector() as selector:
            selector.register(self.stdout, selectors.EVENT_READ)
            while True:
                if waiting and self.stdin not in selector.get_map():
                    selector.register(self.stdin, selectors.EVENT_WRITE)
                elif not waiting and self.stdin in selector.get_map():
                    selector.unregister(self.stdin)
                ready = selector.select(PATIENCE)
                assert ready, f"nothing came; before that: {lines!r:.1000}"
                for key, _ in ready:
                    if key.fd == self.stdin:
                        left = waiting[0][os.write(self.stdin, waiting[0]) :]
                        waiting[:1] = [left] if left else []
                        continue
                    chunk = os.read(self.stdout, 1 << 16)
                    assert chunk, f"the server has ended, after {lines!r:.1000}"
                    *whole, self.rest = (self.rest + chunk).split(b"\n")
                    lines += whole
                if not waiting and not self.rest and enough(lines):
                    return lines

    def end(self) -> tuple[int, bytes]:
        """Closes stdin; the exit code, and all that was written to stderr."""
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors
