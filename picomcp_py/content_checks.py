"""What each member of a content block must be (MCP 2026-07-28, ContentBlock and what it refers to).

`MEMBERS` is the table; a check takes a value and returns what is wrong with it, or None. Values are never echoed at
length: a block may hold megabytes.
"""

from __future__ import annotations

import binascii
import datetime
import re
from collections.abc import Callable
from typing import Any, TypeAlias

Check: TypeAlias = "Callable[[Any], str | None]"

_MIME = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(?:\s*;.*)?", re.ASCII)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x1f]*")
_URL = re.compile(r"(?:https?|ftp|file)://", re.IGNORECASE)
_ROLES = ("user", "assistant")
_WORDS: dict[type[Any], str] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    dict: "object",
    list: "array",
    tuple: "array",
    type(None): "null",
}


def received(value: Any) -> str:
    """The kind of a value in JSON's words; a type's own name if JSON has none."""
    return _WORDS.get(type(value)) or type(value).__name__


def is_string(value: Any) -> str | None:
    return None if isinstance(value, str) else f"expected string, received {received(value)}"


def is_base64(value: Any) -> str | None:
    """Bare base64 on one line, in the standard alphabet, padded (RFC 4648, section 4)."""
    if not isinstance(value, str):
        return f"expected bytes or a base64 string, received {received(value)}"
    if value[:5].lower() == "data:":
        return 'a data: URI, not base64: pass the bytes themselves, or only what follows "base64,"'
    if _URL.match(value):
        return "a URL, not base64: fetch it and pass the bytes, or send a link with link(uri, name)"
    if "\n" in value or "\r" in value:
        return "base64 wrapped over several lines: pass the bytes themselves, or use base64.b64encode"
    try:
        if len(value) % 4 or value.endswith("==="):  # strict_mode of Python 3.11 lets surplus padding pass
            raise ValueError
        binascii.a2b_base64(value, strict_mode=True)
    except ValueError:
        return "not valid base64: pass the bytes themselves, or a pathlib.Path for a file"
    return None


def is_mime(value: Any) -> str | None:
    if isinstance(value, str) and not _MIME.fullmatch(value):
        return f'"{value:.40}" is not a MIME type: write it in full, as in "image/png"'
    return is_string(value)


def is_uri(value: Any) -> str | None:
    if isinstance(value, str) and not _URI.fullmatch(value):
        return (
            f'"{value:.80}" is not an absolute URI: start it with a scheme, as in "file:///reports/q3.csv", '
            "and percent-encode spaces"
        )
    return is_string(value)


def is_size(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return "expected the size in bytes, a whole number >= 0"
    return None


def is_object(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"expected object, received {received(value)}"
    odd = next((key for key in value if not isinstance(key, str)), None)
    return None if odd is None else f"expected string keys, received {received(odd)}"


def is_icons(value: Any) -> str | None:
    if not isinstance(value, list | tuple):
        return f"expected array, received {received(value)}"
    for index, icon in enumerate(value):
        if not isinstance(icon, dict) or not isinstance(icon.get("src"), str):
            return f'icon {index} must be an object with a string "src"'
    return None


def is_annotations(value: Any) -> str | None:
    if fault := is_object(value):
        return fault
    audience = value.get("audience", [])
    if not isinstance(audience, list | tuple) or any(role not in _ROLES for role in audience):
        return 'audience must be an array of "user" and "assistant"'
    priority = value.get("priority", 0)
    if isinstance(priority, bool) or not isinstance(priority, int | float) or not 0 <= priority <= 1:
        return "priority must be a number from 0 to 1"
    if not isinstance(value.get("lastModified", ""), str | datetime.datetime):
        return 'lastModified must be an ISO 8601 string, as in "2026-01-12T15:00:58Z"'
    return None


_EVERYWHERE: dict[str, Check] = {"annotations": is_annotations, "_meta": is_object}
_CONTENTS: dict[str, Check] = {"mimeType": is_mime, "_meta": is_object}

# By the tag of a block: the members that it must have, and those that it may have.
REQUIRED: dict[str, dict[str, Check]] = {
    "text": {"text": is_string},
    "image": {"data": is_base64, "mimeType": is_mime},
    "audio": {"data": is_base64, "mimeType": is_mime},
    "resource_link": {"uri": is_uri, "name": is_string},
    "resource": {"resource": lambda value: None},  # a Struct or a dict of its own: content.py looks into it
}
OPTIONAL: dict[str, dict[str, Check]] = {
    "text": _EVERYWHERE,
    "image": _EVERYWHERE,
    "audio": _EVERYWHERE,
    "resource_link": {
        "title": is_string,
        "description": is_string,
        "mimeType": is_mime,
        "size": is_size,
        "icons": is_icons,
        **_EVERYWHERE,
    },
    "resource": _EVERYWHERE,
}
TEXT_CONTENTS: tuple[dict[str, Check], dict[str, Check]] = ({"uri": is_uri, "text": is_string}, _CONTENTS)
BLOB_CONTENTS: tuple[dict[str, Check], dict[str, Check]] = ({"uri": is_uri, "blob": is_base64}, _CONTENTS)
