"""What a prompt's handler may return, and what can't be sent."""

from __future__ import annotations

import enum
import logging
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from msgspec import Raw

from picomcp_py import audio, image, link, resource, result, text
from picomcp_py.errors import INTERNAL_ERROR
from picomcp_py.offered.messages import to_messages
from picomcp_py.offered.prompt import Prompt
from picomcp_py.offered.sendable import Refused
from tests.offered_prompts.running import fault, got, said, wire

PIXEL = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
TEXT = {"type": "text", "text": "b"}


class Role(enum.StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class Broken(Mapping[str, Any]):
    """Can't be read."""

    def __getitem__(self, key: str) -> Any:
        raise OSError("the disk is gone")

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return 1


def spoken(role: str, *blocks: Any) -> list[dict[str, Any]]:
    return [{"role": role, "content": block} for block in blocks]


# ------------------------------------------------------------ what may be returned


@pytest.mark.parametrize(
    ("returned", "messages"),
    [
        (None, []),
        ([], []),
        ((), []),
        ("", spoken("user", {"type": "text", "text": ""})),
        ("a", spoken("user", {"type": "text", "text": "a"})),
        (Role.USER, spoken("user", {"type": "text", "text": "user"})),
        (
            text("a", {"annotations": {"priority": 1}}),
            spoken("user", {**TEXT, "text": "a", "annotations": {"priority": 1}}),
        ),
        (image(b"\x89PNG\r\n\x1a\n", "image/png"), spoken("user", PIXEL)),
        (audio("AAAA", "audio/wav"), spoken("user", {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"})),
        (
            link("note://1", "one"),
            spoken("user", {"type": "resource_link", "uri": "note://1", "name": "one"}),
        ),
        (
            resource("note://1", "body"),
            spoken("user", {"type": "resource", "resource": {"uri": "note://1", "text": "body"}}),
        ),
        (TEXT, spoken("user", TEXT)),
        ({"type": "image", "data": b"\x89PNG\r\n\x1a\n", "mimeType": "image/png"}, spoken("user", PIXEL)),
        ({"role": "assistant", "content": TEXT}, spoken("assistant", TEXT)),
        ({"role": Role.ASSISTANT, "content": "b"}, spoken("assistant", TEXT)),
        ({"role": "user", "content": text("b")}, spoken("user", TEXT)),
        ({"role": "assistant", "content": ["b", PIXEL, text("b")]}, spoken("assistant", TEXT, PIXEL, TEXT)),
        (
            ["b", PIXEL, text("b"), {"role": "assistant", "content": (TEXT, "b")}, {"role": "user", "content": "b"}],
            [*spoken("user", TEXT, PIXEL, TEXT), *spoken("assistant", TEXT, TEXT), *spoken("user", TEXT)],
        ),
        (("b", "b"), spoken("user", TEXT, TEXT)),
    ],
)
def test_a_returned_value_becomes_messages_of_one_block_each(returned: Any, messages: Any) -> None:
    assert wire(to_messages(returned)) == {"messages": messages}


@pytest.mark.parametrize(
    ("returned", "sent"),
    [
        ({"messages": spoken("user", TEXT)}, {"messages": spoken("user", TEXT)}),
        ({"messages": []}, {"messages": []}),
        ({"messages": [], "description": None, "_meta": None}, {"messages": []}),
        (
            {"description": "D", "messages": ("b",), "_meta": {"example.com/x": [1]}},
            {"description": "D", "messages": spoken("user", TEXT), "_meta": {"example.com/x": [1]}},
        ),
        ({"messages": [], "_meta": Raw(b'{"a":1}')}, {"messages": [], "_meta": {"a": 1}}),
    ],
)
def test_a_whole_result_is_sent_as_it_is(returned: Any, sent: Any) -> None:
    assert wire(to_messages(returned)) == sent


@pytest.mark.anyio
async def test_the_description_of_the_prompt_is_not_added() -> None:
    config = {"title": "T", "description": "D", "run": lambda: {"messages": [{"role": "user", "content": TEXT}]}}
    assert await got(config) == {"messages": spoken("user", TEXT)}


def test_what_the_handler_returned_is_not_changed() -> None:
    block = {"type": "image", "data": b"\x89PNG\r\n\x1a\n", "mimeType": "image/png", "_meta": None}
    returned = {"messages": [{"role": "user", "content": [block]}], "description": None}
    assert wire(to_messages(returned)) == {"messages": spoken("user", PIXEL)}
    assert returned == {"messages": [{"role": "user", "content": [block]}], "description": None}
    assert block["data"] == b"\x89PNG\r\n\x1a\n"


@pytest.mark.anyio
async def test_an_async_handler_and_one_that_gives_a_coroutine() -> None:
    async def later(input: Any) -> str:
        return "later"

    assert await got({"run": later}) == said("later")
    assert await got({"run": lambda input: later(input)}) == said("later")


@pytest.mark.anyio
async def test_a_lone_surrogate_does_not_cost_the_reply() -> None:
    bad, good = "caf\udce9", "caf\ufffd"
    whole = {
        "messages": [bad, {"type": "text", "text": bad}, {"role": "assistant", "content": resource("note://1", bad)}],
        "description": bad,
        "_meta": {bad: bad},
    }
    result = await got({"run": lambda: whole})
    assert (result["description"], result["_meta"]) == (good, {good: good})
    assert [m["content"].get("text") or m["content"]["resource"]["text"] for m in result["messages"]] == [good] * 3


# ------------------------------------------------------------ what can't be sent


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (5, 'messages[0]: expected a string, a content block or {"role": ..., "content": ...}, received number'),
        (True, "messages[0]: expected a string, a content block or"),
        (b"x", "messages[0]: expected a string, a content block or"),
        ({"text": "a"}, "messages[0]: expected a string, a content block or"),
        ({}, "messages[0]: expected a string, a content block or"),
        (result("a"), "received CallResult"),
        ({"a", "b"}, "received set"),
        (["a", None], "messages[1]: expected a string, a content block or"),
        (["a", ["b"]], "messages[1]: expected a string"),
        (["a", {"messages": []}], "received object: return the whole result by itself, not in a list"),
        ({"role": "system", "content": "a"}, 'messages[0].role: expected "user" or "assistant", received "system"'),
        ({"role": 5, "content": "a"}, 'messages[0].role: expected "user" or "assistant", received number'),
        ({"role": ["user"], "content": "a"}, 'messages[0].role: expected "user" or "assistant", received array'),
        ({"content": "a"}, 'messages[0].role: expected "user" or "assistant", received nothing'),
        ({"role": "user"}, "messages[0].content: expected a content block, received null"),
        ({"role": "user", "content": 5}, "messages[0].content: expected a content block, received number"),
        ({"role": "user", "content": []}, "messages[0].content: expected a content block, received an empty list"),
        ({"role": "user", "content": ["a", 5]}, "messages[0].content[1]: expected a content block, received number"),
        ({"role": "user", "content": "a", "nmae": 1}, "messages[0]: unknown key 'nmae': a message has role, content"),
        ({"role": "user", "type": "text", "text": "a"}, "messages[0]: unknown key 'type': a message has role, content"),
        ({"role": "user", "content": "a", 5: 1}, "messages[0]: unknown key '5'"),
        (["a", {"type": "text"}], "messages[1].content.text: missing"),
        (["a", {"type": "json", "json": {}}], "messages[1].content.type: expected one of text, image, audio"),
        (
            {"type": "image", "data": "data:image/png;base64,AAAA", "mimeType": "image/png"},
            "messages[0].content.data: a",
        ),
        (
            [{"role": "user", "content": [TEXT, {**PIXEL, "mimeType": "png"}]}],
            'messages[0].content[1].mimeType: "png" is not a MIME type',
        ),
        ({**TEXT, "x": object()}, "messages[0].content.x: a value of type object"),
        (text("a", meta={"x": object()}), "messages[0].content._meta.x: a value of type object"),
        ({"messages": "a"}, "messages: expected array, received string"),
        ({"messages": None}, "messages: expected array, received null"),
        ({"messages": [5]}, "messages[0]: expected a string"),
        ({"messages": [], "descritpion": "d"}, "unknown key 'descritpion': a result has messages, description, _meta"),
        ({"messages": [], "description": 5}, "description: expected string, received number"),
        ({"messages": [], "_meta": [1]}, "_meta: expected object, received array"),
        ({"messages": [], "_meta": {"x": object()}}, "_meta.x: a value of type object"),
        ({"messages": [], "_meta": Raw(b"{")}, "_meta: a msgspec.Raw that is not JSON"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_its_place(returned: Any, message: str) -> None:
    with pytest.raises(Refused) as caught:
        to_messages(returned)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.anyio
async def test_the_client_gets_an_internal_error_and_the_log_what_lies_behind_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    block = {"type": "text", "text": "a", "_meta": {"rows": Broken()}}
    with caplog.at_level(logging.ERROR, "picomcp_py"):
        error = await fault({"run": lambda: ["a", {"role": "user", "content": block}]})
    text = "messages[1].content._meta.rows: a value of type Broken could not be read (OSError)"
    assert (error.code, error.data) == (INTERNAL_ERROR, None)
    assert error.message == f'Prompt "p" returned a value that cannot be sent: {text}'
    assert f'prompt "p" returned what cannot be sent: {text}' in caplog.text
    assert "OSError: the disk is gone" in caplog.text


def test_each_get_gives_a_result_of_its_own() -> None:
    kept = {"messages": [{"role": "user", "content": TEXT}]}
    prompt = Prompt("p", {"run": lambda: kept})
    first, second = (prompt.getting().finish(kept) for _ in range(2))
    assert first == second
    assert first["messages"] is not second["messages"]
    assert first["messages"][0] is not kept["messages"][0]
