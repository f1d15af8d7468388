"""Programs that serve over HTTP, for the time of a test."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


class Program:
    """A running program: its URL, and what it has said on stderr so far."""

    def __init__(self, words: tuple[str, ...], cwd: Path) -> None:
        self.process = subprocess.Popen(words, cwd=cwd, stderr=subprocess.PIPE, encoding="utf-8")
        self.said = ""
        self.url = ""
        self._told = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        self._told.wait()
        assert self.url, f"it ended before it told its URL: {self.said}"

    def _read(self) -> None:
        """To the end: a program whose stderr nobody reads stops when the pipe is full."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said += line
            if not self.url and (found := re.search(r"http://\S+", line)):
                self.url = found[0]
                self._told.set()
        self._told.set()

    def wait(self) -> int:
        """Its exit code, once it has ended by itself."""
        self._reader.join()
        return self.process.wait()


@contextmanager
def running(*words: str, cwd: Path = ROOT) -> Iterator[Program]:
    """Run a command that tells its URL on stderr; in the end it has ended."""
    program = Program(words, cwd)
    with program.process:
        try:
            yield program
        finally:
            program.process.kill()
            program.wait()


@contextmanager
def serving(*words: str, cwd: Path = ROOT) -> Iterator[str]:
    """Run `python words...`, give its URL, and end it with SIGTERM, as it should."""
    with running(sys.executable, *words, cwd=cwd) as program:
        yield program.url
        program.process.terminate()
        assert program.wait() in (128 + signal.SIGTERM, -signal.SIGTERM), program.said
        assert "Traceback" not in program.said, program.said


def our_server(path: Path, options: str = "") -> tuple[str, ...]:
    """The words that serve the `server` of a Python file of ours, with these keywords for `serve`."""
    code = (
        "import sys, importlib; sys.path.insert(0, sys.argv[1]); server = importlib.import_module(sys.argv[2]).server"
    )
    return "-c", f"{code}; server.serve(port=0, {options})", str(path.parent), path.stem
