"""The words of validation failures: zod's (zod 4, English), so that a ported server says what it said before.

Functions from values to text; explain.py decides which of them applies and where. Whatever comes from the value or from
a list in the schema is cut: a message is for a model to act on, not a copy of what it sent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any

MAX_SHOWN = 80  # characters of one value
MAX_LIST = 400  # characters of a list of options
MAX_PATTERN = 200  # characters of a pattern: longer ones tell a model nothing
FEW = 8  # that many valid names are listed

_STARTS_WITH = re.compile(r"\^((?:[^\\^$.*+?()\[\]{}|]|\\\W)+)\.\*")
_ENDS_WITH = re.compile(r"\.\*((?:[^\\^$.*+?()\[\]{}|]|\\\W)+)\$")


def shown(value: Any) -> str:
    """A value as JSON, cut; numbers as JavaScript prints them (`50` for 50.0)."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        value = int(value)
    if isinstance(value, str) and len(value) > MAX_SHOWN:
        value = value[: MAX_SHOWN - 1] + "…"
    import json

    # Only failures come here: the slower encoder, as it also takes lone surrogates and integers of any size.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= MAX_SHOWN + 2 else text[: MAX_SHOWN - 1] + "…"


def received(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case dict():
            return "object"
    return "array"


def mismatch(types: Iterable[str], got: str) -> str:
    """`types` are JSON Schema's; `got` is from `received`, or "undefined". A nullable type goes by its other name."""
    names = [name for name in dict.fromkeys(types) if name != "null"] or ["null"]
    if "number" in names or got != "number":  # zod checks for a number first, and then for an int
        names = ["number" if name == "integer" else name for name in names]
    names = ["int" if name == "integer" else name for name in dict.fromkeys(names)]
    expected = "a value" if len(names) >= 5 else " | ".join(names)
    return f"Invalid input: expected {expected}, received {got}"


def options(values: list[Any], value: Any = None) -> str:
    """One of a list; of one, the value itself. As with types, null goes by its other name."""
    values = [*dict.fromkeys(shown(each) for each in values if each is not None)] or ["null"]
    if len(values) == 1:
        return f"Invalid input: expected {values[0]}"
    text = ""
    for count, each in enumerate(values):
        if len(text) + len(each) > MAX_LIST:
            close = _closest(shown(value), values)
            hint = f", did you mean {close}?" if close else ""
            return f"Invalid option: expected one of {text}|… ({len(values) - count} more){hint}"
        text += f"|{each}" if text else each
    return f"Invalid option: expected one of {text}"


def discriminator(values: list[Any]) -> str:
    return "Invalid discriminator value. Expected " + " | ".join(
        f"'{each}'" if isinstance(each, str) else shown(each) for each in dict.fromkeys(values[:30])
    )


def unknown_key(key: str, names: Collection[str], given: Collection[str]) -> str:
    """`names` are the valid ones, `given` those that are there already."""
    free = [name for name in names if name not in given]
    text = f"Unrecognized key: {shown(key)}"
    if close := _closest(key, free):
        return f"{text}, did you mean {shown(close)}?"
    if 0 < len(free) <= FEW:
        return f"{text}, expected one of {'|'.join(map(shown, free))}"
    return text


def pattern(ecma: str) -> str:
    if found := _STARTS_WITH.fullmatch(ecma):
        return f"Invalid string: must start with {shown(_unescaped(found[1]))}"
    if found := _ENDS_WITH.fullmatch(ecma):
        return f"Invalid string: must end with {shown(_unescaped(found[1]))}"
    return f"Invalid string: must match pattern /{ecma if len(ecma) <= MAX_PATTERN else ecma[:MAX_PATTERN] + '…'}/"


def _unescaped(text: str) -> str:
    return re.sub(r"\\(\W)", r"\1", text)


def _closest(name: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant. Case and separators don't count, nor does what comes before or after."""
    plain = {re.sub(r"[\W_]", "", each).lower(): each for each in names}
    wanted = re.sub(r"[\W_]", "", name[:100]).lower()
    found = get_close_matches(wanted, plain, n=1, cutoff=0.6)
    return plain[found[0]] if found else None
