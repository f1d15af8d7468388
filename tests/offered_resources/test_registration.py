"""Everything wrong with a resource's config is an error there, naming the resource, the key and the fix."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

import pytest

from picomcp_py import ConfigError
from picomcp_py.offered.resource import Resource, ResourceTemplate, make_resource
from tests.offered_resources.reading import failure, read, refused

URI = "note://index"
TEMPLATE = "note://{date}"


def ok() -> str:
    return "ok"


# ---- the URI ----


@pytest.mark.parametrize(
    "uri",
    [
        "note://index",
        "note:",
        "note:///",
        "urn:isbn:0451450523",
        "file:///a/b.txt",
        "https://user@example.com:8080/a/b;c=1?q=a/b?c#f/?",
        "http://[2001:db8::1]:80/x",
        "test+x.y-z://h%20t/%C3%A9",
        "mailto:a@b.c",
        "note:a//b",
    ],
)
def test_a_fixed_uri_is_any_absolute_uri(uri: str) -> None:
    made = make_resource(uri, {"read": ok})
    assert isinstance(made, Resource)
    assert made.name == made.entry["uri"] == uri


@pytest.mark.parametrize(
    ("uri", "fault"),
    [
        (5, "a resource's URI must be a string, not int: server.resource(uri, config)"),
        (None, "a resource's URI must be a string, not NoneType"),
        ("", 'resource "": its URI has no scheme: write it in full, as in "note://index"'),
        ("notes/today", 'resource "notes/today": its URI has no scheme: write it in full, as in "note://notes/today"'),
        ("/etc/x", 'has no scheme: write it in full, as in "note://etc/x"'),
        ("//host/x", "has no scheme"),
        ("1a:x", "has no scheme"),
        ("note//{date}", 'resource template "note//{date}": its URI has no scheme'),
        ("{+uri}", "has no scheme"),
        ("note://my notes", 'is no URI (RFC 3986): percent-encode what can\'t stand in one, "note://my%20notes"'),
        ("note://caf\xe9", 'percent-encode what can\'t stand in one, "note://caf%C3%A9"'),
        ("note://50%", 'percent-encode what can\'t stand in one, "note://50%25"'),
        ('note://"x"', '"note://%22x%22"'),
        ("note://a\\b", '"note://a%5Cb"'),
        ("note://a\nb", "leave out the control characters"),
        ("note://\ud800", "leave out the lone surrogates"),
        ("note://a#b#c", '"#", "[" and "]" may stand only where'),
        ("note://a/[b]", '"#", "[" and "]" may stand only where'),
        ("note://{date", 'resource template "note://{date": URI template'),
        ("note://{a}{b}", 'resource template "note://{a}{b}": URI template "note://{a}{b}", character 11'),
        ("x" * 300, f'resource "{"x" * 199}…": its URI has no scheme'),
    ],
)
def test_a_bad_uri_is_refused_with_what_to_write(uri: Any, fault: str) -> None:
    assert fault in refused(uri, {"read": ok})


def test_a_brace_makes_a_template() -> None:
    made = make_resource(TEMPLATE, {"read": ok})
    assert isinstance(made, ResourceTemplate)
    assert made.name == made.entry["uriTemplate"] == TEMPLATE


# ---- the keys ----


class Reader:
    def __call__(self, uri: str, params: Any, ctx: Any, more: Any) -> str:
        return ""


@pytest.mark.parametrize(
    ("uri", "config", "fault"),
    [
        (URI, None, "the config must be a dict, not NoneType"),
        (URI, {"read": ok, "mimetype": "a/b"}, 'unknown key "mimetype": did you mean "mimeType"?'),
        (URI, {"read": ok, "run": ok}, 'unknown key "run"'),
        (URI, {}, 'nothing says what is read: give "read", a function of (uri, ctx) that returns str, bytes or'),
        (URI, {"read": None}, "nothing says what is read"),
        (URI, {"read": ok, "file": "x"}, '"read" and "file" say both what is read: leave one of them out'),
        (TEMPLATE, {}, 'give "read", a function of (uri, params, ctx) that returns str, bytes or data, or "folder", a'),
        (TEMPLATE, {"read": ok, "folder": "x"}, '"read" and "folder" say both what is read'),
        (URI, {"read": ok, "list": ok}, '"list" is for URI templates: a fixed URI is listed as it is; leave it out'),
        (URI, {"read": ok, "complete": {}}, '"complete" is for URI templates: this URI has no variable'),
        (URI, {"folder": "."}, '"folder" is for URI templates: write a variable for the path, as in "docs:///{+path}"'),
        (TEMPLATE, {"file": "x"}, '"file" is for a fixed URI: use "folder"'),
        (TEMPLATE, {"read": ok, "size": 1}, '"size" is for a fixed URI: give the sizes in what "list" returns'),
        (TEMPLATE, {"read": ok, "complete": {"day": ok}}, 'complete: unknown key "day"'),
        (TEMPLATE, {"read": ok, "complete": ok}, '"complete" must be a dict'),
        (TEMPLATE, {"read": ok, "complete": {"date": 5}}, '"complete" must be a function'),
        (URI, {"read": "text"}, '"read" must be a function of (uri, ctx), not str'),
        (TEMPLATE, {"read": 5}, '"read" must be a function of (uri, params, ctx), not int'),
        (URI, {"read": lambda uri, ctx, more: ""}, '"read" takes 3 parameters (uri, ctx, more)'),
        (TEMPLATE, {"read": Reader()}, '"read" takes 4 parameters (uri, params, ctx, more)'),
        (TEMPLATE, {"read": ok, "list": lambda uri, ctx: []}, '"list" takes 2 parameters (uri, ctx)'),
        (TEMPLATE, {"read": ok, "list": []}, '"list" must be a function of (ctx), not list'),
        (URI, {"read": ok, "timeout": 0}, '"timeout" must be a number of seconds above 0, not 0'),
        (URI, {"read": ok, "timeout": 1, "thread": False}, '"timeout" can\'t stop a def handler'),
        (URI, {"read": ok, "thread": 1}, '"thread" must be True or False, not int'),
        (URI, {"read": ok, "tags": "x"}, '"tags" must be a list of strings'),
        (URI, {"read": ok, "name": 5}, '"name" must be a string, not int'),
        (URI, {"read": ok, "name": ""}, '"name" is empty: leave it out, or give one'),
        (URI, {"read": ok, "title": 5}, '"title" must be a string, not int'),
        (URI, {"read": ok, "description": 5}, '"description" must be a string, not int'),
        (URI, {"read": ok, "mimeType": 5}, '"mimeType" must be a string, not int'),
        (URI, {"read": ok, "mimeType": "markdown"}, '"mimeType": "markdown" is not a MIME type: write it in full'),
        (URI, {"read": ok, "size": -1}, '"size": expected the size in bytes, a whole number >= 0'),
        (URI, {"read": ok, "size": True}, '"size": expected the size in bytes'),
        (URI, {"read": ok, "ttlMs": -1}, '"ttlMs" must be an integer of at least 0, not -1'),
        (URI, {"read": ok, "cacheScope": "all"}, "\"cacheScope\" must be 'public' or 'private', not 'all'"),
        (URI, {"read": ok, "icons": [{"src": "x"}]}, 'icons[0]: "src" must be an https:, http: or data: URI'),
        (URI, {"read": ok, "meta": {1: 2}}, '"meta" must be a dict with string keys'),
        (URI, {"read": ok, "meta": {"a": print}}, "the config can't be written as JSON: _meta.a: a value of type"),
        (URI, {"read": ok, "annotations": []}, "annotations must be a dict of audience, priority, lastModified"),
        (URI, {"read": ok, "annotations": {"Priority": 1}}, 'annotations: unknown key "Priority": did you mean'),
        (URI, {"read": ok, "annotations": {"audience": "user"}}, 'annotations: audience must be an array of "user"'),
        (URI, {"read": ok, "annotations": {"audience": ["model"]}}, "annotations: audience must be an array"),
        (URI, {"read": ok, "annotations": {"priority": 2}}, "annotations: priority must be a number from 0 to 1"),
        (URI, {"read": ok, "annotations": {"priority": True}}, "annotations: priority must be a number from 0 to 1"),
        (URI, {"read": ok, "annotations": {"lastModified": 5}}, "annotations: lastModified must be an ISO 8601 string"),
        (
            URI,
            {"read": ok, "annotations": {"lastModified": "yesterday"}},
            "annotations: lastModified must be an ISO 8601 string, as in \"2026-01-12T15:00:58Z\", not 'yesterday'",
        ),
        (URI, {"file": 5}, '"file" must be a path, a str or a pathlib.Path, not 5'),
        (URI, {"file": ""}, "\"file\" must be a path, a str or a pathlib.Path, not ''"),
        (URI, {"file": b"x"}, '"file" must be a path'),
        (URI, {"file": __file__, "thread": False}, '"thread": False would have the disk hold up the event loop'),
        (TEMPLATE, {"folder": ".", "list": ok}, '"list" is not for a folder, which lists its own files: leave it out'),
        ("d://{a}/{+b}", {"folder": "."}, '"folder" needs one variable, for the path: write {+path} and no other'),
        ("d://{a:3}", {"folder": "."}, "can't hold a path such as \"folder one/of many.v1.txt\": write {+path}"),
        ("d:/{/a*}", {"folder": "."}, "can't hold a path such as"),
        ("d://{+p}", {"folder": ".", "complete": 5}, '"complete" must be a dict'),
    ],
)  # fmt: skip
def test_a_bad_config_is_refused_by_resource_key_and_fix(uri: str, config: Any, fault: str) -> None:
    said = refused(uri, config)
    kind = "resource template" if "{" in uri else "resource"
    assert said.startswith(f'{kind} "{uri}": ')
    assert fault in said


def test_a_file_or_folder_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    missing = tmp_path / "none"
    assert f'"file": "{missing}" does not exist: make it first' in refused(URI, {"file": missing})
    assert f'"file": "{tmp_path}" is a directory: use "folder" and a template' in refused(URI, {"file": tmp_path})
    assert f'"folder": the folder "{missing}" does not exist' in refused("d://{+p}", {"folder": missing})
    assert "is not a directory" in refused("d://{+p}", {"folder": tmp_path / "a.txt"})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs are of POSIX")
def test_a_fifo_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in refused(URI, {"file": tmp_path / "pipe"})


def test_each_kind_refuses_the_uris_of_the_other() -> None:
    with pytest.raises(ConfigError, match="a fixed URI, not a template"):
        ResourceTemplate(URI, {"read": ok})
    with pytest.raises(ConfigError, match="is no URI"):
        Resource(TEMPLATE, {"read": ok})


# ---- the entry ----


def test_the_entry_has_what_the_config_says_and_nothing_else() -> None:
    assert make_resource(URI, {"read": ok}).entry == {"uri": URI, "name": "index"}
    assert make_resource(TEMPLATE, {"read": ok}).entry == {"uriTemplate": TEMPLATE, "name": TEMPLATE}
    everything: dict[str, Any] = {
        "name": "n",
        "title": "t",
        "description": "d",
        "mimeType": "text/markdown",
        "annotations": {"audience": ("user", "assistant"), "priority": 0.5, "lastModified": None},
        "icons": [{"src": "https://x/y.png", "theme": None}],
        "meta": {"k": {"n": 1}},
    }
    shown = {
        **everything,
        "annotations": {"audience": ["user", "assistant"], "priority": 0.5},
        "icons": [{"src": "https://x/y.png"}],
        "_meta": {"k": {"n": 1}},
    }
    del shown["meta"]
    others = {"ttlMs": 5, "cacheScope": "public", "tags": ["a"], "timeout": 1.5, "read": ok}
    assert make_resource(URI, {**everything, **others, "size": 3}).entry == {"uri": URI, "size": 3, **shown}
    made = make_resource(TEMPLATE, {**everything, **others, "complete": {"date": ["x"]}, "list": list})
    assert made.entry == {"uriTemplate": TEMPLATE, **shown}
    assert made.tags == ("a",)


def test_none_is_an_absent_key() -> None:
    config = dict.fromkeys(["name", "title", "mimeType", "annotations", "icons", "size", "meta", "ttlMs", "cacheScope"])
    config |= dict.fromkeys(["list", "complete", "folder", "file", "tags", "timeout", "thread"])
    assert make_resource(URI, {**config, "read": ok}).entry == {"uri": URI, "name": "index"}


def test_when_something_was_modified_may_be_a_datetime() -> None:
    moment = datetime.datetime(2026, 1, 12, 15, tzinfo=datetime.UTC)
    made = make_resource(URI, {"read": ok, "annotations": {"lastModified": moment}})
    assert made.entry["annotations"] == {"lastModified": "2026-01-12T15:00:00Z"}


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("note://index", "index"),
        ("file:///reports/q3.csv", "q3.csv"),
        ("file:///reports/my%20file.csv?x=/y#/z", "my file.csv"),
        ("https://example.com/", "example.com"),
        ("urn:isbn:0451450523", "urn:isbn:0451450523"),
        ("note:///", "note:///"),
        ("note:", "note:"),
    ],
)
def test_without_a_name_it_is_the_last_part_of_the_uri(uri: str, name: str) -> None:
    assert make_resource(uri, {"read": ok}).entry["name"] == name


def test_a_file_publishes_the_type_that_its_name_tells(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    assert make_resource(URI, {"file": tmp_path / "a.md"}).entry["mimeType"] == "text/markdown"
    assert make_resource(URI, {"file": tmp_path / "a.md", "mimeType": "a/b"}).entry["mimeType"] == "a/b"
    (tmp_path / "a").write_text("a")
    assert "mimeType" not in make_resource(URI, {"file": str(tmp_path / "a")}).entry


# ---- reading ----


def test_a_handler_takes_as_much_as_it_wants() -> None:
    assert read(URI, {"read": lambda: "none"})["contents"][0]["text"] == "none"
    assert read(URI, {"read": lambda uri: uri})["contents"][0]["text"] == URI
    assert read(URI, {"read": lambda uri, ctx: [uri, ctx]})["contents"][0]["text"] == f'["{URI}",null]'
    asked = "note://2026-09-05"
    assert read(TEMPLATE, {"read": lambda uri: uri}, asked)["contents"][0]["text"] == asked
    both = {"read": lambda uri, params: [uri, params]}
    assert read(TEMPLATE, both, asked)["contents"][0]["text"] == f'["{asked}",{{"date":"2026-09-05"}}]'
    with_context = {"read": lambda uri, ctx: [uri, ctx]}
    assert read(TEMPLATE, with_context, asked)["contents"][0]["text"] == f'["{asked}",null]'


def test_a_handler_may_say_that_nothing_is_there() -> None:
    assert failure(TEMPLATE, {"read": lambda: None}, "note://x").data == {"uri": "note://x"}


def test_a_job_is_named_by_the_uri_that_is_read() -> None:
    fixed, template = Resource(URI, {"read": ok}), ResourceTemplate(TEMPLATE, {"read": ok, "list": list})
    assert fixed.reading(URI, None, None).label == 'resource "note://index"'
    assert template.reading("note://x\n", {"date": "x"}, None).label == 'resource "note://x\ufffd"'
    assert len(template.reading("note://" + "x" * 9999, {"date": "x"}, None).label) < 220
    listing = template.listing()
    assert listing is not None
    assert listing.label == 'list of resource template "note://{date}"'


@pytest.mark.parametrize("uri", [URI, TEMPLATE])
def test_its_own_cache_hints_go_over_the_servers(uri: str) -> None:
    server = {"ttlMs": 1, "cacheScope": "private"}
    assert make_resource(uri, {"read": ok}).reading("note://x", None, server).caching == server
    own = {"read": ok, "ttlMs": 0, "cacheScope": "public"}
    assert make_resource(uri, own).reading("note://x", None, server).caching == {"ttlMs": 0, "cacheScope": "public"}
    assert make_resource(uri, {"read": ok, "ttlMs": 9}).reading("note://x", None, server).caching == {
        **server,
        "ttlMs": 9,
    }


def test_timeout_and_thread_are_those_of_the_job() -> None:
    job = make_resource(URI, {"read": ok, "timeout": 2}).reading(URI, None, None)
    assert (job.timeout, job.threaded) == (2, True)
    job = make_resource(URI, {"read": ok, "thread": False}).reading(URI, None, None)
    assert (job.timeout, job.threaded, job.plain) == (None, False, True)
    made = ResourceTemplate(TEMPLATE, {"read": ok, "list": list_nothing, "timeout": 2})
    listing = made.listing()
    assert listing is not None
    assert (listing.timeout, listing.threaded) == (2, True)


def list_nothing() -> None:
    return None
