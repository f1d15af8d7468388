"""What a resource's `read` returned, as contents (MCP 2026-07-28, ReadResourceResult).

    str                                 text
    bytes, bytearray, memoryview        a blob
    pathlib.Path                        what is in the file, as `served` decides; no file is ResourceNotFound
    a PIL image                         a blob, as PNG unless the resource's type is another kind of image
    None                                ResourceNotFound
    {"contents": [...]}                 explicit contents; `_meta` may stand beside them, no other key
    {"uri": ..., "text" or "blob": ...} explicit contents
    resource(uri, data, ...)            explicit contents, what the helper holds; its `meta` is theirs
    a list with one of the last two     explicit contents, all of its items
    anything else                       its JSON as text

Explicit contents are checked, and nothing is added to them: no URI, no MIME type. Everything else gets the URI that
was read and the resource's MIME type; where it has none, text is text/plain, JSON application/json, and a blob what
its first bytes tell.

What can't be sent is `Refused`, with a text that begins with the place: `contents[1].blob: ...`. Contents are never
empty: to say that there is nothing, a handler returns None.

Non-goal: content blocks other than embedded resources, which are a tool's.
"""

from __future__ import annotations

from binascii import b2a_base64
from contextlib import suppress
from typing import Any

from msgspec import Struct

from ..content import BLOCKS, BlobContents, EmbeddedResource, TextContents, check_contents, image, is_block
from ..content_checks import received
from ..errors import ResourceNotFound
from ..jsontext import clean_text
from .mime import JSON, TEXT, by_magic, by_name, is_textual
from .result import CallResult
from .sendable import Refused, checked_meta, encoded_data

CONTENT_KEYS = {"uri", "mimeType", "text", "blob", "_meta"}
RESULT_KEYS = {"contents", "_meta"}
_CHECKED = {"uri", "mimeType", "text", "blob"}
_BYTES = bytes | bytearray | memoryview
_INNER = (dict, TextContents, BlobContents)
_LARGE = 1024 * 1024
_HINT = 'write {"uri": ..., "text": ...} or use resource(uri, data)'


class Served(Struct, frozen=True):
    """Contents that the library made itself, in a worker thread: they are checked no more."""

    contents: dict[str, Any]


def to_result(value: Any, uri: str, mime_type: str | None) -> dict[str, Any]:
    """The members of the resources/read result. Raises Refused, and ResourceNotFound for None."""
    if isinstance(value, dict) and _is_result(value):
        return _from_result_dict(value)
    return {"contents": _from(value, uri, mime_type)}


def to_contents(value: Any, uri: str, mime_type: str | None) -> list[dict[str, Any]]:
    """The contents alone. Raises as `to_result`."""
    contents: list[dict[str, Any]] = to_result(value, uri, mime_type)["contents"]
    return contents


def is_slow(value: Any) -> bool:
    """Whether converting the value is work for a worker thread: reading a file, or encoding an image or megabytes."""
    if isinstance(value, _BYTES):
        return len(value) > _LARGE
    return _is_path(value) or _is_picture(value)


def served(data: bytes, uri: str, mime_type: str | None, name: str) -> Served:
    """The bytes of the file `name`: text if its type is a text's, or tells nothing, and they are UTF-8; else a blob."""
    kind = mime_type or by_name(name)
    text = None
    if kind is None or is_textual(kind):
        with suppress(UnicodeDecodeError):
            text = data.decode()
        if kind is None and text is not None and "\0" in text:
            text = None
    if text is not None:
        return Served({"uri": uri, "mimeType": kind or TEXT, "text": text})
    return Served(_blob(data, uri, kind))


def _from(value: Any, uri: str, mime_type: str | None) -> list[dict[str, Any]]:
    if isinstance(value, Served):
        return [value.contents]
    if isinstance(value, str):
        return [{"uri": uri, "mimeType": mime_type or TEXT, "text": clean_text(str.__str__(value))}]
    if isinstance(value, _BYTES):
        return [_blob(value, uri, mime_type)]
    if value is None:
        raise ResourceNotFound(uri)
    if isinstance(value, list | tuple):
        if any(_is_contents(item) or type(item) in BLOCKS for item in value):
            return _explicit(value)
    elif _is_contents(value):
        return _explicit([value])
    elif isinstance(value, CallResult) or type(value) in BLOCKS:
        kind = "result(...)" if isinstance(value, CallResult) else f"a content block ({type(value).__name__})"
        raise Refused(f"{kind} is what a tool returns: return str, bytes or data, or use resource(uri, data)")
    elif _is_path(value):
        return [_file(value, uri, mime_type).contents]
    elif _is_picture(value):
        return [_picture(value, uri, mime_type)]
    return [{"uri": uri, "mimeType": mime_type or JSON, "text": _json(value)}]


def _is_path(value: Any) -> bool:
    return hasattr(value, "read_bytes") and hasattr(value, "suffix")  # without importing pathlib


def _is_picture(value: Any) -> bool:
    return callable(getattr(value, "save", None)) and hasattr(value, "mode")


