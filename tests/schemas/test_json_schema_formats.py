"""Formats are asserted, by the standards that JSON Schema names."""

from __future__ import annotations

import pytest

from picomcp_py.schemas.formats import FORMATS
from picomcp_py.schemas.schema import Invalid, Issue, Valid, schema_of

GOOD = {
    "date-time": ["2024-01-01T00:00:00Z", "2024-02-29t10:00:00.123+05:30", "1998-12-31T15:59:60.1-08:00"],
    "date": ["2024-02-29"],
    "time": ["10:00:00", "10:00:00Z", "23:59:60Z", "10:00:00.5+01:00"],
    "duration": ["P1Y2M3DT4H5M6S", "P1W", "PT0.5S", "P1D"],
    "email": ["a@b.co", "a.b+c@localhost", "x@[127.0.0.1]", "x@[IPv6:::1]"],
    "uri": ["http://a.b/c?d#e", "urn:x:y", "mailto:a@b", "http://[::1]:80/"],
    "uri-reference": ["/a", "#x", "a%20b", ""],
    "uuid": ["12345678-1234-5678-1234-567812345678", "ABCDEF00-0000-0000-0000-000000000000"],
    "ipv4": ["127.0.0.1", "0.0.0.0"],
    "ipv6": ["::1", "::", "::ffff:1.2.3.4"],
    "hostname": ["a", "a.b-c.example"],
    "regex": ["^a$", r"\p{L}"],
    "json-pointer": ["", "/a~0~1/", "/\n"],
}
BAD = {
    "date-time": [
        "2024-01-01", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z", "2023-02-29T00:00:00Z", "2024-01-01T00:00:60Z",
        "2024-01-01T24:00:00Z", "2024-01-01T00:00:00+0000", "x", "2024-01-01T00:00:00Z\n", "2024-01-01T00:00:00+25:00",
        "٢٠٢٤-01-01T00:00:00Z", "0001-01-01T00:59:60+05:00",
    ],
    "date": ["2023-02-29", "20240101", "2024-1-1", "2024-01-01\n", "0000-01-01"],
    "time": ["25:00:00", "10:00", "10:00:00+25:00", "10:60:00", "10:00:60"],
    "duration": ["P", "PT", "1D", "P1", "P1D2H", "P1YT", "-P1D", "P1W1D"],
    "email": ["a", "a@", "@b", "a@b@c", "a b@c", "a@-b", ".a@b", "a@[300.0.0.1]", "a" * 65 + "@b"],
    "uri": ["/a", "a", "http://a b", "http://[::1", "//x", "http://a:b/", "\\\\x\\y", "http://x/[a]", "http://é"],
    "uri-reference": ["a b", "\\", "//b@c@d", "1a:b", "%zz"],
    "uuid": ["12345678123456781234567812345678", "x", "{12345678-1234-5678-1234-567812345678}"],
    "ipv4": ["127.0.0.01", "1", "::1", "1.2.3.256"],
    "ipv6": ["1", "fe80::1%eth0", ":::", "1.2.3.4"],
    "hostname": ["", "-a", "a..b", "a" * 64, "a.b.", "a_b", ".".join(["a" * 63] * 5)],
    "regex": ["(", "\\Z"],
    "json-pointer": ["a", "/~2", "#/a"],
}  # fmt: skip
WORDS = {
    "date-time": "Invalid ISO datetime",
    "date": "Invalid ISO date",
    "time": "Invalid ISO time",
    "duration": "Invalid ISO duration",
    "email": "Invalid email address",
    "uri": "Invalid URL",
    "uri-reference": "Invalid URL reference",
    "uuid": "Invalid UUID",
    "ipv4": "Invalid IPv4 address",
    "ipv6": "Invalid IPv6 address",
    "hostname": "Invalid hostname",
    "regex": "Invalid regular expression",
    "json-pointer": "Invalid JSON pointer",
}


def test_every_format_is_tried_here() -> None:
    assert GOOD.keys() == BAD.keys() == WORDS.keys() == FORMATS.keys()


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in GOOD.items() for text in texts])
def test_what_is_of_a_format_is_valid(name: str, text: str) -> None:
    assert schema_of({"format": name}).validate(text) == Valid(text)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in BAD.items() for text in texts])
def test_what_is_not_is_told_in_zods_words(name: str, text: str) -> None:
    assert schema_of({"format": name}).validate(text) == Invalid((Issue(WORDS[name]),))


def test_a_format_says_nothing_of_other_types_and_unknown_ones_are_annotations() -> None:
    assert schema_of({"format": "date"}).validate(5) == Valid(5)
    assert schema_of({"format": "int32"}).validate("x") == Valid("x")
    assert schema_of({"contentEncoding": "base64", "contentMediaType": "image/png"}).validate("?") == Valid("?")
