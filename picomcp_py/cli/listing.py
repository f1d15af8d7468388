"""`picomcp-py list TARGET`: what a server has: tools, resources, templates of resources, prompts."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from .document import Document, Line, Table, line, visible
from .faults import OK
from .output import show, show_json, tell_log
from .schema_text import arguments_of
from .target import open_client

HINTS = {"readOnlyHint": "read-only", "destructiveHint": "destructive", "idempotentHint": "idempotent"}


async def list_all(options: argparse.Namespace) -> int:
    async with open_client(options.target, options.command_words, options, on_log=tell_log) as client:
        found = {
            "tools": await client.list_tools(),
            "resources": await client.list_resources(),
            "resourceTemplates": await client.list_resource_templates(),
            "prompts": await client.list_prompts(),
        }
        about = {"server": client.server_info, "revision": client.revision}
    if options.json:
        show_json(found)
    else:
        show(document_of(found, about))
    return OK


def document_of(found: dict[str, list[dict[str, Any]]], about: dict[str, Any]) -> Document:
    """What was found; with headings if it isn't tools only."""
    server = about["server"]
    name = server.get("title") or server.get("name") or "The server"
    counts = [f"{len(found[key])} {one if len(found[key]) == 1 else many}" for key, one, many, _ in KINDS if found[key]]
    text = f"{name} {server.get('version', '')}".rstrip()
    document: Document = [line(f"{text}, {', '.join(counts) or 'no tools'} (protocol {about['revision']})", "note")]
    headed = any(found[key] for key, *_ in KINDS if key != "tools")
    for key, _, many, show_one in KINDS:
        if found[key] and headed:
            document += [line(), line(f"{many[0].upper()}{many[1:]}:", "note")]
        for entry in found[key]:
            document += [line(), *show_one(entry)]
    return document


def _tool(tool: dict[str, Any]) -> Document:
    annotations = tool.get("annotations")
    if not isinstance(annotations, dict):
        annotations = {}
    title = tool.get("title") or annotations.get("title") or ""
    hints = ", ".join(text for key, text in HINTS.items() if annotations.get(key) is True)
    parts = _entry(tool.get("name"), title, hints, tool)
    rows = arguments_of(tool.get("inputSchema"))
    return [*parts, *_table(["argument", "type", "", "description"], rows)]


def _resource(resource: dict[str, Any]) -> Document:
    size = resource.get("size")
    notes = [str(resource.get("mimeType") or ""), f"{size} bytes" if size is not None else ""]
    uri = resource.get("uri") or resource.get("uriTemplate")
    return _entry(uri, resource.get("title") or resource.get("name"), ", ".join(filter(None, notes)), resource)


def _prompt(prompt: dict[str, Any]) -> Document:
    arguments = prompt.get("arguments")
    rows = [
        [str(one.get("name", "")), "required" if one.get("required") is True else "", str(one.get("description") or "")]
        for one in (arguments if isinstance(arguments, list) else [])
        if isinstance(one, dict)
    ]
    parts = _entry(prompt.get("name"), prompt.get("title"), "", prompt)
    return [*parts, *_table(["argument", "", "description"], rows)]


def _entry(name: Any, title: Any, notes: str, entry: dict[str, Any]) -> Document:
    """A line with what is needed to ask for it, its title and notes; then its description."""
    head = Line([(visible(str(name or "")), "name")])
    if title:
        head.spans.append((f"  {visible(str(title))}", ""))
    if notes:
        head.spans.append((f"  [{visible(notes)}]", "note"))
    parts: Document = [head]
    if isinstance(entry.get("description"), str):
        parts.append(line(entry["description"].strip(), indent=2))
    return parts


def _table(header: list[str], rows: list[list[str]]) -> Document:
    return [Table(header, [[visible(cell) for cell in row] for row in rows], indent=2)] if rows else []


KINDS: list[tuple[str, str, str, Callable[[dict[str, Any]], Document]]] = [
    ("tools", "tool", "tools", _tool),
    ("resources", "resource", "resources", _resource),
    ("resourceTemplates", "resource template", "resource templates", _resource),
    ("prompts", "prompt", "prompts", _prompt),
]
"""The member of the output, one of them, several of them, how one is shown."""
