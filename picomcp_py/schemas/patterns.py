r"""ECMA-262 regular expressions, which JSON Schema asks for, as Python ones.

JSON Schema 2020-12 core, section 6.4: a pattern is an ECMA-262 expression in Unicode mode. Python's `re` reads most of
them the same way and some differently: `$` matches before a trailing newline, `\d` takes every digit of Unicode,
`\p{L}` is an error. `to_python` writes the differences out, so that `re` gives ECMA's answers.

Rules
- What can't be expressed is a ValueError saying why, never a pattern that means something else.
- Python's own extensions (`(?P<x>...)`, `\A`, possessive quantifiers) are refused: other clients can't read them.
- Of `\p{...}` the general categories are known (`L`, `Lu`, `Decimal_Number`...), and `Any`, `ASCII`. Scripts are not:
  the standard library has no table of them.
"""

from __future__ import annotations

import re
import sys
import unicodedata
import warnings
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import groupby

Ranges = tuple[tuple[int, int], ...]

# ECMA-262 WhiteSpace and LineTerminator: what \s takes.
_SPACE: Ranges = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
_DIGIT: Ranges = ((0x30, 0x39),)
_WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_NOT_LINE_END = r"[^\n\r\u2028\u2029]"

_CATEGORIES = {
    "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn",
    "Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd",
    "Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc",
    "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf", "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc",
    "Modifier_Symbol": "Sk", "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs",
    "Private_Use": "Co", "Unassigned": "Cn",
}  # fmt: skip

