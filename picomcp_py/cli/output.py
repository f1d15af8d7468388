"""Where output goes: results to stdout, what happens on the way and errors to stderr."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import Any, TextIO

from ..jsontext import encode_json
from .document import Document, visible
from .plain import render


def show(document: Document) -> None:
    """For people: in colour on a terminal if rich is installed, else as plain text with the same content."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb" and importlib.util.find_spec("rich") is not None:
        from .pretty import show as show_pretty

        show_pretty(document)
    else:
        sys.stdout.write(render(document))
    sys.stdout.flush()


def show_json(value: Any) -> None:
    """For programs: one line of JSON in UTF-8."""
    write(encode_json(value) + b"\n")


def write(data: bytes) -> None:
    """Bytes, exactly."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data.decode("utf-8", "replace"))
    else:
        sys.stdout.flush()
        buffer.write(data)
    sys.stdout.flush()


def tell(text: str) -> None:
    """A line on stderr."""
    print(visible(text), file=sys.stderr, flush=True)


def tell_log(level: str, data: Any, logger: str | None) -> None:
    """A log message of the server."""
    tell(f"{level}{f' {logger}' if logger else ''}: {data}")


def never_fail(stream: TextIO) -> None:
    """Print what the terminal's encoding lacks as an escape, rather than failing."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
