"""Content blocks: what a tool says besides plain text (MCP 2026-07-28, server/tools#tool-result).

- Five Structs in the shapes of the wire: Text, Image, Audio, ResourceLink, EmbeddedResource. They are frozen and
  checked when made, so one that exists is a good one. A member that is None is left out, never sent as null.
- Five helpers that make them: `text`, `image`, `audio`, `link`, `resource`.
- `check_block` does the same for a block written as a dict, which stays a dict with all its keys.

What is wrong is a ValueError or TypeError that says which member and what to pass instead: raised in a handler, its
text is what the model and the developer read. Non-goals: fetching URLs, converting images, guessing what is base64.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import force_setattr

from .content_checks import BLOB_CONTENTS, OPTIONAL, REQUIRED, TEXT_CONTENTS, Check, received
from .jsontext import clean_text

if TYPE_CHECKING:
    from pathlib import Path

Options: TypeAlias = Mapping[str, Any]
"""Members of a block in the wire's spelling: `{"mimeType": "text/csv", "annotations": {"priority": 1}}`."""


class _Checked(Struct, frozen=True, omit_defaults=True):
    """A Struct whose members are checked against a pair of tables: must have, may have."""

    def __post_init__(self) -> None:
        what, required, optional = _tables(type(self))
        for name in required:
            if fault := required[name](getattr(self, name)):
                raise ValueError(f"{what}.{name}: {fault}")
        for name in optional:
            value = getattr(self, "meta" if name == "_meta" else name)
            if value is not None and (fault := optional[name](value)):
                raise ValueError(f"{what}.{name}: {fault}")


class Text(Struct, frozen=True, omit_defaults=True, tag_field="type", tag="text"):
    """A text block. Lone surrogates in the text become U+FFFD."""

    text: str
    annotations: dict[str, Any] | None = None
    meta: dict[str, Any] | None = field(default=None, name="_meta")

    def __post_init__(self) -> None:
        if type(self.text) is not str:
            if not isinstance(self.text, str):
                raise TypeError(f"text: expected string, received {received(self.text)}: pass str(value)")
            force_setattr(self, "text", str.__str__(self.text))
        if not self.text.isascii():
            force_setattr(self, "text", clean_text(self.text))
        if self.annotations is not None or self.meta is not None:
            _Checked.__post_init__(self)  # type: ignore[arg-type]  # reads only the members that both have


class Image(_Checked, frozen=True, omit_defaults=True, tag_field="type", tag="image"):
    """An image block; `data` is base64."""

    data: str
    mimeType: str
    annotations: dict[str, Any] | None = None
    meta: dict[str, Any] | None = field(default=None, name="_meta")


class Audio(_Checked, frozen=True, omit_defaults=True, tag_field="type", tag="audio"):
    """An audio block; `data` is base64."""

    data: str
    mimeType: str
    annotations: dict[str, Any] | None = None
    meta: dict[str, Any] | None = field(default=None, name="_meta")


class ResourceLink(_Checked, frozen=True, omit_defaults=True, tag_field="type", tag="resource_link"):
    """A link to something that the client can read; `size` is in bytes."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mimeType: str | None = None
    size: int | None = None
    icons: list[dict[str, Any]] | None = None
    annotations: dict[str, Any] | None = None
    meta: dict[str, Any] | None = field(default=None, name="_meta")


class TextContents(_Checked, frozen=True, omit_defaults=True):
    """A resource's text."""

    uri: str
    text: str
    mimeType: str | None = None
    meta: dict[str, Any] | None = field(default=None, name="_meta")


class BlobContents(_Checked, frozen=True, omit_defaults=True):
    """A resource's bytes; `blob` is base64."""

    uri: str
    blob: str
    mimeType: str | None = None
    meta: dict[str, Any] | None = field(default=None, name="_meta")


class EmbeddedResource(_Checked, frozen=True, omit_defaults=True, tag_field="type", tag="resource"):
    """A resource with its contents."""

    resource: TextContents | BlobContents
    annotations: dict[str, Any] | None = None
    meta: dict[str, Any] | None = field(default=None, name="_meta")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.resource, TextContents | BlobContents):
            raise TypeError(f"resource: expected TextContents or BlobContents, received {received(self.resource)}")


Block: TypeAlias = Text | Image | Audio | ResourceLink | EmbeddedResource
BLOCKS = frozenset({Text, Image, Audio, ResourceLink, EmbeddedResource})
KINDS = ", ".join(REQUIRED)


def _tables(struct: type[Struct]) -> tuple[str, dict[str, Check], dict[str, Check]]:
    if struct is TextContents or struct is BlobContents:
        return ("resource", *(TEXT_CONTENTS if struct is TextContents else BLOB_CONTENTS))
    tag = str(struct.__struct_config__.tag)
    return tag, REQUIRED[tag], OPTIONAL[tag]