_TOKEN = re.compile(
    r"""
      \\p\{(?P<prop>[^}]*)\} | \\P\{(?P<notprop>[^}]*)\}
    | \\(?P<set>[dDwWsS])
    | \\u(?P<lead>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<trail>[dD][c-fC-F][0-9a-fA-F]{2})
    | \\u\{(?P<brace>[0-9a-fA-F]+)\} | \\u(?P<u>[0-9a-fA-F]{4}) | \\x(?P<x>[0-9a-fA-F]{2})
    | \\c(?P<ctrl>[A-Za-z]) | \\(?P<nul>0)(?![0-9])
    | \\k<(?P<kname>[^>]*)> | \\(?P<backref>[1-9][0-9]*)
    | \\(?P<edge>[bB]) | \\(?P<white>[tnvfr]) | \\(?P<escaped>[\W_])
    | \\(?P<bad>.|$)
    | (?P<nothing>\[\]) | (?P<anything>\[\^\]) | (?P<open>\[\^?)
    | \(\?<(?P<name>[A-Za-z_$][\w$]*)> | (?P<group>\(\?(?::|=|!|<=|<!|[ims]*(?:-[ims]+)?:)) | (?P<badgroup>\(\?.{0,3})
    | (?P<quantifier>(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??(?P<possessive>\+)?)
    | (?P<char>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Pattern(str):
    """A pattern in Python's words, which remembers how it was written (`ecma`)."""

    __slots__ = ("ecma",)
    ecma: str

    def __new__(cls, ecma: str, python: str) -> Pattern:
        self = super().__new__(cls, python)
        self.ecma = ecma
        return self


@lru_cache(1024)
def to_python(ecma: str) -> Pattern:
    """The Python pattern that matches (with `re.search`) what `ecma` matches. ValueError if there is none."""
    out: list[str] = []
    in_class = False
    pos = 0
    while pos < len(ecma):
        found = _TOKEN.match(ecma, pos)
        assert found is not None  # the last alternative takes any character
        kind, text = found.lastgroup or "char", found.group()
        if in_class:
            # `[` opens nothing inside a class, and `(`, `{` and `$` are plain there.
            if kind in _ONLY_OUTSIDE:
                kind, text = "char", text[0]
            in_class = text != "]" or kind != "char"
            out.append(_in_class(kind, text, found) if in_class else "]")
        else:
            in_class = kind == "open"
            out.append(_outside(kind, text, found))
        pos += len(text)
    if in_class:
        raise ValueError("a character class [...] is not closed")
    # (?a:...) makes \b and \B go by ASCII, as ECMA's do, and keeps alternatives together.
    python = f"(?a:{''.join(out)})"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # `[a--]`: Python may give it a meaning some day
            re.compile(python)
    except (re.error, RecursionError, OverflowError) as exc:
        raise ValueError(getattr(exc, "msg", None) or "too large or nested too deeply") from None
    return Pattern(ecma, python)


_ONLY_OUTSIDE = {"nothing", "anything", "open", "name", "group", "badgroup", "quantifier"}


def _outside(kind: str, text: str, found: re.Match[str]) -> str:
    match kind:
        case "char":
            return {"$": r"\Z", ".": _NOT_LINE_END, "{": r"\{", "}": r"\}", "#": r"\#"}.get(text, text)
        case "nothing":
            return r"(?!)"
        case "anything":
            return r"[\s\S]"
        case "name":
            return f"(?P<{found['name']}>"
        case "kname":
            return f"(?P={found['kname']})"
        case "quantifier" if found["possessive"]:
            raise ValueError("possessive quantifiers are not ECMA-262")
        case "open" | "group" | "quantifier" | "edge":
            return text
        case "backref":
            return f"(?:{text})"  # so that a digit that follows stays a digit
        case "badgroup":
            raise ValueError(f"{text!r} opens no group of ECMA-262")
    return f"[{_members(kind, text, found)}]"


def _in_class(kind: str, text: str, found: re.Match[str]) -> str:
    if kind == "char":
        # Python warns of `[`, `&&`, `~~` and `||` in a class, as it may give them a meaning some day.
        return "\\" + text if text in "[&~|" else text
    if kind == "edge" and text == r"\b":
        return r"\x08"
    return _members(kind, text, found)


def _members(kind: str, text: str, found: re.Match[str]) -> str:
    """The characters that an escape stands for, as they are written inside [...]."""
    value = found[kind]
    match kind:
        case "prop" | "notprop":
            ranges = _property(value)
            return _written(ranges if kind == "prop" else _complement(ranges))
        case "set":
            ranges = {"d": _DIGIT, "w": _WORD, "s": _SPACE}[value.lower()]
            return _written(ranges if value.islower() else _complement(ranges))
        case "trail":
            return _written_one(0x10000 + ((int(found["lead"], 16) - 0xD800) << 10) + int(value, 16) - 0xDC00)
        case "brace" | "u" | "x":
            if int(value, 16) > sys.maxunicode:
                raise ValueError(f"{text} is beyond Unicode")
            return _written_one(int(value, 16))
        case "ctrl":
            return _written_one(ord(value) % 32)
        case "nul":
            return r"\x00"
        case "white":
            return text
        case "escaped":
            return re.escape(value)
    hint = {"A": ", use ^", "Z": ", use $", "z": ", use $"}.get(value, "")
    raise ValueError(f"{text!r} is no escape of ECMA-262{hint}" if value else "it ends in a backslash")


def _written_one(code: int) -> str:
    return f"\\U{code:08x}"


def _written(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(_written_one(a) if a == b else f"{_written_one(a)}-{_written_one(b)}" for a, b in ranges)


def _complement(ranges: Ranges) -> Ranges:
    out, start = [], 0
    for a, b in ranges:
        if a > start:
            out.append((start, a - 1))
        start = b + 1
    if start <= sys.maxunicode:
        out.append((start, sys.maxunicode))
    return tuple(out)


def _property(name: str) -> Ranges:
    r"""The characters of `\p{name}`."""
    if name == "Any":
        return ((0, sys.maxunicode),)
    if name == "ASCII":
        return ((0, 0x7F),)
    key, _, value = name.rpartition("=")
    short = _CATEGORIES.get(value, value)
    if key not in ("", "gc", "General_Category") or short not in _CATEGORIES.values():
        raise ValueError(f"\\p{{{name}}} is not known here: use a general category such as \\p{{L}}, or ranges")
    wanted = ("Lu", "Ll", "Lt") if short == "LC" else short
    return tuple((first, last) for category, first, last in _runs() if category.startswith(wanted))


@cache
def _runs() -> list[tuple[str, int, int]]:
    """Unicode as runs of one category: category, first, last. Looking at all of it takes about 0.2 s, once."""
    runs = []
    first = 0
    for category, run in groupby(map(unicodedata.category, map(chr, range(sys.maxunicode + 1)))):
        after = first + sum(1 for _ in run)
        runs.append((category, first, after - 1))
        first = after
    return runs
