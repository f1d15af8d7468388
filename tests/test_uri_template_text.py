"""URI templates: expansion as in RFC 6570, and what is wrong with a template's text or with the values."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from picomcp_py.errors import ConfigError
from picomcp_py.uri_template import UriTemplate, has_expression

# The variables of RFC 6570, section 3.2.
VARIABLES: dict[str, Any] = {
    "dom": ["example", "com"],
    "dub": "me/too",
    "hello": "Hello World!",
    "half": "50%",
    "var": "value",
    "who": "fred",
    "base": "http://example.com/home/",
    "path": "/foo/bar",
    "list": ["red", "green", "blue"],
    "v": "6",
    "x": "1024",
    "y": "768",
    "empty": "",
    "empty_list": [],
    "undef": None,
}


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        # 3.2.2
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("{x,y}", "1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"),
        ("{var:3}", "val"),
        ("{var:30}", "value"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        # 3.2.3
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{+list}", "red,green,blue"),
        ("{+list*}", "red,green,blue"),
        # 3.2.4
        ("{#var}", "#value"),
        ("{#hello}", "#Hello%20World!"),
        ("{#half}", "#50%25"),
        ("foo{#empty}", "foo#"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"),
        ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("{#path:6}/here", "#/foo/b/here"),
        ("{#list}", "#red,green,blue"),
        ("{#list*}", "#red,green,blue"),
        # 3.2.5
        ("{.who}", ".fred"),
        ("{.half,who}", ".50%25.fred"),
        ("www{.dom*}", "www.example.com"),
        ("X{.var}", "X.value"),
        ("X{.empty}", "X."),
        ("X{.var:3}", "X.val"),
        ("X{.list}", "X.red,green,blue"),
        ("X{.list*}", "X.red.green.blue"),
        # 3.2.6
        ("{/who}", "/fred"),
        ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/var,empty}", "/value/"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{/list}", "/red,green,blue"),
        ("{/list*}", "/red/green/blue"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        # 3.2.7
        ("{;who}", ";who=fred"),
        ("{;half}", ";half=50%25"),
        ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;v,bar,who}", ";v=6;who=fred"),
        ("{;x,y,undef}", ";x=1024;y=768"),
        ("{;hello:5}", ";hello=Hello"),
        ("{;list}", ";list=red,green,blue"),
        ("{;list*}", ";list=red;list=green;list=blue"),
        # 3.2.8
        ("{?who}", "?who=fred"),
        ("{?half}", "?half=50%25"),
        ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("{?undef}", ""),
        ("{?empty_list*}", ""),
        ("{?var:3}", "?var=val"),
        ("{?list}", "?list=red,green,blue"),
        ("{?list*}", "?list=red&list=green&list=blue"),
        # 3.2.9
        ("{&who}", "&who=fred"),
        ("{&half}", "&half=50%25"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ("{&x,y,undef}", "&x=1024&y=768"),
        ("{&var:3}", "&var=val"),
        ("{&list}", "&list=red,green,blue"),
        ("{&list*}", "&list=red&list=green&list=blue"),
    ],
)
def test_expansion_as_in_the_rfc(template: str, uri: str) -> None:
    assert UriTemplate(template).expand(VARIABLES) == uri


@pytest.mark.parametrize(
    ("template", "values", "uri"),
    [
        ("x://{a}", {"a": 5}, "x://5"),
        ("x://{a}", {"a": "é日/?#%-._~"}, "x://%C3%A9%E6%97%A5%2F%3F%23%25-._~"),
        ("x://{a:2}", {"a": "日本語"}, "x://%E6%97%A5%E6%9C%AC"),
        ("x://{+a}", {"a": "é/%2F%zz%"}, "x://%C3%A9/%2F%25zz%25"),
        ("x://日/{a}", {"a": "b"}, "x://%E6%97%A5/b"),
        ("x://%C3%A9/{a}", {"a": "b"}, "x://%C3%A9/b"),
        ("x://s{/a*}", {"a": ("b", "c/d")}, "x://s/b/c%2Fd"),
        ("x://s{?a*}", {"a": ["", 1]}, "x://s?a=&a=1"),
        ("x://{a.b_C9}", {"a.b_C9": "d"}, "x://d"),
    ],
)
def test_expansion_of_other_values(template: str, values: dict[str, Any], uri: str) -> None:
    assert UriTemplate(template).expand(values) == uri


@pytest.mark.parametrize(
    ("template", "values"),
    [
        ("x://{a}/{b}", {"a": "1"}),
        ("x://{+b}", {"b": None}),
        ("x://r{/b*}", {"b": []}),
        ("x://r{/a,b}", {"a": "1"}),
        ("x://r{.b}", {}),
        ("x://r{#b}", {}),
    ],
)
def test_expansion_without_a_value_names_the_variable(template: str, values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match='no value for "b"') as caught:
        UriTemplate(template).expand(values)
    assert template in str(caught.value)


@pytest.mark.parametrize(
    ("template", "value", "error", "message"),
    [
        ("x://{a}", True, TypeError, 'the value of "a" must be a str, an int or a list of str, not bool'),
        ("x://{a}", 1.5, TypeError, "not float"),
        ("x://{a}", b"x", TypeError, "not bytes"),
        ("x://{a}", {"k": "v"}, TypeError, "not dict"),
        ("x://r{/a*}", ["b", None], TypeError, "must be a list of str, not a list with NoneType"),
        ("x://r{/a*}", [["b"]], TypeError, "not a list with list"),
        ("x://{a:3}", ["b"], ValueError, r'the value of "a" is a list, which \{a:3\} can\'t cut'),
        ("x://{a}", "\ud800", ValueError, 'the value of "a" holds a lone surrogate'),
    ],
)
def test_expansion_of_an_unfit_value(template: str, value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        UriTemplate(template).expand({"a": value})


# ---- the text ----


@pytest.mark.parametrize(
    ("text", "character", "fault"),
    [
        ("note://{a", 8, '"{" is never closed'),
        ("note://{a}/{", 12, '"{" is never closed'),
        ("note://a}", 9, '"}" closes nothing'),
        ("note://{a}}", 11, '"}" closes nothing'),
        ("note://{{a}}", 9, '"{" inside an expression'),
        ("note://{}", 8, "an empty expression"),
        ("note://{=a}", 9, 'RFC 6570 reserves the operator "="'),
        ("note://{,a}", 9, "RFC 6570 reserves"),
        ("note://{!a}", 9, "RFC 6570 reserves"),
        ("note://{@a}", 9, "RFC 6570 reserves"),
        ("note://{|a}", 9, "RFC 6570 reserves"),
        ("note://{$a}", 9, "unknown operator '$'"),
        ("note://{+}", 10, "a name is missing"),
        ("note://{a,}", 11, "a name is missing"),
        ("note://{?a,,b}", 12, "a name is missing"),
        ("note://{*}", 9, "a name is missing"),
        ("note://{:3}", 9, "a name is missing"),
        ("note://{a b}", 9, "\"a b\" can't be a variable's name"),
        ("note://{ a}", 9, '" a" can\'t be'),
        ("note://{a, b}", 11, '" b" can\'t be'),
        ("note://{?a-b}", 10, '"a-b" can\'t be'),
        ("note://{é}", 9, '"é" can\'t be'),
        ("note://{a..b}", 9, '"a..b" can\'t be'),
        ("note://{a.}", 9, '"a." can\'t be'),
        ("note://{a%20}", 9, '"a%20" can\'t be'),
        ("note://{a**}", 9, '"a*" can\'t be'),
        ("note://{a\n}", 9, "can't be"),
        ("note://{a:0}", 9, '":0" is no length'),
        ("note://{a:}", 9, '":" is no length'),
        ("note://{a:10000}", 9, '":10000" is no length'),
        ("note://{a:x}", 9, '":x" is no length'),
        ("note://{a:٣}", 9, "is no length"),
        ("note://{a:3*}", 9, '"a" has both'),
        ("note://{a*:3}", 9, '"a" has both'),
        ("note://{a}/{a}", 12, 'the name "a" is used twice'),
        ("note://{a,a}", 8, 'the name "a" is used twice'),
        ("note://{a}{?b,a}", 11, 'the name "a" is used twice'),
        ("note://%/{a}", 8, '"%" without two hex digits'),
        ("note://{a}/%4g", 12, '"%" without two hex digits'),
        ("note://b c/{a}", 9, 'write it percent-encoded, as "%20"'),
        ("note://{a}<", 11, 'write it percent-encoded, as "%3C"'),
        ("note://\0{a}", 8, "'\\x00' can't stand in a URI"),
        ("note://\ud800{a}", 8, "can't stand in a URI: leave it out"),
        ("note://{a}{b}", 11, 'nobody can tell where "a" ends and "b" begins'),
        ("note://{a}{+b}", 11, "{a}/{+b}"),
        ("note://{+a}{b}", 12, "nobody can tell"),
        ("note://r{/a*}{b}", 14, "nobody can tell"),
        ("note://r{/a*}{/b*}", 14, "nobody can tell"),
        ("note://r{/a*,b*}", 9, "nobody can tell"),
        ("note://{+a}{/b*}", 12, "nobody can tell"),
        ("note://{a*}{/b*}", 12, "nobody can tell"),
        ("note://{a}{.b*}", 11, "nobody can tell"),
        ("note://{?a}{?b}", 12, "write one expression, as in {?a,b}"),
        ("note://{?a}{&b}", 12, "write one expression, as in {?a,b}"),
        ("note://{&a}{&b}", 12, "write one expression, as in {&a,b}"),
        ("note://{;a}{;b}", 12, "write one expression, as in {;a,b}"),
        ("note://r?a=1{?b}", 13, 'a second "?": write {&b}'),
        ("note://{?a}/b", 12, 'nobody can tell where the value of "a" ends'),
        ("note://{?a}&b=1", 12, 'only "#" can follow {?...}: move this in front of it'),
        ("note://{?a}{b}", 12, 'only "#" can follow'),
        ("note://{?a}{/b}", 12, 'only "#" can follow'),
        ("note://{;a}{b}", 12, 'only "/" or "?" or "#" can follow {;...}'),
        ("note://{;a}.txt", 12, 'only "/" or "?" or "#" can follow'),
        ("note://{;a}{&b}", 12, 'only "/" or "?" or "#" can follow'),
    ],
)
def test_a_template_that_cannot_work(text: str, character: int, fault: str) -> None:
    with pytest.raises(ConfigError) as caught:
        UriTemplate(text)
    message = str(caught.value)
    assert message.startswith(f'URI template "{text}", character {character}: ')
    assert fault in message


@pytest.mark.parametrize(
    "text",
    [
        "x://{a}{.b}",
        "x://{+a}{/b}",
        "x://{+a}{.b}",
        "x://{/a,b*}",
        "x://www{.a*}{/b*}",
        "x://{a}{;b}{?c}{#d}",
        "x://{;a}/{b}",
        "x://a#/b{?c}",
        "x://{?a}#b{?c}",
        "x://{?a*,b*}",
    ],
)
def test_neighbours_that_can_be_told_apart(text: str) -> None:
    assert UriTemplate(text).text == text


def test_a_fixed_uri_is_no_template() -> None:
    with pytest.raises(ConfigError, match='"note://today": a fixed URI, not a template: write a variable in braces'):
        UriTemplate("note://today")
    with pytest.raises(ConfigError, match="a fixed URI"):
        UriTemplate("")


def test_a_text_of_another_type() -> None:
    with pytest.raises(ConfigError, match="a URI template must be a str, not bytes"):
        UriTemplate(b"note://{a}")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "answer"),
    [("note://{a}", True), ("note://a}", True), ("note://{a", True), ("note://a", False), ("", False)],
)
def test_one_brace_makes_a_template(text: str, answer: bool) -> None:
    assert has_expression(text) is answer


def test_a_long_text_is_cut_in_the_message() -> None:
    with pytest.raises(ConfigError) as caught:
        UriTemplate("note://" + "a" * 10_000 + "{")
    assert "character 10008" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_import_and_a_template_without_percent_signs_stay_cheap() -> None:
    program = """
import sys
before = set(sys.modules)
from picomcp_py.uri_template import UriTemplate
assert UriTemplate("note://{a}").match("note://b") == {"a": "b"}
assert "urllib.parse" in before or "urllib.parse" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
