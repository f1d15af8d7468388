"""MIME types: by the name of a file, by the first bytes, and whether a type is text.

The name decides by a table of our own, then by the standard library's, never by the system's: a server answers alike
on every machine. Non-goals: charsets, and looking deeper than the first bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mimetypes import MimeTypes

BINARY = "application/octet-stream"
TEXT = "text/plain"
JSON = "application/json"

# What the standard library lacks, has differently from one version to the next, or takes for something else: to it
# ".ts" is a film.
_BY_SUFFIX = {
    ".avif": "image/avif",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".flac": "audio/flac",
    ".ipynb": "application/x-ipynb+json",
    ".js": "text/javascript",
    ".jsonl": "application/jsonl",
    ".jsx": "text/javascript",
    ".m4a": "audio/mp4",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".mjs": "text/javascript",
    ".ndjson": "application/x-ndjson",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".rst": "text/x-rst",
    ".sql": "application/sql",
    ".toml": "application/toml",
    ".ts": "text/x-typescript",
    ".tsx": "text/x-typescript",
    ".wav": "audio/wav",
    ".webp": "image/webp",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_COMPRESSED = {
    "gzip": "application/gzip",
    "bzip2": "application/x-bzip2",
    "xz": "application/x-xz",
    "compress": "application/x-compress",
}
_TEXTUAL = {
    "application/javascript",
    "application/json",
    "application/jsonl",
    "application/sql",
    "application/toml",
    "application/x-ndjson",
    "application/x-csh",
    "application/x-latex",
    "application/x-sh",
    "application/x-tcl",
    "application/x-tex",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
}
_MAGIC = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),  # behind RIFF and a length, as WAVE is
    (8, b"WAVE", "audio/wav"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypM4A ", "audio/mp4"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"%PDF-", "application/pdf"),
)

_standard: MimeTypes | None = None


def by_name(name: str) -> str | None:
    """The type that a file's name tells; None for a name that tells nothing."""
    import os.path

    suffix = os.path.splitext(name)[1].lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    global _standard
    if _standard is None:
        import mimetypes

        _standard = mimetypes.MimeTypes()  # without the tables of the system, which the module's functions look into
    kind, compressed = _standard.guess_type("/" + name.rpartition("/")[2])  # never read as a URL
    return _COMPRESSED.get(compressed, BINARY) if compressed is not None else kind


def by_magic(data: bytes | bytearray | memoryview) -> str:
    """The type that the first bytes tell, for the common kinds of images and sound and for PDF; else BINARY."""
    head = bytes(data[:16])
    for at, magic, kind in _MAGIC:
        if head.startswith(magic, at) and (at != 8 or head.startswith(b"RIFF")):
            return kind
    return BINARY


def is_textual(kind: str) -> bool:
    """Whether something of this type is read as text."""
    essence = kind.partition(";")[0].strip().lower()
    return essence.startswith("text/") or essence.endswith(("+json", "+xml", "+yaml")) or essence in _TEXTUAL
