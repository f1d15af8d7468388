"""`picomcp-py call TARGET TOOL [JSON]`: call one tool and print its result."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from ..client import ToolResult
from ..jsontext import decode_json
from .document import Document, line
from .faults import OK, TOOL_ERROR, Fault
from .list_tools import log_text
from .output import show, show_json, tell
from .target import open_client

STDIN = "-"


async def call(options: argparse.Namespace) -> int:
    target, tool, text = split_words(options.words, bool(options.command_words))
    arguments = read_arguments(text, options.arg)
    async with open_client(target, options.command_words, options, on_log=_on_log) as client:
        result = await client.call_tool(tool, arguments, on_progress=_on_progress)
    if options.json:
        show_json(result.raw)
    else:
        if result.is_error:
            tell(f"{tool} reports an error:")
        show(document_of(result))
    return TOOL_ERROR if result.is_error else OK


def split_words(words: list[str], has_command: bool) -> tuple[str | None, str, str | None]:
    """Target, tool and JSON text; the target is None when a command after `--` takes its place."""
    rest = list(words)
    target = None if has_command else rest.pop(0)
    if not rest:
        raise Fault("say which tool to call: picomcp-py call FILE TOOL [JSON], or call TOOL [JSON] -- COMMAND")
    tool, *rest = rest
    if len(rest) > 1:
        raise Fault(f"too many words after the tool: {' '.join(rest[1:])[:100]!r}. Put the JSON into quotes")
    return target, tool, rest[0] if rest else None


def read_arguments(text: str | None, pairs: list[str]) -> dict[str, Any]:
    """The call's arguments from JSON text (`-`: from stdin), with those of `--arg key=value` added as strings."""
    if text == STDIN:
        text = sys.stdin.read()
    arguments = {} if text is None else _read_object(text)
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise Fault(f"--arg {pair!r} is not key=value")
        arguments[key] = value
    return arguments


def _read_object(text: str) -> dict[str, Any]:
    try:
        value = decode_json(text.encode("utf-8", "surrogateescape"))
    except ValueError as error:
        raise Fault(f"the arguments are not JSON: {error}. Given: {text[:100]!r}") from None
    if not isinstance(value, dict):
        raise Fault(f'the arguments must be a JSON object such as {{"city": "Lyon"}}, not {text[:100]!r}')
    return value


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


def block_text(block: dict[str, Any]) -> str:
    """A content block as text: binary data by its size only."""
    kind = block["type"]
    if kind == "text":
        return str(block["text"])
    if kind in ("image", "audio"):
        return f"[{kind}: {block.get('mimeType', '?')}, {_size(block.get('data'))}]"
    if kind == "resource_link":
        return f"[link: {block.get('title') or block.get('name', '')} {block.get('uri', '')}]"
    if kind == "resource" and isinstance(block.get("resource"), dict):
        inner = block["resource"]
        if isinstance(inner.get("text"), str):
            return f"[resource: {inner.get('uri', '')}]\n{inner['text']}"
        return f"[resource: {inner.get('uri', '')}, {inner.get('mimeType', '?')}, {_size(inner.get('blob'))}]"
    return f"[{kind}]"


def _size(data: Any) -> str:
    if not isinstance(data, str):
        return "? bytes"
    return f"{len(data) * 3 // 4 - data[-2:].count('=')} bytes"


def _is_copy(text: str, structured: Any) -> bool:
    try:
        return bool(json.loads(text) == structured)
    except (ValueError, RecursionError):
        return False


def _indented(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _on_progress(progress: float, total: float | None, message: str | None) -> None:
    tell(f"progress {progress}{'' if total is None else f'/{total}'}{'' if message is None else f' {message}'}")


def _on_log(level: str, data: Any, logger: str | None) -> None:
    tell(log_text(level, data, logger))
