r"""Patterns mean what ECMA-262 says, though Python's `re` runs them."""

from __future__ import annotations

import re

import pytest

from picomcp_py.schemas.patterns import to_python
from picomcp_py.schemas.schema import Invalid, Valid, schema_of


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("^a$", ["a"], ["a\n", "aa"]),
        (r"^\d+$", ["12"], ["٣", "1\n"]),
        (r"^[\d]$", ["1"], ["٣"]),
        (r"^\D$", ["٣"], ["3"]),
        (r"^\w+$", ["a_1"], ["é"]),
        (r"^[\W]$", ["é", "-"], ["a"]),
        (r"^\s$", [" ", "\ufeff", "\u00a0", "\u2029"], ["a", "\x1c"]),
        (r"^\S$", ["a", "\x1c"], ["\u00a0"]),
        (r"^[\S]$", ["a"], [" ", "\u2028"]),
        (r"^.$", ["a", "\x85"], ["\n", "\r", "\u2028"]),
        (r"\bé", ["aé"], ["é"]),
        (r"^[\b]$", ["\b"], ["b"]),
        (r"^\p{L}+$", ["Ünï", "中文"], ["a1", ""]),
        (r"^\p{Lu}\p{Lowercase_Letter}$", ["Ab"], ["ab"]),
        (r"^\p{gc=Nd}$", ["٣"], ["a"]),
        (r"^\P{L}$", ["1"], ["a"]),
        (r"^[^\p{L}\d]+$", ["--"], ["a", "1"]),
        (r"^\p{LC}$", ["a", "A"], ["中"]),
        (r"^\p{ASCII}$", ["a"], ["é"]),
        (r"^\u{1F600}$", ["😀"], ["x"]),
        (r"^\ud83d\ude00$", ["😀"], ["x"]),
        (r"^[\u4e00-\u9fff]+$", ["中文"], ["a"]),
        (r"^\x41\cA\0$", ["A\x01\x00"], ["A"]),
        (r"^(?<y>a)\k<y>$", ["aa"], ["a"]),
        (r"^(a)\1$", ["aa"], ["a"]),
        (r"^(a)(?:b)\1$", ["aba"], ["abb"]),
        ("^[]$", [], ["", "]"]),
        ("^[^]$", ["\n", "]"], [""]),
        (r"^[\]a[&~|-]+$", ["]a[&~|-"], ["b"]),
        ("a{,5}", ["a{,5}"], ["a"]),
        ("^a{2,3}?$", ["aa"], ["a"]),
        ("^{}$", ["{}"], [""]),
        ("^[$.({]+$", ["$.({"], ["a"]),
        (r"^\/x\-\.$", ["/x-."], ["/x-a"]),
        ("(?<=a)b", ["ab"], ["b"]),
        ("(?<!a)b", ["cb"], ["ab"]),
        ("^(?:a|b)+?$", ["ab"], ["c"]),
        ("^a|b$", ["ax", "xb"], ["xa"]),
        ("a b # c", ["a b # c"], ["ab"]),
        ("(?i:A)b", ["ab"], ["aB"]),
    ],
)
def test_it_matches_what_ecma_matches(pattern: str, yes: list[str], no: list[str]) -> None:
    compiled = re.compile(to_python(pattern))
    assert [text for text in yes if not compiled.search(text)] == []
    assert [text for text in no if compiled.search(text)] == []
    assert to_python(pattern).ecma == pattern


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"\A", r"use \^"),
        (r"a\Z", r"use \$"),
        ("(?P<a>x)", "no group"),
        ("(?i)a", "no group"),
        ("(?#x)", "no group"),
        ("a++", "possessive"),
        ("a{2}+", "possessive"),
        ("(", "unterminated"),
        ("[a", "not closed"),
        ("*", "nothing to repeat"),
        ("a\\", "backslash"),
        (r"\q", "no escape"),
        (r"\p{Script=Latin}", "general category"),
        (r"\p{}", "general category"),
        (r"\u{110000}", "beyond Unicode"),
        ("(?<=a*)b", "fixed-width"),
        (r"[b-a]", "bad character range"),
    ],
)
def test_what_can_not_be_said_in_python_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        to_python(pattern)


def test_patterns_hold_everywhere_in_a_schema() -> None:
    schema = schema_of(
        {
            "properties": {"a": {"pattern": "^a$"}},
            "patternProperties": {r"^(x)\1$": {"type": "integer"}, r"^(y)\1$": {"type": "string"}, r"^\p{Lu}$": {}},
            "additionalProperties": False,
        }
    )
    assert schema.validate({"a": "a", "xx": 1.0, "yy": "s", "É": 1}) == Valid({"a": "a", "xx": 1, "yy": "s", "É": 1})
    result = schema.validate({"a": "a\n", "xx": "s", "yx": 1})
    assert isinstance(result, Invalid)
    assert [issue.path for issue in result.issues] == [("a",), ("xx",), ("yx",)]


def test_patterns_hold_beside_unevaluated_properties() -> None:
    schema = schema_of({"patternProperties": {r"^\p{Lu}$": {}}, "unevaluatedProperties": False})
    assert schema.validate({"É": 1}) == Valid({"É": 1})
    assert isinstance(schema.validate({"é": 1}), Invalid)
