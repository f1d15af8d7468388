"""What requests give: of a tool, a resource, a prompt, a completion.

Read strictly as far as the conveniences here need it; the rest of a result is handed on as it was sent, in `raw`.
"""

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


class ReadResult(Struct, frozen=True, kw_only=True):
    """A ReadResourceResult (https://modelcontextprotocol.io/specification/2026-07-28/server/resources)."""

    contents: list[dict[str, Any]]
    """What the resource holds, as it was sent: each has `uri`, perhaps `mimeType`, and `text` or base64 in `blob`."""
    meta: dict[str, Any] = {}
    """`_meta`."""
    raw: dict[str, Any] = {}
    """The whole result, as it was sent."""

    @property
    def text(self) -> str:
        """The texts, joined by newlines; "" if there is none."""
        return "\n".join(part["text"] for part in self.contents if "text" in part)

    @property
    def data(self) -> bytes | None:
        """The bytes of the first blob; None if there is none. Raises BadAnswer for what is no base64."""
        blob = next((part["blob"] for part in self.contents if "blob" in part), None)
        return None if blob is None else decode_blob(blob)


class PromptResult(Struct, frozen=True, kw_only=True):
    """A GetPromptResult (https://modelcontextprotocol.io/specification/2026-07-28/server/prompts)."""

    messages: list[dict[str, Any]]
    """As they were sent: each has a `role`, "user" or "assistant", and one content block in `content`."""
    description: str | None = None
    meta: dict[str, Any] = {}
    """`_meta`."""
    raw: dict[str, Any] = {}
    """The whole result, as it was sent."""


class CompletionResult(Struct, frozen=True, kw_only=True):
    """The completion of a CompleteResult
    (https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion)."""

    values: list[str]
    """At most 100 of them, the best first."""
    total: int | None = None
    """How many there are in all; None if the server doesn't say."""
    has_more: bool = False
    """There are more than these."""


def read_tool_result(name: str, result: dict[str, Any]) -> ToolResult:
    """Raises BadAnswer for what is no CallToolResult."""
    content = result.get("content")
    if not isinstance(content, list):
        raise BadAnswer(f'The result of tool "{name}" has no "content" list')
    for index, block in enumerate(content):
        _check_block(block, f'The result of tool "{name}"', f"content[{index}]")
    return ToolResult(
        content=content,
        structured=result.get("structuredContent"),
        has_structured="structuredContent" in result,
        is_error=result.get("isError") is True,
        meta=_meta(result),
        raw=result,
    )


def read_resource_result(uri: str, result: dict[str, Any]) -> ReadResult:
    """Raises BadAnswer for what is no ReadResourceResult."""
    contents = result.get("contents")
    if not isinstance(contents, list):
        raise BadAnswer(f'The result of reading "{uri:.200}" has no "contents" list')
    for index, part in enumerate(contents):
        held = [part.get(key, "") for key in ("text", "blob") if key in part] if isinstance(part, dict) else []
        if not held or not all(isinstance(value, str) for value in held):
            raise BadAnswer(f'The result of reading "{uri:.200}" has neither text nor blob at contents[{index}]')
    return ReadResult(contents=contents, meta=_meta(result), raw=result)


def read_prompt_result(name: str, result: dict[str, Any]) -> PromptResult:
    """Raises BadAnswer for what is no GetPromptResult."""
    messages = result.get("messages")
    if not isinstance(messages, list):
        raise BadAnswer(f'The result of prompt "{name}" has no "messages" list')
    for index, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise BadAnswer(f'The result of prompt "{name}" has no message with a role at messages[{index}]')
        _check_block(message.get("content"), f'The result of prompt "{name}"', f"messages[{index}].content")
    description = result.get("description")
    return PromptResult(
        messages=messages,
        description=description if isinstance(description, str) else None,
        meta=_meta(result),
        raw=result,
    )


def read_completion(result: dict[str, Any]) -> CompletionResult:
    """Raises BadAnswer for what is no CompleteResult."""
    completion = result.get("completion")
    values = completion.get("values") if isinstance(completion, dict) else None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise BadAnswer("The answer to completion/complete has no list of strings in completion.values")
    total = completion.get("total")  # type: ignore[union-attr]  # it has values
    return CompletionResult(
        values=values,
        total=total if isinstance(total, int) and not isinstance(total, bool) else None,
        has_more=completion.get("hasMore") is True,  # type: ignore[union-attr]
    )


def decode_blob(blob: str) -> bytes:
    """The bytes of base64 (RFC 4648, section 4). Raises BadAnswer."""
    import base64

    try:
        return base64.b64decode(blob, validate=True)
    except ValueError as error:
        raise BadAnswer(f"The blob of a resource is not base64: {error}") from None


def _check_block(block: Any, whose: str, where: str) -> None:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        raise BadAnswer(f"{whose} has no content block at {where}")
    if block["type"] == "text" and not isinstance(block.get("text"), str):
        raise BadAnswer(f"{whose} has a text block without text at {where}")


def _meta(result: dict[str, Any]) -> dict[str, Any]:
    meta = result.get("_meta")
    return meta if isinstance(meta, dict) else {}
