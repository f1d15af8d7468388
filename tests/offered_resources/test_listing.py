"""What a template's `list` returns becomes entries of resources/list."""

from __future__ import annotations

import itertools
import logging
import re
from typing import Any

import pytest

from picomcp_py import McpError, link
from picomcp_py.errors import INTERNAL_ERROR
from picomcp_py.offered.resource import ResourceTemplate
from tests.offered_resources.reading import finished, listed

TEMPLATE = "note://{year}/{day}"
URI = "note://2026/09-05"


def ok() -> str:
    return "ok"


def entries(returned: Any, **config: Any) -> Any:
    return listed(TEMPLATE, {"read": ok, "list": lambda: returned, **config})


def refusal(returned: Any, template: str = TEMPLATE) -> str:
    with pytest.raises(McpError) as caught:
        listed(template, {"read": ok, "list": lambda: returned})
    assert caught.value.code == INTERNAL_ERROR
    begin = f'List of resource template "{template}" returned a value that cannot be sent: '
    assert caught.value.message.startswith(begin)
    return caught.value.message[len(begin) :]


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (None, []),
        ([], []),
        ((), []),
        ({"resources": []}, []),
        ([URI], [{"uri": URI, "name": "09-05"}]),
        ((URI,), [{"uri": URI, "name": "09-05"}]),
        ({URI}, [{"uri": URI, "name": "09-05"}]),
        ({URI: 1}.keys(), [{"uri": URI, "name": "09-05"}]),
        ({"resources": [URI]}, [{"uri": URI, "name": "09-05"}]),
        ([{"uri": URI}], [{"uri": URI, "name": "09-05"}]),
        ([{"uri": URI, "name": "n", "title": None}], [{"uri": URI, "name": "n"}]),
        ([{"year": 2026, "day": "09-05"}], [{"uri": URI, "name": "09-05"}]),
        ([{"year": "2026", "day": "a/b", "title": "t"}], [{"uri": "note://2026/a%2Fb", "name": "a/b", "title": "t"}]),
        ([link(URI, "n", title="t", size=3)], [{"uri": URI, "name": "n", "title": "t", "size": 3}]),
    ],
)
def test_an_item_is_a_uri_a_dict_or_the_variables(returned: Any, expected: Any) -> None:
    assert entries(returned) == expected


def test_an_item_shows_all_that_a_resource_has() -> None:
    item: dict[str, Any] = {
        "uri": URI,
        "name": "n",
        "title": "t",
        "description": "d",
        "mimeType": "a/b",
        "size": 3,
        "annotations": {"priority": 1},
        "icons": [{"src": "https://x/y.png"}],
    }
    assert entries([{**item, "meta": {"k": 1}}]) == [{**item, "_meta": {"k": 1}}]
    assert entries([{**item, "_meta": {"k": 1}}]) == [{**item, "_meta": {"k": 1}}]


def test_what_an_item_does_not_have_it_has_from_the_template() -> None:
    config: dict[str, Any] = {
        "name": "notes",
        "title": "All notes",
        "description": "d",
        "mimeType": "text/markdown",
        "annotations": {"priority": 1},
        "icons": [{"src": "https://x/y.png"}],
        "meta": {"k": 1},
    }
    inherited = {
        "description": "d",
        "mimeType": "text/markdown",
        "annotations": {"priority": 1},
        "icons": [{"src": "https://x/y.png"}],
        "_meta": {"k": 1},
    }
    assert entries([URI], **config) == [{"uri": URI, "name": "09-05", **inherited}]
    own = {"description": "e", "mimeType": "a/b", "annotations": {"priority": 0}, "_meta": {"l": 2}}
    assert entries([{"uri": URI, **own}], **config) == [{"uri": URI, "name": "09-05", **inherited, **own}]


def test_a_variable_wins_over_a_key_of_the_same_name() -> None:
    items = [{"name": "ann", "title": "Ann"}]
    assert listed("user://{name}", {"read": ok, "list": lambda: items}) == [
        {"uri": "user://ann", "name": "ann", "title": "Ann"}
    ]


