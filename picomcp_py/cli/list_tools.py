"""`picomcp-py list TARGET`: what tools a server has."""

from __future__ import annotations

import argparse
from typing import Any

from .document import Document, Line, Table, line, visible
from .faults import OK
from .output import show, show_json, tell
from .schema_text import arguments_of
from .target import open_client

HINTS = {"readOnlyHint": "read-only", "destructiveHint": "destructive", "idempotentHint": "idempotent"}


async def list_tools(options: argparse.Namespace) -> int:
    async with open_client(options.target, options.command_words, options, on_log=_on_log) as client:
        tools = await client.list_tools()
        about = {"server": client.server_info, "revision": client.revision}
    if options.json:
        show_json({"tools": tools})
    else:
        show(document_of(tools, about))
    return OK


def document_of(tools: list[dict[str, Any]], about: dict[str, Any]) -> Document:
    server = about["server"]
    name = server.get("title") or server.get("name") or "The server"
    count = "no tools" if not tools else "1 tool" if len(tools) == 1 else f"{len(tools)} tools"
    document: Document = [
        line(f"{name} {server.get('version', '')}".rstrip() + f", {count} (protocol {about['revision']})", "note")
    ]
    for tool in tools:
        document += [line(), *_tool(tool)]
    return document


def _tool(tool: dict[str, Any]) -> Document:
    annotations = tool.get("annotations")
    if not isinstance(annotations, dict):
        annotations = {}
    title = tool.get("title") or annotations.get("title") or ""
    hints = ", ".join(text for key, text in HINTS.items() if annotations.get(key) is True)
    head = Line([(visible(str(tool.get("name", ""))), "name")])
    if title:
        head.spans.append((f"  {visible(str(title))}", ""))
    if hints:
        head.spans.append((f"  [{hints}]", "note"))
    parts: Document = [head]
    if isinstance(tool.get("description"), str):
        parts.append(line(tool["description"].strip(), indent=2))
    rows = arguments_of(tool.get("inputSchema"))
    if rows:
        rows = [[visible(cell) for cell in row] for row in rows]
        parts.append(Table(["argument", "type", "", "description"], rows, indent=2))
    return parts


def _on_log(level: str, data: Any, logger: str | None) -> None:
    tell(log_text(level, data, logger))


def log_text(level: str, data: Any, logger: str | None) -> str:
    """A log message of the server as a line."""
    return f"{level}{f' {logger}' if logger else ''}: {data}"
