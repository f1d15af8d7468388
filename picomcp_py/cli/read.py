"""`picomcp-py read TARGET URI`: what a resource holds, to stdout.

A pipe or a file gets it exactly, as `cat` does. A terminal gets text that can't steer it, and of bytes only how many.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..client import ReadResult
from ..client.result import decode_blob
from .blocks import size_of
from .document import Document, line
from .faults import OK, Fault
from .output import show, show_json, tell, tell_log, write
from .target import open_client
from .words import split_words


async def read(options: argparse.Namespace) -> int:
    target, uri, rest = split_words("read", options.words, bool(options.command_words))
    if rest:
        raise Fault(f"too many words after the URI: {' '.join(rest)[:100]!r}")
    async with open_client(target, options.command_words, options, on_log=tell_log) as client:
        result = await client.read_resource(uri)
    if options.json:
        show_json(result.raw)
    elif not result.contents:
        tell(f"{uri} holds nothing")
    elif sys.stdout.isatty():
        show(document_of(result))
    else:
        write(b"".join([bytes_of(part) for part in result.contents]))
    return OK


def bytes_of(part: dict[str, Any]) -> bytes:
    """Text in UTF-8. A lone surrogate, which UTF-8 has no bytes for, becomes a question mark."""
    return part["text"].encode("utf-8", "replace") if "text" in part else decode_blob(part["blob"])


def document_of(result: ReadResult) -> Document:
    return [
        line(part["text"].removesuffix("\n").removesuffix("\r"))
        if "text" in part
        else line(f"[{part.get('mimeType', '?')}, {size_of(part['blob'])}: send it to a file or a program]", "note")
        for part in result.contents
    ]
