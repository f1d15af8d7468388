"""What the command prints for people, apart from how: lines of styled text, and tables.

`plain` and `pretty` print it with the same content. Text that comes from a server can hold what steers a terminal;
`visible` makes it readable instead.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

Style = Literal["", "name", "note", "bad"]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


class Line(Struct):
    """Spans of (text, style), and how far it is indented. A text may hold line breaks."""

    spans: list[tuple[str, Style]]
    indent: int = 0


class Table(Struct):
    header: list[str]
    rows: list[list[str]]
    indent: int = 0


Document = list[Line | Table]


def line(text: str = "", style: Style = "", indent: int = 0) -> Line:
    return Line([(visible(text), style)], indent)


def visible(text: str) -> str:
    """Control characters other than line breaks and tabs as escapes: ESC as \\x1b."""
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)
