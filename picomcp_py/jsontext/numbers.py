"""Floats as JavaScript prints them.

msgspec prints 5.0, 1e16 and 1e-6 where `JSON.stringify` prints 5, 10000000000000000 and 0.000001: only whole floats
and exponents differ. Two searches, `whole_float` and `exponent`, find texts that may hold one; each starts from one
character, which is what the regex engine is fast at. Only those texts are repaired. What is inside of a string stays.
"""

from __future__ import annotations

import re
from math import isfinite

MODERATE = 2.0**53
"""Smaller floats have no exponent in either way of printing, unless it is a negative one."""


def number_text(number: float) -> str:
    """A float as JavaScript's Number::toString prints it (ECMA-262, section 6.1.6.1.20); "null" if it isn't finite."""
    if not isfinite(number):
        return "null"
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    point = int(exponent or 0) - len(fraction) + len(digits)
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = "." + digits[1:] if count > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


whole_float = re.compile(rb"\.0(?:[,}\]]|\Z)").search
exponent = re.compile(rb"e[-1-9](?<=[0-9]e.)").search
_EXPONENT_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?e-?[0-9]+")
_SINGLE_REPAIRS = 8
"""Up to so many `.0` are cut out one by one; beyond, taking the whole text apart is cheaper."""


def with_javascript_numbers(text: bytes, large_floats: bool = True) -> bytes:
    """JSON text of msgspec's, with its numbers as JavaScript prints them. `large_floats`: whether it may hold floats of
    MODERATE and more.
    """
    found = whole_float(text) if 46 in text else None  # a "." to start with
    if 101 in text and (large_floats or 45 in text) and exponent(text):  # an "e", a "-"
        return repair_all(text)
    return text if found is None else repair(text, found)


def repair(text: bytes, found: re.Match[bytes]) -> bytes:
    """Cut `.0` off whole floats in a text without exponents, but not inside of strings: before these stands an odd
    number of quotes.
    """
    if 92 in text:
        return repair_all(text)
    counted = quotes = 0
    for _ in range(_SINGLE_REPAIRS):
        dot = found.start()
        quotes += text.count(b'"', counted, dot)
        counted = dot
        if quotes & 1:
            dot += 2
        elif text[dot - 1] == 48 and text[dot - 2] == 45:  # "-0"
            text = text[: dot - 2] + text[dot - 1 : dot] + text[dot + 2 :]
            counted = dot - 1
        else:
            text = text[:dot] + text[dot + 2 :]
        following = whole_float(text, dot)
        if following is None:
            return text
        found = following
    return repair_all(text)


def repair_all(text: bytes) -> bytes:
    """The same for many numbers and for exponents, in a few fast steps: what isn't in strings is edited as one."""
    escapes = 92 in text
    if escapes:  # control characters are always escaped in JSON, so they can stand for what would confuse the split
        text = text.replace(b"\\\\", b"\x00").replace(b'\\"', b"\x01")
    parts = text.split(b'"')
    outside = b'"'.join(parts[::2]) + b"\n"
    if b"-0.0" in outside:
        for end in (b",", b"}", b"]", b"\n"):
            outside = outside.replace(b"-0.0" + end, b"0" + end)
    for end in (b",", b"}", b"]", b"\n"):
        outside = outside.replace(b".0" + end, end)
    if exponent(outside):
        outside = _EXPONENT_NUMBER.sub(lambda match: number_text(float(match[0])).encode(), outside)
    parts[::2] = outside[:-1].split(b'"')
    text = b'"'.join(parts)
    return text.replace(b"\x01", b'\\"').replace(b"\x00", b"\\\\") if escapes else text
