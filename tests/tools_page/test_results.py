"""What a tool returns and what the client receives, as the page has it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

import picomcp_py
from picomcp_py import audio, image, link, pico, text
from tests.peer import EVERY, connected, text_of
from tests.tools_page.manifest import covers

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
BASE64 = base64.b64encode(PNG).decode()


async def received(value: Any, revision: str, output: Any = None) -> dict[str, Any]:
    """The members of the result that a client gets for what `run` returned, without the era's envelope."""
    server = pico({"name": "s"}).tool("t", {"run": lambda: value, "output": output})
    async with connected(server, revision) as peer:
        result = await peer.call("t", {})
    return {key: result[key] for key in ("content", "structuredContent", "isError") if key in result}


def says(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def with_structured(result: dict[str, Any], structured: Any, revision: str) -> dict[str, Any]:
    """`structuredContent` exists since 2025-06-18."""
    return {**result, "structuredContent": structured} if revision >= "2025-06-18" else result


@covers("R1")
async def test_one_tool_may_return_now_this_and_now_that() -> None:
    values = iter(["text", {"a": 1}, [1, 2], 3, None, text("block")])
    server = pico({"name": "s"}).tool("t", {"run": lambda: next(values)})
    async with connected(server) as peer:
        got = [(await peer.call("t"))["content"] for _ in range(6)]
    assert [[block["text"] for block in content] for content in got] == [
        ["text"],
        ['{"a":1}'],
        ["[1,2]"],
        ["3"],
        [],
        ["block"],
    ]


@covers("R2", "F13")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize(
    "value", ["Hello", "", "two\nlines", '{"looks": "like JSON"}', "größer — 工具 😀", "\u2028\x00"]
)
async def test_a_string_is_one_text_block(revision: str, value: str) -> None:
    assert await received(value, revision) == says(value)


@covers("R3", "R4", "F14")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize(
    ("value", "json"),
    [
        ({}, "{}"),
        (
            {"sku": "tea", "price": 4.5, "tags": ["a"], "none": None},
            '{"sku":"tea","price":4.5,"tags":["a"],"none":null}',
        ),
        ({"ö": {"n": [1, {"x": True}]}}, '{"ö":{"n":[1,{"x":true}]}}'),
    ],
)
async def test_an_object_is_json_as_text_and_as_structured_content(revision: str, value: Any, json: str) -> None:
    assert await received(value, revision) == with_structured(says(json), value, revision)


@covers("R3", "F15")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize(
    ("value", "json"),
    [
        ([], "[]"),
        ([1, "a", None], '[1,"a",null]'),
        ([{"title": "x"}], '[{"title":"x"}]'),
        (42, "42"),
        (4.5, "4.5"),
        (5.0, "5"),
        (-1, "-1"),
    ],
)
async def test_an_array_or_number_is_json_as_text_alone(revision: str, value: Any, json: str) -> None:
    assert await received(value, revision) == says(json)


BLOCKS = [
    (text("hi"), {"type": "text", "text": "hi"}),
    (image(PNG, "image/png"), {"type": "image", "data": BASE64, "mimeType": "image/png"}),
    ({"type": "text", "text": "hi"}, {"type": "text", "text": "hi"}),
    (
        {"type": "image", "data": "AAAA", "mimeType": "image/png", "_meta": {"k": 1}},
        {"type": "image", "data": "AAAA", "mimeType": "image/png", "_meta": {"k": 1}},
    ),
]


@covers("R5", "F16")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize(("block", "wire"), BLOCKS)
async def test_a_content_block_is_sent_as_it_is(revision: str, block: Any, wire: Any) -> None:
    assert await received(block, revision) == {"content": [wire]}


@covers("R6", "F16")
@pytest.mark.parametrize("revision", EVERY)
async def test_a_list_of_content_blocks_is_sent_as_it_is(revision: str) -> None:
    blocks, wire = zip(*BLOCKS, strict=True)
    assert await received(list(blocks), revision) == {"content": list(wire)}


@covers("R7", "F17")
@pytest.mark.parametrize("revision", EVERY)
async def test_a_dict_with_content_is_the_result(revision: str) -> None:
    result = {"content": [{"type": "text", "text": "for people"}], "structuredContent": {"for": "programs"}}
    expected = with_structured(says("for people"), {"for": "programs"}, revision)
    assert await received(result, revision) == expected
    failed = {"content": [{"type": "text", "text": "Try later"}], "isError": True}
    assert await received(failed, revision) == failed
    assert await received({"content": []}, revision) == {"content": []}


@covers("R7", "F17")
async def test_the_result_s_own_meta_is_sent() -> None:
    server = pico({"name": "s"}).tool("t", {"run": lambda: {"content": [], "_meta": {"com.example/cost": 3}}})
    async with connected(server) as peer:
        assert (await peer.call("t"))["_meta"]["com.example/cost"] == 3


@covers("R8", "F18")
@pytest.mark.parametrize("revision", EVERY)
async def test_none_is_an_empty_result(revision: str) -> None:
    assert await received(None, revision) == {"content": []}


@covers("R9", "F19")
def test_the_four_helpers_are_exported() -> None:
    assert {"text", "image", "audio", "link"} <= set(picomcp_py.__all__)


@covers("R9", "F20")
@pytest.mark.parametrize("revision", EVERY)
async def test_text(revision: str) -> None:
    assert await received(text("Here is the chart:"), revision) == says("Here is the chart:")


@covers("R9", "R10", "F21")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("data", [PNG, bytearray(PNG), BASE64], ids=["bytes", "bytearray", "base64"])
async def test_image_of_bytes_or_base64(revision: str, data: Any) -> None:
    block = {"type": "image", "data": BASE64, "mimeType": "image/png"}
    assert await received(image(data, "image/png"), revision) == {"content": [block]}


@covers("R9", "F23")
@pytest.mark.parametrize("data", [PNG, BASE64], ids=["bytes", "base64"])
@pytest.mark.parametrize("revision", EVERY)
async def test_audio_of_bytes_or_base64(revision: str, data: Any) -> None:
    (block,) = (await received(audio(data, "audio/wav"), revision))["content"]
    if revision >= "2025-03-26":
        assert block == {"type": "audio", "data": BASE64, "mimeType": "audio/wav"}
    else:  # there is no audio: the same bytes in a block that the client can read
        assert block["type"] == "resource"
        assert (block["resource"]["blob"], block["resource"]["mimeType"]) == (BASE64, "audio/wav")


@covers("R9", "R10", "F22")
@pytest.mark.parametrize("revision", EVERY)
async def test_link_with_its_options(revision: str) -> None:
    block = link("file:///reports/q3.csv", "q3.csv", {"mimeType": "text/csv"})
    (got,) = (await received(block, revision))["content"]
    if revision >= "2025-06-18":
        assert got == {
            "type": "resource_link",
            "uri": "file:///reports/q3.csv",
            "name": "q3.csv",
            "mimeType": "text/csv",
        }
    else:  # there are no links: name and URI as text
        assert got == {"type": "text", "text": "q3.csv: file:///reports/q3.csv"}


@covers("R10")
async def test_the_example_of_text_image_and_link_in_one_answer() -> None:
    async def render_png() -> bytes:
        return PNG

    async def run() -> list[Any]:
        return [
            text("Here is the chart:"),
            image(await render_png(), "image/png"),
            link("file:///reports/q3.csv", "q3.csv", {"mimeType": "text/csv"}),
        ]

    async with connected(pico({"name": "s"}).tool("chart", {"run": run})) as peer:
        content = (await peer.call("chart"))["content"]
    assert [block["type"] for block in content] == ["text", "image", "resource_link"]
    assert base64.b64decode(content[1]["data"]) == PNG


@covers("F21")
@pytest.mark.parametrize("data", ["not base64!", "data:image/png;base64,AAAA", "AAA"])
async def test_what_is_not_base64_is_refused_and_not_sent(data: str) -> None:
    server = pico({"name": "s"}).tool("t", {"run": lambda: image(data, "image/png")})
    async with connected(server) as peer:
        result = await peer.call("t")
    assert result["isError"] is True
    assert text_of(result).startswith("image.data: ")


@covers("F21")
async def test_an_image_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "chart.png").write_bytes(PNG)
    block = {"type": "image", "data": BASE64, "mimeType": "image/png"}
    assert await received(image(tmp_path / "chart.png"), "2025-11-25") == {"content": [block]}
