"""Python values from JSON text: strict, exact, and never more than a ValueError.

JSON sets no limit to numbers, Python does: a text that is good but for such a number is told apart, as OutOfRange.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

import msgspec
from msgspec import Raw

from .values import Path

_decode = msgspec.json.Decoder().decode


class OutOfRange(ValueError):
    """A number of well-formed JSON that Python can't hold; `path` leads to it from the root."""

    def __init__(self, path: Path) -> None:
        super().__init__("number out of range: at most a double (1.8e308), or an integer of 4,300 digits")
        self.path = path


def decode_json(data: bytes | bytearray | memoryview | Raw) -> Any:
    """The value of a JSON text: dict, list, str, int, float, bool or None.

    Integers are exact and lone surrogates are kept. Raises ValueError, with a short text, for anything that isn't
    strict JSON, and for nesting beyond the interpreter's limits; OutOfRange for numbers beyond a double and for
    integers of thousands of digits.
    """
    try:
        return _decode(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except msgspec.DecodeError as error:
        # msgspec refuses lone surrogates, and older versions integers beyond 64 bits; the standard library takes both.
        raw = bytes(data)
        if b"\\u" not in raw and not isinstance(error, msgspec.ValidationError):
            raise ValueError(str(error)) from None
        return _decode_leniently(raw)


def _decode_leniently(raw: bytes) -> Any:
    import json  # costs more than the rest of the library to import, and is hardly ever needed

    too_large = False

    def number(text: str) -> int | float:
        """One that can't be held stands as infinity until the whole text was read, which may be broken further on."""
        nonlocal too_large
        try:
            value = float(text) if text.strip("-0123456789") else int(text)
        except ValueError:  # sys.set_int_max_str_digits
            value = inf
        too_large = too_large or not isfinite(value)
        return value

    try:
        value = json.loads(raw.decode(), parse_float=number, parse_int=number, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} (character {error.pos})") from None
    except UnicodeDecodeError:
        raise ValueError("not valid UTF-8") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if too_large:
        raise OutOfRange(_place_of_infinity(value))
    return value


def _place_of_infinity(value: Any) -> Path:
    todo: list[tuple[Path, Any]] = [((), value)]
    while todo:
        path, part = todo.pop()
        if isinstance(part, float) and not isfinite(part):
            return path
        if isinstance(part, dict | list):
            members = [*(part.items() if isinstance(part, dict) else enumerate(part))]
            todo += [((*path, key), member) for key, member in reversed(members)]
    return ()  # it was in a member that a later one of the same name replaced


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
