"""Python values from JSON text: strict, exact, and never more than a ValueError."""

from __future__ import annotations

from math import isfinite
from typing import Any

import msgspec
from msgspec import Raw

_decode = msgspec.json.Decoder().decode


def decode_json(data: bytes | bytearray | memoryview | Raw) -> Any:
    """The value of a JSON text: dict, list, str, int, float, bool or None.

    Integers are exact and lone surrogates are kept. Raises ValueError, with a short text, for anything that isn't
    strict JSON, numbers beyond a double, integers of thousands of digits, and nesting beyond the interpreter's limits.
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

    try:
        return json.loads(raw.decode(), parse_float=_finite, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg} (character {error.pos})") from None
    except UnicodeDecodeError:
        raise ValueError("not valid UTF-8") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError as error:
        # int() says how to lift its limit, which is no business of the sender
        too_long = "integer string conversion" in str(error)
        raise ValueError("an integer of too many digits" if too_long else str(error)) from None


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"number out of range: {text[:20]}")
    return number


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