def _file(path: Any, uri: str, mime_type: str | None) -> Served:
    from .files import NotServed, read_file

    try:
        return served(read_file(path), uri, mime_type, path.name)
    except NotServed:
        raise ResourceNotFound(uri) from None


def _blob(data: Any, uri: str, mime_type: str | None) -> dict[str, Any]:
    raw = bytes(data)  # the same object if it is bytes; a memoryview may have any shape
    return {"uri": uri, "mimeType": mime_type or by_magic(raw), "blob": b2a_base64(raw, newline=False).decode()}


def _picture(value: Any, uri: str, mime_type: str | None) -> dict[str, Any]:
    if mime_type is not None and not mime_type.startswith("image/"):
        raise Refused(f"an image, but the resource's mimeType is {mime_type}: leave it out, or return bytes")
    made = image(value, mime_type)
    return {"uri": uri, "mimeType": made.mimeType, "blob": made.data}


def _json(value: Any) -> str:
    try:
        return encoded_data(value).decode()
    except UnicodeDecodeError:
        raise Refused("a msgspec.Raw in it is not UTF-8") from None


# ---- explicit contents ----


def _is_contents(value: Any) -> bool:
    """Is this meant as contents? A dict is if it has a URI, text or a blob, and nothing foreign."""
    if isinstance(value, dict):
        if value.keys() <= CONTENT_KEYS:
            return "uri" in value and ("text" in value or "blob" in value)
        inner = value.get("resource")
        return value.get("type") == "resource" and is_block(value) and isinstance(inner, _INNER)
    return isinstance(value, EmbeddedResource | TextContents | BlobContents)


def _is_result(value: dict[Any, Any]) -> bool:
    items = value.get("contents")
    if not isinstance(items, list | tuple):
        return False
    if any(map(_is_contents, items)):
        return True
    return value.keys() <= RESULT_KEYS and all(isinstance(item, dict) and item.keys() & _CHECKED for item in items)


def _from_result_dict(value: dict[str, Any]) -> dict[str, Any]:
    foreign = next((key for key in value if key not in RESULT_KEYS), None)
    if foreign is not None:
        hint = ": set it on the resource" if foreign in ("ttlMs", "cacheScope") else ""
        raise Refused(f'unknown key "{foreign!s:.60}" beside contents{hint}')
    result: dict[str, Any] = {"contents": _explicit(value["contents"])}
    if value.get("_meta") is not None:
        result["_meta"] = checked_meta(value["_meta"])
    return result


def _explicit(items: Any) -> list[dict[str, Any]]:
    if not items:
        raise Refused("contents is empty: return None, or raise ResourceNotFound, for what isn't there")
    return [_checked(item, f"contents[{index}]") for index, item in enumerate(items)]


def _checked(item: Any, where: str) -> dict[str, Any]:
    """One item of explicit contents as a dict that is good and can be encoded."""
    if isinstance(item, Served):
        return item.contents
    if isinstance(item, EmbeddedResource) or (isinstance(item, dict) and item.get("type") == "resource"):
        return _inner(item, where)
    if isinstance(item, TextContents | BlobContents):
        return _plain(item, where)
    if not isinstance(item, dict):
        raise Refused(f"{where}: expected contents, received {received(item)}: {_HINT}")
    if item.get("uri") is None:
        raise Refused(f"{where}.uri: missing: nothing is added to explicit contents: {_HINT}")
    try:
        checked: dict[str, Any] = check_contents(item, where)
    except ValueError as error:
        raise Refused(str(error)) from None
    members = {key: member for key, member in checked.items() if member is not None}
    if "text" in members:
        members["text"] = clean_text(str.__str__(members["text"]))
    _check_free({key: member for key, member in members.items() if key not in _CHECKED}, where)
    return members


def _plain(item: TextContents | BlobContents, where: str) -> dict[str, Any]:
    form = {"text": clean_text(item.text)} if isinstance(item, TextContents) else {"blob": item.blob}
    made = {"uri": item.uri, "mimeType": item.mimeType, **form, "_meta": item.meta}
    _check_free({"_meta": item.meta}, where)
    return {key: member for key, member in made.items() if member is not None}


def _inner(block: Any, where: str) -> dict[str, Any]:
    """The contents in an embedded resource, with the block's `_meta` if they have none of their own."""
    if isinstance(block, EmbeddedResource):
        contents, annotations, meta = block.resource, block.annotations, block.meta
    else:
        contents, annotations, meta = block.get("resource"), block.get("annotations"), block.get("_meta")
    if annotations is not None:
        raise Refused(f"{where}.annotations: contents have none: set them on the resource, where lists show them")
    made = _checked(contents, f"{where}.resource" if isinstance(block, dict) else where)
    if meta is not None and "_meta" not in made:
        try:
            made = {**made, "_meta": checked_meta(meta)}
        except Refused as error:
            raise Refused(f"{where}.{error}") from error
    return made


def _check_free(members: dict[str, Any], where: str) -> None:
    """Refused for members of any type that can't be encoded."""
    if members:
        encoded_data(members, f"{where}.")
