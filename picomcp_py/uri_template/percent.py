"""Percent-encoding of URIs (RFC 3986, section 2), always as UTF-8.

- `encode` writes a value into a URI, `decode` reads it back, exactly once: "%252e" is "%2e" and stays so.
- `normal` writes a whole text as a URI: what may not stand in one (a space, "é") is percent-encoded, the rest stays.

Non-goals: "+" for a space, which belongs to HTML forms; other charsets; letters of hex digits brought to one case.
"""

from __future__ import annotations

import re

RESERVED = ":/?#[]@!$&'()*+,;="
"""What delimits the parts of a URI (RFC 3986, section 2.2)."""

MALFORMED = re.compile(r"%(?![0-9A-Fa-f]{2})")
"""A percent sign that begins no triplet."""

_FOREIGN = re.compile(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def encode(value: str, reserved: bool = False) -> str:
    """The value for a URI. With `reserved`, delimiters and triplets that stand in it already stay as they are.

    Raises UnicodeEncodeError, a ValueError, for lone surrogates.
    """
    from urllib.parse import quote

    return quote(MALFORMED.sub("%25", value), safe=RESERVED + "%") if reserved else quote(value, safe="")


def decode(text: str) -> str:
    """The value behind well-formed percent-encoding.

    Raises ValueError if that isn't UTF-8 or holds control characters: a NUL cuts names short in C, a line break splits
    headers and lines of a log.
    """
    if "%" not in text:
        return text
    from urllib.parse import unquote

    value = unquote(text, errors="strict")
    if _CONTROL.search(value):
        raise ValueError("a control character")
    return value


def normal(text: str) -> str:
    """The text with everything that no URI can hold percent-encoded. Raises UnicodeEncodeError, a ValueError."""
    return _FOREIGN.sub(lambda foreign: encode(foreign[0]), text)
