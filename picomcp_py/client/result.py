"""What a tool call gives."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from .errors import BadAnswer


class ToolResult(Struct, frozen=True, kw_only=True):
    """A CallToolResult (https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result)."""

    content: list[dict[str, Any]]
    """The content blocks, as they were sent."""
    structured: Any = None
    """`structuredContent`; None when there is none, see `has_structured`."""
    has_structured: bool = False
    """Tells a structuredContent of null from none at all."""
    is_error: bool = False
    """The tool failed, and `text` says why. It isn't raised: such an error is meant for the model to read."""
    meta: dict[str, Any] = {}
    """`_meta`."""
    raw: dict[str, Any] = {}
    """The whole result, as it was sent."""

    @property
    def text(self) -> str:
        """The text blocks, joined by newlines."""
        return "\n".join(block["text"] for block in self.content if block["type"] == "text")


def read_tool_result(name: str, result: dict[str, Any]) -> ToolResult:
    """Raises BadAnswer for what is no CallToolResult."""
    content = result.get("content")
    if not isinstance(content, list):
        raise BadAnswer(f'The result of tool "{name}" has no "content" list')
    for index, block in enumerate(content):
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            raise BadAnswer(f'The result of tool "{name}" has no content block at content[{index}]')
        if block["type"] == "text" and not isinstance(block.get("text"), str):
            raise BadAnswer(f'The result of tool "{name}" has a text block without text at content[{index}]')
    meta = result.get("_meta")
    return ToolResult(
        content=content,
        structured=result.get("structuredContent"),
        has_structured="structuredContent" in result,
        is_error=result.get("isError") is True,
        meta=meta if isinstance(meta, dict) else {},
        raw=result,
    )
