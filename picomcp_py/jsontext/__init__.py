"""JSON text from Python values, as `JSON.stringify` would print it, and back.

Rules:

- Compact, UTF-8, no ASCII escapes, one line. Strict: never NaN or Infinity, never a lone surrogate.
- One encoding for each kind of value, whatever it is nested in:

      None bool str                   null, true/false, string
      int                             all its digits (JavaScript would round beyond 2^53)
      float                           as JavaScript prints it: 5.0 is 5, -0.0 is 0, 1e16 is 10000000000000000, 1e21 is
                                      1e+21, 1e-7 is 1e-7; NaN, Infinity and -Infinity are null
      dict, any Mapping               object, in its order
      list tuple namedtuple           array
      set frozenset, any Set          array, in the order of iteration
      deque range, any Sequence       array
      Struct dataclass attrs class    object with its field names (renamed and tagged as a Struct says); UNSET left out
      pydantic model                  what model_dump(mode="json", by_alias=True) gives
      Enum IntEnum StrEnum Flag       its value
      datetime date time              ISO 8601 string: "2026-07-28T09:30:00Z", "2026-07-28", "09:30:00"
      timedelta                       ISO 8601 duration: "P1DT2.5S"
      Decimal                         string, so that no digit is lost: "1.50"
      UUID                            string with hyphens
      Path (any PurePath)             string
      bytes bytearray memoryview      base64 string
      msgspec.Raw                     its JSON, as it is: whoever makes one vouches for it
      msgspec.UNSET in a dict         the member is left out

  Subclasses of these are encoded as what they derive from. Keys of an object: str, int, float, bool and None ("true",
  "null"), and every kind above that is a string.
- All else (a generator, a function, a tuple as key, a value that holds itself) is `Unencodable`, which names the type
  and the place. A `repr` is never passed off as data.
- A lone surrogate becomes U+FFFD: a file name that isn't UTF-8 must not cost a reply.

How: msgspec writes everything it can, in C; numbers then repairs the few floats that it prints otherwise than
JavaScript. What msgspec refuses goes through writer, which exists for exactness, not for speed.

Non-goals: pretty printing, sorted keys, custom encoders.
"""

from __future__ import annotations

from typing import Any

from .numbers import MODERATE, number_text, with_javascript_numbers
from .reader import OutOfRange, decode_json
from .values import Unencodable, clean_text, write

__all__ = [
    "MODERATE",
    "OutOfRange",
    "Unencodable",
    "clean_text",
    "decode_json",
    "encode_json",
    "number_text",
    "with_javascript_numbers",
    "write",
]


def encode_json(value: Any) -> bytes:
    """`value` as one line of JSON. Raises Unencodable."""
    try:
        text = write(value)
    except Exception:  # a type, a surrogate, the depth, a property that raises: the writer finds out which, and where
        return _slowly(value)
    text = with_javascript_numbers(text)
    if 10 in text:  # a line break comes only out of a Raw
        return _slowly(value)
    return text


def _slowly(value: Any) -> bytes:
    from .writer import write_slowly

    return write_slowly(value)
