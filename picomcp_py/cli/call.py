"""`picomcp-py call TARGET TOOL [JSON]`: call one tool and print its result."""

from __future__ import annotations

import argparse
import json
from typing import Any

from ..client import ToolResult
from .blocks import block_text
from .document import Document, line
from .faults import OK, TOOL_ERROR
from .output import show, show_json, tell, tell_log
from .target import open_client
from .words import json_word, read_arguments, split_words


async def call(options: argparse.Namespace) -> int:
    target, tool, rest = split_words("call", options.words, bool(options.command_words))
    arguments = read_arguments(json_word(rest, "tool"), options.arg)
    async with open_client(target, options.command_words, options, on_log=tell_log) as client:
        result = await client.call_tool(tool, arguments, on_progress=_on_progress)
    if options.json:
        show_json(result.raw)
    else:
        if result.is_error:
            tell(f"{tool} reports an error:")
        show(document_of(result))
    return TOOL_ERROR if result.is_error else OK


def document_of(result: ToolResult) -> Document:
    """The blocks; structured content once, indented, in the place of its copy as text."""
    document: Document = []
    copied = False
    for block in result.content:
        if result.has_structured and block["type"] == "text" and _is_copy(block["text"], result.structured):
            copied = True
            document.append(line(_indented(result.structured)))
        else:
            document.append(line(block_text(block), "bad" if result.is_error and block["type"] == "text" else ""))
    if result.has_structured and not copied:
        document.append(line(_indented(result.structured)))
    return document


def _is_copy(text: str, structured: Any) -> bool:
    try:
        return bool(json.loads(text) == structured)
    except (ValueError, RecursionError):
        return False


def _indented(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _on_progress(progress: float, total: float | None, message: str | None) -> None:
    tell(f"progress {progress}{'' if total is None else f'/{total}'}{'' if message is None else f' {message}'}")
