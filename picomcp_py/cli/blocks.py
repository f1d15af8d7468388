"""Content blocks as text for people: binary data by its size only."""

from __future__ import annotations

from typing import Any


def block_text(block: dict[str, Any]) -> str:
    """A content block."""
    kind = block["type"]
    if kind == "text":
        return str(block["text"])
    if kind in ("image", "audio"):
        return f"[{kind}: {block.get('mimeType', '?')}, {size_of(block.get('data'))}]"
    if kind == "resource_link":
        return f"[link: {block.get('title') or block.get('name', '')} {block.get('uri', '')}]"
    if kind == "resource" and isinstance(block.get("resource"), dict):
        inner = block["resource"]
        if isinstance(inner.get("text"), str):
            return f"[resource: {inner.get('uri', '')}]\n{inner['text']}"
        return f"[resource: {inner.get('uri', '')}, {inner.get('mimeType', '?')}, {size_of(inner.get('blob'))}]"
    return f"[{kind}]"


def size_of(data: Any) -> str:
    """How much base64 text holds."""
    if not isinstance(data, str):
        return "? bytes"
    return f"{len(data) * 3 // 4 - data[-2:].count('=')} bytes"