# ---- helpers ----


def text(
    text: str,
    options: Options | None = None,
    *,
    annotations: Mapping[str, Any] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Text:
    """A text block."""
    return Text(text, **_options("text", options, annotations=annotations, meta=meta))


def image(
    data: bytes | bytearray | memoryview | str | Path | Any,
    mime_type: str | None = None,
    options: Options | None = None,
    *,
    annotations: Mapping[str, Any] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Image:
    """An image block from bytes, bare base64, a file's path, or a PIL image (as PNG unless the type says otherwise).

    `mime_type` may be left out for a path, whose suffix tells, and for a PIL image. Reading a path blocks.
    """
    encoded, mime = _media("image", data, mime_type)
    block = Image("", mime, **_options("image", options, annotations=annotations, meta=meta))
    force_setattr(block, "data", encoded)  # it was checked or made just now; checking megabytes twice takes time
    return block


def audio(
    data: bytes | bytearray | memoryview | str | Path,
    mime_type: str | None = None,
    options: Options | None = None,
    *,
    annotations: Mapping[str, Any] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Audio:
    """An audio block from bytes, bare base64 or a file's path, whose suffix tells the MIME type if you don't."""
    encoded, mime = _media("audio", data, mime_type)
    block = Audio("", mime, **_options("audio", options, annotations=annotations, meta=meta))
    force_setattr(block, "data", encoded)  # as in image
    return block


def link(
    uri: str,
    name: str,
    options: Options | None = None,
    *,
    title: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    size: int | None = None,
    icons: Iterable[Mapping[str, Any]] | None = None,
    annotations: Mapping[str, Any] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> ResourceLink:
    """A link to a resource. `options` are the same members in the wire's spelling: `{"mimeType": "text/csv"}`."""
    keywords = {"title": title, "description": description, "mimeType": mime_type, "size": size, "icons": icons}
    members = _options("link", options, **keywords, annotations=annotations, meta=meta)
    if "icons" in members and not isinstance(members["icons"], list | str | Mapping):
        members["icons"] = list(members["icons"])
    return ResourceLink(uri, name, **members)


def resource(
    uri: str,
    data: str | bytes | bytearray | memoryview,
    mime_type: str | Options | None = None,
    options: Options | None = None,
    *,
    annotations: Mapping[str, Any] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> EmbeddedResource:
    """A resource with its contents: a str is text, bytes are sent as base64. `annotations`, `meta`: of the block."""
    if isinstance(mime_type, Mapping):  # resource(uri, data, {"mimeType": ...}), as in link
        mime_type, options = None, mime_type
    members = _options("resource", options, mimeType=mime_type, annotations=annotations, meta=meta)
    mime = members.pop("mimeType", None)
    contents: TextContents | BlobContents
    if isinstance(data, str):
        contents = TextContents(uri, clean_text(str.__str__(data)), mime)
    elif isinstance(data, bytes | bytearray | memoryview):
        contents = BlobContents(uri, "", mime)
        force_setattr(contents, "blob", _base64(data))  # as in image
    else:
        raise TypeError(f"resource: expected str or bytes, received {received(data)}")
    return EmbeddedResource(contents, **members)


_SPELLINGS = {"mime_type": "mimeType", "_meta": "meta"}


def _options(helper: str, options: Options | None, **keywords: Any) -> dict[str, Any]:
    """Members by their Struct names; keywords win over `options`, None counts as not given."""
    members = {}
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f'{helper}: options must be a dict, as in {{"annotations": ...}}, not {received(options)}')
    for key, value in (options or {}).items():
        name = _SPELLINGS.get(key, key)
        if name not in keywords:
            known = [*keywords, "_meta"]
            import difflib

            close = difflib.get_close_matches(str(key), known, 1)
            hint = f'did you mean "{close[0]}"?' if close else f"use {', '.join(k for k in known if k != 'meta')}"
            raise TypeError(f"{helper}: unknown option {str(key)!r:.60}: {hint}")
        members[name] = value
    members |= {name: value for name, value in keywords.items() if value is not None}
    plain = ("annotations", "meta")
    return {
        name: dict(value) if name in plain and isinstance(value, Mapping) else value
        for name, value in members.items()
        if value is not None
    }


# The standard table lacks some and differs from one Python and system to the next for others.
_MIME_TYPES = {
    ".avif": "image/avif",
    ".webp": "image/webp",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".wav": "audio/wav",
}


def _media(kind: str, data: Any, mime: str | None) -> tuple[str, str]:
    """Base64 and MIME type of what `image` and `audio` take."""
    if hasattr(data, "read_bytes") and hasattr(data, "suffix"):  # a pathlib.Path, without importing it
        mime = mime or _guess(kind, data)
        return _base64(data.read_bytes()), mime
    if isinstance(data, bytes | bytearray | memoryview):
        encoded = _base64(data)
    elif isinstance(data, str):
        if fault := REQUIRED[kind]["data"](data):
            raise ValueError(f"{kind}.data: {fault}")
        encoded = str.__str__(data)
    elif kind == "image" and callable(getattr(data, "save", None)) and hasattr(data, "mode"):
        mime = mime or "image/png"
        import io

        buffer = io.BytesIO()
        data.save(buffer, format=mime.partition("/")[2].upper().replace("JPG", "JPEG"))
        encoded = _base64(buffer.getvalue())
    else:
        takes = "bytes, a base64 string, a pathlib.Path" + (" or a PIL image" if kind == "image" else "")
        raise TypeError(f"{kind}.data: expected {takes}, received {received(data)}")
    if mime is None:
        example = "image/png" if kind == "image" else "audio/wav"
        raise TypeError(f'{kind}: which MIME type? Pass it second, as in {kind}(data, "{example}")')
    return encoded, mime


def _base64(data: Any) -> str:
    return b2a_base64(data, newline=False).decode()


def _guess(kind: str, path: Path) -> str:
    import mimetypes

    mime = _MIME_TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name, strict=False)[0]
    if mime is None or not mime.startswith(f"{kind}/"):
        found = "has no known MIME type" if mime is None else f"is {mime}"
        raise ValueError(f'{kind}: "{path.name}" {found}: pass the MIME type second if it is {kind}')
    return mime


# ---- blocks written as dicts ----


def is_block(value: Any) -> bool:
    """Is this meant as a content block?

    A Struct is. A dict is if its `type` is one of the five and it has what that type needs; or if it has the first
    thing it needs, and nothing that is foreign to a block. Other dicts with a `type` are data.
    """
    if type(value) in BLOCKS:
        return True
    if not isinstance(value, dict):
        return isinstance(value, tuple(BLOCKS))
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in REQUIRED:
        return False
    required = REQUIRED[kind]
    if required.keys() <= value.keys():
        return True
    return next(iter(required)) in value and value.keys() <= {"type", *required, *OPTIONAL[kind]}


def check_block(value: Any, where: str) -> Any:
    """A block that a handler wrote: the same Struct or dict, with bytes in `data` and `blob` made base64.

    `where` begins the text of the error: "content[1]". Raises ValueError for everything that isn't a block of the
    specification. Keys that it doesn't know stay as they are; of those that it does, None means not given.
    """
    if type(value) in BLOCKS:
        return value
    if not isinstance(value, dict):
        if isinstance(value, tuple(BLOCKS)):
            return value
        hint = ": use text(...)" if isinstance(value, str) else ""
        raise ValueError(f"{where}: expected a content block, received {received(value)}{hint}")
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in REQUIRED:
        given = f'"{kind:.40}"' if isinstance(kind, str) else received(kind) if "type" in value else "nothing"
        raise ValueError(f"{where}.type: expected one of {KINDS}, received {given}")
    block = _check_members(value, where, REQUIRED[kind], OPTIONAL[kind])
    if kind == "resource":
        contents = check_contents(block["resource"], f"{where}.resource")
        if contents is not block["resource"]:
            block = {**block, "resource": contents}
    return block


def check_contents(contents: Any, where: str) -> Any:
    """A resource's contents, as `check_block` does it: a Struct or dict with a URI and either text or a blob."""
    if isinstance(contents, TextContents | BlobContents):
        return contents
    if not isinstance(contents, dict):
        raise ValueError(f"{where}: expected object, received {received(contents)}")
    forms = [key for key in ("text", "blob") if contents.get(key) is not None]
    if len(forms) != 1:
        fault = "has both text and blob" if forms else "has neither text nor blob"
        raise ValueError(f"{where}: {fault}: text is for str, blob for bytes")
    return _check_members(contents, where, *(TEXT_CONTENTS if forms == ["text"] else BLOB_CONTENTS))


def _check_members(
    value: dict[str, Any], where: str, required: dict[str, Check], optional: dict[str, Check]
) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for key, check in required.items():
        if key not in value:
            raise ValueError(f"{where}.{key}: missing: a block of this type needs it")
        member = value[key]
        if key in ("data", "blob") and isinstance(member, bytes | bytearray | memoryview):
            changes[key] = _base64(member)
        elif fault := check(member):
            raise ValueError(f"{where}.{key}: {fault}")
    dropped = []
    for key, check in optional.items():
        if value.get(key) is not None:
            if fault := check(value[key]):
                raise ValueError(f"{where}.{key}: {fault}")
        elif key in value:
            dropped.append(key)
    if not changes and not dropped:
        return value
    return {key: changes.get(key, member) for key, member in value.items() if key not in dropped}