def test_an_iterator_is_followed_where_the_handler_runs() -> None:
    made = ResourceTemplate(TEMPLATE, {"read": ok, "list": lambda: iter([URI])})
    job = made.listing()
    assert job is not None
    assert job.run() == [URI]
    assert finished(job) == {"resources": [{"uri": URI, "name": "09-05"}]}
    assert job.finish(iter([URI])) == finished(job)  # of an async handler


def test_an_endless_iterator_is_an_error() -> None:
    job = ResourceTemplate(TEMPLATE, {"read": ok, "list": lambda: itertools.repeat(URI)}).listing()
    assert job is not None
    fault = f'List of resource template "{TEMPLATE}" returned a value that cannot be sent: an iterator of more than'
    for returned in (job.run(), itertools.repeat(URI)):
        with pytest.raises(McpError, match=re.escape(fault)):
            job.finish(returned)


def test_a_long_list_is_made_in_a_thread() -> None:
    """`listed` checks that awaiting gives the same."""
    made = entries([{"year": 2026, "day": n} for n in range(1000)])
    assert [entry["name"] for entry in made] == [str(n) for n in range(1000)]


@pytest.mark.parametrize(
    ("returned", "fault"),
    [
        ("x", "expected a list of URIs or dicts, received string"),
        ({"uri": URI}, "expected a list of URIs or dicts, received object"),
        ({"resources": 5}, "expected a list of URIs or dicts, received number"),
        ({"resources": [], "nextCursor": "x"}, 'unknown key "nextCursor" beside resources: a template lists'),
        (b"x", "expected a list of URIs or dicts, received bytes"),
        (5, "expected a list of URIs or dicts, received number"),
        ([URI, 5], "list[1]: expected a URI or a dict, received number"),
        ([None], "list[0]: expected a URI or a dict, received null"),
        ([URI, "2026"], 'list[1].uri: "2026" is not an absolute URI'),
        ([{"uri": 5}], "list[0].uri: expected string, received number"),
        (["memo://2026/1"], f'list[0]: "memo://2026/1" is no URI of the template {TEMPLATE}: nobody could read it'),
        ([{}], 'list[0]: "uri" is missing: give it, or the variables year, day'),
        ([{"name": "n"}], 'list[0]: "uri" is missing'),
        ([{"year": "2026"}], f'list[0]: "{TEMPLATE}": no value for "day"'),
        ([{"year": "2026", "day": print}], f'list[0]: "{TEMPLATE}": the value of "day" must be a str'),
        ([{"year": "", "day": "x"}], f'list[0]: "note:///x" is no URI of the template {TEMPLATE}'),
        ([{"uri": URI, "Title": "x"}], 'list[0]: unknown key "Title": did you mean "title"?'),
        ([{"uri": URI, "year": "2026"}], 'list[0]: unknown key "year"'),
        ([{"year": "2026", "day": "1", "dayy": "x"}], 'list[0]: unknown key "dayy": did you mean "day"?'),
        ([{"uri": URI, "title": 5}], 'list[0]: "title" must be a string, not int'),
        ([{"uri": URI, "name": ""}], 'list[0]: "name" is empty'),
        ([{"uri": URI, "mimeType": "x"}], 'list[0]: "mimeType": "x" is not a MIME type'),
        ([{"uri": URI, "size": "3"}], 'list[0]: "size": expected the size in bytes'),
        ([{"uri": URI, "annotations": {"priority": 7}}], "list[0]: annotations: priority must be"),
        ([{"uri": URI, "_meta": {"k": print}}], "list[0]: the config can't be written as JSON: _meta.k"),
    ],
)  # fmt: skip
def test_what_cannot_be_listed_is_refused_by_its_place(returned: Any, fault: str) -> None:
    assert refusal(returned).startswith(fault)


def test_a_refusal_goes_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "picomcp_py"):
        refusal([5])
    assert 'list of resource template "note://{year}/{day}" returned what cannot be sent: list[0]' in caplog.text


def test_without_a_list_there_is_nothing_to_run() -> None:
    assert ResourceTemplate(TEMPLATE, {"read": ok}).listing() is None
