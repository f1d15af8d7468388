"""URI templates: what matches, with which values, and which of several templates is tried first.

Expansion and the errors of a template's text are in test_uri_template_text.py.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from picomcp_py.uri_template import UriTemplate

# ---- tables ----


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        # one segment
        ("note://{date}", "note://2026-09-05", {"date": "2026-09-05"}),
        ("note://{date}", "note://", None),
        ("note://{date}", "note://a/b", None),
        ("note://{date}", "note://a?b", None),
        ("note://{date}", "note://a#b", None),
        ("note://{date}", "note://a:b@c,d;e=f&g", {"date": "a:b@c,d;e=f&g"}),
        ("note://{date}", "notes://a", None),
        ("note://{date}", "xnote://a", None),
        ("test://template/{id}/data", "test://template/123/data", {"id": "123"}),
        ("test://template/{id}/data", "test://template/123/data/", None),
        ("test://template/{id}/data", "test://template/123", None),
        ("test://template/{id}/data", "test://template//data", None),
        ("{x}", "a", {"x": "a"}),
        ("{x}", "", None),
        # several; the first takes as much as it can
        ("x://{a}/{b}", "x://1/2", {"a": "1", "b": "2"}),
        ("x://{a}-{b}", "x://1-2-3", {"a": "1-2", "b": "3"}),
        ("x://{a}-{b}", "x://-2", None),
        ("x://{a}-{b}", "x://---", {"a": "-", "b": "-"}),
        ("x://{x,y}", "x://1,2", {"x": "1", "y": "2"}),
        ("x://{x,y}", "x://1,2,3", None),
        ("x://{a}aab", "x://aaab", {"a": "a"}),
        # {+x}
        ("file:///{+path}", "file:///a/b.txt", {"path": "a/b.txt"}),
        ("file:///{+path}", "file:///a?b#c", {"path": "a?b#c"}),
        ("file:///{+path}", "file:///", None),
        ("x://{+a}/{b}", "x://1/2/3", {"a": "1/2", "b": "3"}),
        ("x://{a}/{+b}", "x://1/2/3", {"a": "1", "b": "2/3"}),
        ("x://{+a}/blob/{+b}", "x://1/blob/2/blob/3", {"a": "1/blob/2", "b": "3"}),
        ("x://{+path}/raw", "x://a/raw/b/raw", {"path": "a/raw/b"}),
        # {x*} is one str, as in other libraries for MCP
        ("files://{path*}", "files://a/b", {"path": "a/b"}),
        ("files://{path*}", "files://a,b", {"path": "a,b"}),
        ("files://{path*}", "files://a?b", None),
        # {/x}, {.x}, {#x}
        ("x://r{/a}", "x://r/1", {"a": "1"}),
        ("x://r{/a}", "x://r", None),
        ("x://r{/a,b}", "x://r/1/2", {"a": "1", "b": "2"}),
        ("x://r{/path*}", "x://r/1/2/3", {"path": ["1", "2", "3"]}),
        ("x://r{/path*}", "x://r/1", {"path": ["1"]}),
        ("x://r{/path*}", "x://r/1//3", None),
        ("x://r{/path*}", "x://r/1/", None),
        ("x://r{/path*}", "x://r/", None),
        ("x://r{/path*}", "x://r", None),
        ("x://r{/path*}", "x://r/a%2Fb/c", {"path": ["a/b", "c"]}),
        ("x://r{/path*,last}", "x://r/1/2/3", {"path": ["1", "2"], "last": "3"}),
        ("x://r{/path*}/end", "x://r/1/end/end", {"path": ["1", "end"]}),
        ("x://{name}{.ext}", "x://a.tar.gz", {"name": "a.tar", "ext": "gz"}),
        ("x://{name}{.ext}", "x://a", None),
        ("x://www{.dom*}", "x://www.example.com", {"dom": ["example", "com"]}),
        ("x://www{.dom*}", "x://www..com", None),
        ("x://www{.dom*}{/path*}", "x://www.a.b/c/d", {"dom": ["a", "b"], "path": ["c", "d"]}),
        ("x://a{#f}", "x://a#b/c?d#e", {"f": "b/c?d#e"}),
        ("x://a{#f}", "x://a", None),
        ("x://{+a}{#f}", "x://b#c#d", {"a": "b", "f": "c#d"}),
        # :n
        ("x://{a:3}", "x://123", {"a": "123"}),
        ("x://{a:3}", "x://1234", None),
        ("x://{a:2}-{b}", "x://1-2-3", {"a": "1", "b": "2-3"}),
        ("x://{a:1}-{b}-{c}", "x://1-2-3-4", {"a": "1", "b": "2-3", "c": "4"}),
        ("x://{a:2}4{b}", "x://%414y", {"a": "A", "b": "y"}),
        ("x://{a:2}4{b}", "x://%C3%A9%C3%A94y", {"a": "éé", "b": "y"}),
        ("x://{a:2}4{b}", "x://%C3%A9%C3%A9z4y", None),
        ("x://{a:2}4{b}", "x://x44y", {"a": "x4", "b": "y"}),
        ("x://{+a}/{b:2}", "x://1/2/3", {"a": "1/2", "b": "3"}),
        ("x://{+a}1{b:2}1{c}", "x://211111", {"a": "21", "b": "1", "c": "1"}),
        ("x://s{?q:2}", "x://s?q=%C3%A9%C3%A9", {"q": "éé"}),
        ("x://s{?q:2}", "x://s?q=123", None),
        # queries
        ("x://s{?q,n}", "x://s", {}),
        ("x://s{?q,n}", "x://s?q=1", {"q": "1"}),
        ("x://s{?q,n}", "x://s?n=2&q=1", {"q": "1", "n": "2"}),
        ("x://s{?q,n}", "x://s?q=", {"q": ""}),
        ("x://s{?q,n}", "x://s?q", {"q": ""}),
        ("x://s{?q,n}", "x://s?q=a=b/c?d", {"q": "a=b/c?d"}),
        ("x://s{?q,n}", "x://s?q=a+b%20c", {"q": "a+b c"}),
        ("x://s{?q,n}", "x://s?q=1&other=2", None),
        ("x://s{?q,n}", "x://s?Q=1", None),
        ("x://s{?q,n}", "x://s?q=1&q=2", None),
        ("x://s{?q,n}", "x://s?", None),
        ("x://s{?q,n}", "x://s?q=1&", None),
        ("x://s{?q,n}", "x://s?q=1&&n=2", None),
        ("x://s{?q,n}", "x://s?q=1#f", None),
        ("x://s{?q,n}", "x://sx", None),
        ("x://s{?q*}", "x://s?q=1&q=2&q=", {"q": ["1", "2", ""]}),
        ("x://s{?q*}", "x://s?q=1", {"q": ["1"]}),
        ("x://s{?q*}", "x://s", {}),
        ("x://{id}{?q}", "x://a?q=1", {"id": "a", "q": "1"}),
        ("x://{+path}{?q}", "x://a/b?q=1", {"path": "a/b", "q": "1"}),
        ("x://{+path}{?q}", "x://a?b", None),
        ("x://{+path}{?q}", "x://a%3Fb", {"path": "a?b"}),
        ("x://s?fixed=1{&q}", "x://s?fixed=1", {}),
        ("x://s?fixed=1{&q}", "x://s?fixed=1&q=2", {"q": "2"}),
        ("x://s?fixed=1{&q}", "x://s?q=2", None),
        ("x://s?id={id}{&q}", "x://s?id=1&q=2", {"id": "1", "q": "2"}),
        ("x://s?id={id}{&q}", "x://s?id=1&z=2", None),
        ("x://s{?q}{#f}", "x://s?q=1#a?b", {"q": "1", "f": "a?b"}),
        ("x://s{?q}{#f}", "x://s#a", {"f": "a"}),
        ("x://s{?q}#top", "x://s?q=1#top", {"q": "1"}),
        # path parameters
        ("x://m{;a,b}/r", "x://m;b=2;a=1/r", {"a": "1", "b": "2"}),
        ("x://m{;a,b}/r", "x://m/r", {}),
        ("x://m{;a,b}/r", "x://m;a/r", {"a": ""}),
        ("x://m{;a,b}/r", "x://m;a=1/2/r", None),
        ("x://m{;a,b}/r", "x://m;c=1/r", None),
        ("x://m{;a,b}/r", "x://m;/r", None),
        ("x://{x}{;a*}{?q}", "x://m;a=1;a=2?q=3;4", {"x": "m", "a": ["1", "2"], "q": "3;4"}),
        ("x://{+z}/k{;a}/{+b}", "x://q/k;a=1/k;a=2/r", {"z": "q", "a": "1", "b": "k;a=2/r"}),
    ],
)
def test_matching(template: str, uri: str, values: dict[str, Any] | None) -> None:
    assert UriTemplate(template).match(uri) == values


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        # decoded exactly once
        ("note://{x}", "note://a%20b", {"x": "a b"}),
        ("note://{x}", "note://%E6%97%A5", {"x": "日"}),
        ("note://{x}", "note://%e6%97%a5", {"x": "日"}),
        ("file:///{+path}", "file:///%252e%252e/x", {"path": "%2e%2e/x"}),
        ("file:///{+path}", "file:///%2e%2e/x", {"path": "../x"}),
        ("note://{x}", "note://a%2Fb", {"x": "a/b"}),
        ("note://{x}", "note://%252F", {"x": "%2F"}),
        ("x://s{?q}", "x://s?q=%2526", {"q": "%26"}),
        # what no URI can hold is the same as its percent-encoding, in values and in literals
        ("note://{x}", "note://日 記", {"x": "日 記"}),
        ("note://日記/{x}", "note://日記/a", {"x": "a"}),
        ("note://日記/{x}", "note://%E6%97%A5%E8%A8%98/a", {"x": "a"}),
        ("note://%E6%97%A5/{x}", "note://日/a", {"x": "a"}),
        # anything else is compared exactly
        ("note://Host/{x}", "note://host/a", None),
        ("note://host/{x}", "NOTE://host/a", None),
        ("note://a~b/{x}", "note://a%7Eb/c", None),
        ("note://a%2Fb/{x}", "note://a/b/c", None),
        # a literal is never found in the middle of a triplet
        ("x://{a}41", "x://%41", None),
        ("x://{a}1{b}", "x://%41x1y", {"a": "Ax", "b": "y"}),
        ("x://{a}1{b}", "x://%411%31", {"a": "A", "b": "1"}),
        ("x://{a}4{b}", "x://z4%41", {"a": "z", "b": "A"}),
        # broken
        ("note://{x}", "note://%", None),
        ("note://{x}", "note://%4", None),
        ("note://{x}", "note://%zz", None),
        ("note://{x}", "note://a%C3", None),
        ("note://{x}", "note://%A9", None),
        ("note://{x}", "note://%C0%AF", None),
        ("note://{x}", "note://%ED%A0%80", None),
        ("note://{x}", "note://\ud800", None),
        ("note://{x}", "note://a%00", None),
        ("note://{x}", "note://a\0", None),
        ("note://{x}", "note://a%0d%0ab", None),
        ("note://{x}", "note://a\nb", None),
        ("note://{x}", "note://a\n", None),
        ("note://{x}", "note://%7f", None),
        ("note://{x}", "note://%C2%85", None),
        ("x://s{?q}", "x://s?q=%00", None),
        ("x://s{?q}", "x://s?%00=1", None),
        ("x://r{/path*}", "x://r/a/%00", None),
    ],
)
def test_percent_encoding(template: str, uri: str, values: dict[str, Any] | None) -> None:
    assert UriTemplate(template).match(uri) == values


def test_the_values_come_in_the_order_of_the_uri_and_names_in_that_of_the_template() -> None:
    template = UriTemplate("x://{z}/{a}{?q,b*}")
    assert template.names == ("z", "a", "q", "b")
    assert template.text == "x://{z}/{a}{?q,b*}"
    assert repr(template) == "UriTemplate('x://{z}/{a}{?q,b*}')"
    assert list(template.match("x://1/2?b=3&q=4") or ()) == ["z", "a", "b", "q"]


def test_a_template_can_be_used_again_after_a_miss() -> None:
    template = UriTemplate("x://s{?q*}")
    assert template.match("x://s?q=1&z=1") is None
    assert template.match("x://s?q=2") == {"q": ["2"]}
    assert template.match("x://s?q=3") == {"q": ["3"]}


# ---- round trip ----

PLAIN = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8)
TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
RESERVED = PLAIN.filter(lambda value: not TRIPLET.search(value))
IN_FRONT = RESERVED.map(lambda value: re.sub(r"[?#;]", "-", value))
ANY = st.one_of(st.just(""), PLAIN)
LISTED = st.lists(PLAIN, min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("note://{a}", {"a": PLAIN}),
        ("note://{a}/{b}/x", {"a": PLAIN, "b": PLAIN}),
        ("note://{a,b}/{c}", {"a": PLAIN, "b": PLAIN, "c": PLAIN}),
        ("日記://{a}/é/{b}", {"a": PLAIN, "b": PLAIN}),
        ("x://{+a}", {"a": RESERVED}),
        ("x://{a}/{+b}", {"a": PLAIN, "b": RESERVED}),
        ("x://{+a}/{b}", {"a": RESERVED, "b": PLAIN}),
        ("x://{a*}", {"a": PLAIN}),
        ("x://a{#f}", {"f": RESERVED}),
        ("x://a{/b,c}", {"b": PLAIN, "c": PLAIN}),
        ("x://a{/b*}", {"b": LISTED}),
        ("x://a{/b*,c}", {"b": LISTED, "c": PLAIN}),
        ("x://{name}{.ext}", {"name": PLAIN, "ext": PLAIN.map(lambda value: value.replace(".", "-"))}),
        ("x://a{.b*}", {"b": st.lists(PLAIN.map(lambda value: value.replace(".", "-")), min_size=1)}),
        ("x://{a:4}/{b:2}", {"a": PLAIN.map(lambda value: value[:4]), "b": PLAIN.map(lambda value: value[:2])}),
        ("x://a{?b,c*,d:2}", {"b?": ANY, "c?": st.lists(ANY, min_size=1), "d?": ANY.map(lambda value: value[:2])}),
        ("x://a?b=1{&c,d*}", {"c?": ANY, "d?": st.lists(ANY, min_size=1)}),
        ("x://a{;b,c*}/{d}", {"b?": ANY, "c?": st.lists(ANY, min_size=1), "d": PLAIN}),
        ("x://{+a}{;b}{?c}{#d}", {"a": IN_FRONT, "b?": ANY, "c?": ANY, "d": RESERVED}),
    ],
)
@given(data=st.data())
def test_matching_gives_back_what_was_expanded(template: str, values: dict[str, Any], data: st.DataObject) -> None:
    required = {name: value for name, value in values.items() if not name.endswith("?")}
    optional = {name[:-1]: value for name, value in values.items() if name.endswith("?")}
    chosen: Any = data.draw(st.fixed_dictionaries(required, optional=optional))
    made = UriTemplate(template)
    uri = made.expand(chosen)
    assert uri.isascii()
    assert made.match(uri) == chosen


# ---- against a regular expression, which backtracks ----

ONE = r"(?:%[0-9A-F]{2}|[^%/?#])"
SEVERAL = r"(?:%[0-9A-F]{2}|[^%])"


@pytest.mark.parametrize(
    ("template", "pattern"),
    [
        ("{a}-{b}", f"({ONE}+)-({ONE}+)"),
        ("{a}--{b}-{c}", f"({ONE}+)--({ONE}+)-({ONE}+)"),
        ("{+a}/{b}/{+c}", f"({SEVERAL}+)/({ONE}+)/({SEVERAL}+)"),
        ("{+a}-{b:2}/{c}", f"({SEVERAL}+)-({ONE}{{1,2}})/({ONE}+)"),
        ("{a:3}-{b:2}-{+c}1", f"({ONE}{{1,3}})-({ONE}{{1,2}})-({SEVERAL}+)1"),
        ("{a:1}1{+b:3}1{c:2}", f"({ONE}{{1,1}})1({SEVERAL}{{1,3}})1({ONE}{{1,2}})"),
        ("1{+a}11{+b}", f"1({SEVERAL}+)11({SEVERAL}+)"),
    ],
)
@given(pieces=st.lists(st.sampled_from(["a", "1", "-", "-", "/", "%41", "%2D", "%31"]), max_size=14))
def test_finds_what_a_regular_expression_finds(template: str, pattern: str, pieces: list[str]) -> None:
    uri = "".join(pieces)
    expected = re.fullmatch(pattern, uri)
    found = UriTemplate(template).match(uri)
    if expected is None:
        assert found is None
    else:
        decoded = [value.replace("%41", "A").replace("%2D", "-").replace("%31", "1") for value in expected.groups()]
        assert found is not None
        assert list(found.values()) == decoded


# ---- hostile ----

TEMPLATES = [
    "{a}",
    "x{a,b}",
    "{+a}{;b}{?c*}{#d}",
    "x://{a:2}{/b*}{?c,d*}",
    "{a*}-{b}",
    "x?{a}{&b*}#x",
    "{a}{.b}",
]


@given(
    template=st.sampled_from(TEMPLATES),
    uri=st.one_of(
        st.text(),
        st.lists(st.sampled_from(["x", "://", "?c=", "&b", "%", "%41", "/", "#", ";b", "é", "\ud800"])).map("".join),
    ),
)
def test_nothing_raises_and_nothing_unnamed_comes_out(template: str, uri: str) -> None:
    made = UriTemplate(template)
    found = made.match(uri)
    if found is not None:
        assert set(found) <= set(made.names)
        for value in found.values():
            assert not re.search(r"[\x00-\x1f\x7f]", "".join(value))


LONG = 100_000


@pytest.mark.parametrize(
    ("template", "uri", "lengths"),
    [
        ("x://{a}-{b}-{c}-{d}!", "-" * LONG, None),
        ("x://{a}-{b}-{c}-{d}!", "-" * LONG + "!", [LONG - 6, 1, 1, 1]),
        ("x://{+a}/{b}/{+c}/{d}", "/" * LONG, None),
        ("x://{+a}/{b}/{+c}/{d}", "/x" * (LONG // 2), [LONG - 6, 1, 1, 1]),
        ("x://{+a}/x{b}y/{+c}", "/x" * (LONG // 2), None),
        ("x://{a:9}x{b:4000}y{c}", "xy" * (LONG // 2), [8, 4000, LONG - 4010]),
        ("x://{+a}1{+b}2{+c}3{+d}", "123" * (LONG // 3), [99_987, 3, 3, 3]),
        ("x://{a}A{b}", "%AA" * (LONG // 3), None),
        ("x://{a}a{b}", "%41" * (LONG // 3) + "a%41", [LONG // 3, 1]),
        ("x://r{/b*}", "r" + "/a" * (LONG // 2), [LONG // 2]),
        ("x://r{/b*}/{c}!", "r" + "/a" * (LONG // 2), None),
        ("x://r{/b*}", "r" + "/" * LONG, None),
        ("x://{a}{?b*}", "a?" + "b&" * (LONG // 2) + "b", [1, LONG // 2 + 1]),
        ("x://{a}{?b*}", "a?" + "b&" * (LONG // 2), None),
        ("x://{+a}{;b*}/{+c}", ";b/" * (LONG // 3), None),
        ("x://{+a}{;b*}/{+c}", "a" + ";b/" * (LONG // 3) + "c", [1, 1, LONG - 3]),
        ("x://{+a,b}", "," * LONG, [LONG - 2, 1]),
        ("x://{+a}aaaaaaab{b}", "a" * LONG, None),
    ],
)
def test_a_long_hostile_uri_takes_linear_time(template: str, uri: str, lengths: list[int] | None) -> None:
    """With backtracking these would take hours: the number of ways to split them grows with a power of the length."""
    found = UriTemplate(template).match("x://" + uri)
    assert (found and [len(value) for value in found.values()]) == lengths


# ---- the most specific first ----


@pytest.mark.parametrize(
    "templates",
    [
        ["note://today/{x}", "note://{a}/{x}", "note://{+rest}"],
        ["note://{a}", "note://{+a}"],
        ["note://{a}", "note://{a*}"],
        ["note://{a}.md", "note://{a}"],
        ["note://{a}{.b}", "note://{a}"],
        ["note://n{/a}", "note://n{/a*}"],
        ["note://n{/a,b}", "note://n{/a}", "note://n{?a}"],
        ["note://{a}", "note://{a}{?q}", "note://{a}{?q,n}", "note://{+a}{?q}"],
    ],
)
def test_weight_puts_the_most_specific_template_first(templates: list[str]) -> None:
    made = [UriTemplate(text) for text in reversed(templates)]
    assert [template.text for template in sorted(made, key=lambda template: template.weight)] == templates
