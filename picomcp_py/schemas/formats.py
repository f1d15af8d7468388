"""The `format`s that are asserted: one function a format, and the words for a value that fails it.

JSON Schema leaves it open whether `format` asserts anything; a tool that asks for a date wants a date, so these do.
A format that isn't in `FORMATS` is an annotation, as are contentEncoding and contentMediaType.

Rules
- A function gets a string and says whether it is one. It may raise ValueError for no.
- Standards are the ones that JSON Schema 2020-12 validation, section 7.3 names. Wider: `time` may come without an
  offset (as `z.iso.time()` has it), `duration` is ISO 8601. Narrower: no quoted local part in `email`. Punycode in a
  hostname is not decoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import urlsplit

from msgspec import ValidationError, convert

from .patterns import to_python

_DATE_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:)(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_TIME = re.compile(r"\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# ISO 8601, as zod reads it and Python's libraries write it. RFC 3339, appendix A, is narrower: no fractions of seconds.
_DURATION = re.compile(r"P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
# RFC 5321 section 4.1.2, without quoted local parts: nobody has such an address, and typing errors look like them.
_EMAIL_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
# RFC 3986: the characters that may stand in a URI, and percent signs only before two hex digits.
_URI_CHARACTERS = re.compile(r"([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_POINTER = re.compile(r"(/([^~/]|~[01])*)*", re.DOTALL)


def _date_time(text: str) -> bool:
    found = _DATE_TIME.fullmatch(text)
    if not found:
        return False
    day, minutes, seconds, _, offset = found.groups()
    leap = seconds == "60"
    moment = convert(f"{day}T{minutes}{'59' if leap else seconds}{offset.upper()}", datetime)
    if leap:  # only in the last minute of a day in UTC
        utc = moment.astimezone(UTC)
        return (utc.hour, utc.minute) == (23, 59)
    return True


def _date(text: str) -> bool:
    return bool(_DATE.fullmatch(text) and convert(text, date))


def _time(text: str) -> bool:
    return bool(_TIME.fullmatch(text)) and (
        _date_time(f"2000-01-01T{text}") if text[-1] in "Zz" or "+" in text or "-" in text else _naive_time(text)
    )


def _naive_time(text: str) -> bool:
    hours, minutes, seconds = int(text[:2]), int(text[3:5]), int(text[6:8])
    return hours < 24 and minutes < 60 and seconds < 60


def _hostname(text: str) -> bool:
    """RFC 1123: labels of 1 to 63 letters, digits and inner hyphens; 253 characters in all."""
    return len(text) <= 253 and all(_LABEL.fullmatch(label) for label in text.split("."))


def _email(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    if not at or len(local) > 64 or not _EMAIL_LOCAL.fullmatch(local):
        return False
    if domain.startswith("[") and domain.endswith("]"):
        literal = domain[1:-1]
        return bool(IPv6Address(literal[5:]) if literal[:5].lower() == "ipv6:" else IPv4Address(literal))
    return _hostname(domain)


def _uri_reference(text: str) -> bool:
    if not _URI_CHARACTERS.fullmatch(text):
        return False
    parts = urlsplit(text)
    _ = parts.port  # raises ValueError
    first_segment = parts.path.partition("/")[0]
    if parts.netloc.count("@") > 1 or (not parts.scheme and not parts.netloc and ":" in first_segment):
        return False
    brackets = "".join((parts.path, parts.query, parts.fragment, parts.scheme))
    return "[" not in brackets and "]" not in brackets and "#" not in parts.fragment


def _uri(text: str) -> bool:
    return bool(_SCHEME.match(text)) and _uri_reference(text)


def _ipv6(text: str) -> bool:
    return "%" not in text and bool(IPv6Address(text))


def _regex(text: str) -> bool:
    return to_python(text) is not None


# format: (check, how zod names it)
FORMATS: dict[str, tuple[Callable[[str], bool], str]] = {
    "date-time": (_date_time, "ISO datetime"),
    "date": (_date, "ISO date"),
    "time": (_time, "ISO time"),
    "duration": (lambda text: bool(_DURATION.fullmatch(text)), "ISO duration"),
    "email": (_email, "email address"),
    "uri": (_uri, "URL"),
    "uri-reference": (_uri_reference, "URL reference"),
    "uuid": (lambda text: bool(_UUID.fullmatch(text)), "UUID"),
    "ipv4": (lambda text: bool(IPv4Address(text)), "IPv4 address"),
    "ipv6": (_ipv6, "IPv6 address"),
    "hostname": (_hostname, "hostname"),
    "regex": (_regex, "regular expression"),
    "json-pointer": (lambda text: bool(_POINTER.fullmatch(text)), "JSON pointer"),
}


def is_format(name: str, text: str) -> bool:
    """Is `text` of the format `name`? True for a format that isn't asserted."""
    if name not in FORMATS:
        return True
    try:
        return FORMATS[name][0](text)
    except (ValueError, OverflowError, ValidationError):
        return False


def format_message(name: str) -> str:
    """What to say of a value that isn't: `Invalid ISO datetime`."""
    return f"Invalid {FORMATS[name][1] if name in FORMATS else name}"
