"""What a prompt's handler returned, as a prompts/get result (MCP 2026-07-28, GetPromptResult).

    str                                     one user message with that text
    a content block                         one user message with that block
    {"role": ..., "content": ...}           that message; `content` is a block, a string, or a list of them
    a list of these                         those messages, in order
    None, an empty list                     no message
    {"messages": [...], "description"?, "_meta"?}   the result as it is; `messages` is such a list

A message of the protocol holds one block: a list of blocks becomes several messages of that role. Nothing else is
changed or added. Whatever doesn't fit is a Refused that names the place: `messages[1].content.mimeType: ...`.

Non-goals: encoding (done once, with the whole reply), leaving out blocks that older revisions don't know.
"""

from __future__ import annotations

from typing import Any

from ..content import BLOCKS, Text
from ..content_checks import is_string, received
from .sendable import Refused, checked_meta, sendable

ROLES = ("user", "assistant")
RESULT_KEYS = ("messages", "description", "_meta")
MESSAGE_KEYS = ("role", "content")
_BY_THE_USER = (str, dict, *BLOCKS)
_EXPECTED = 'a string, a content block or {"role": ..., "content": ...}'


def to_messages(value: Any) -> dict[str, Any]:
    """The members of the result for what a handler returned; always a new dict. Raises Refused."""
    if isinstance(value, dict) and "messages" in value:
        return _whole(value)
    if value is None:
        return {"messages": []}
    return {"messages": _messages(value if isinstance(value, list | tuple) else (value,))}


def _whole(value: dict[Any, Any]) -> dict[str, Any]:
    """A result that is written out. None for an optional key means that it isn't there."""
    _refuse_others(value, RESULT_KEYS, "", "a result")
    messages, description, meta = value["messages"], value.get("description"), value.get("_meta")
    if not isinstance(messages, list | tuple):
        raise Refused(f"messages: expected array, received {received(messages)}")
    result: dict[str, Any] = {"messages": _messages(messages)}
    if description is not None:
        if fault := is_string(description):
            raise Refused(f"description: {fault}")
        result["description"] = description
    if meta is not None:
        result["_meta"] = checked_meta(meta)
    return result


def _messages(items: list[Any] | tuple[Any, ...]) -> list[dict[str, Any]]:
    return [message for index, item in enumerate(items) for message in _of_item(item, f"messages[{index}]")]


def _of_item(item: Any, where: str) -> list[dict[str, Any]]:
    if isinstance(item, dict) and ("role" in item or "type" not in item):
        if "role" in item or "content" in item:
            return _spoken(item, where)
        hint = ": return the whole result by itself, not in a list" if "messages" in item else ""
        raise Refused(f"{where}: expected {_EXPECTED}, received object{hint}")
    if isinstance(item, _BY_THE_USER):
        return [{"role": "user", "content": _block(item, f"{where}.content")}]
    raise Refused(f"{where}: expected {_EXPECTED}, received {received(item)}")


def _spoken(message: dict[Any, Any], where: str) -> list[dict[str, Any]]:
    """A message with a role: one for each block in it."""
    _refuse_others(message, MESSAGE_KEYS, f"{where}: ", "a message")
    role = message.get("role")
    if role not in ROLES:
        given = f'"{role:.40}"' if isinstance(role, str) else received(role) if "role" in message else "nothing"
        raise Refused(f'{where}.role: expected "user" or "assistant", received {given}')
    role = ROLES[ROLES.index(role)]
    content = message.get("content")
    if not isinstance(content, list | tuple):
        return [{"role": role, "content": _block(content, f"{where}.content")}]
    if not content:
        raise Refused(f"{where}.content: expected a content block, received an empty list: leave the message out")
    return [{"role": role, "content": _block(item, f"{where}.content[{i}]")} for i, item in enumerate(content)]


def _block(value: Any, where: str) -> Any:
    return Text(value) if isinstance(value, str) else sendable(value, where)


def _refuse_others(value: dict[Any, Any], known: tuple[str, ...], where: str, what: str) -> None:
    for key in value:
        if key not in known:
            raise Refused(f"{where}unknown key {str(key)!r:.60}: {what} has {', '.join(known)}")
