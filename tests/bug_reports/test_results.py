"""Section E, results and content, on the wire: what the tests of results and of the JSON writer don't have."""

from __future__ import annotations

import json
import math
import os
from typing import Any

import pytest
from msgspec import Struct
from pydantic import BaseModel

from picomcp_py import pico
from tests.peer import EVERY, MODERN, connected, text_of

pytestmark = pytest.mark.anyio
ERAS = pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25", MODERN])
BAD = os.fsdecode(b"caf\xe9")  # a lone surrogate, as a file name that isn't UTF-8 gives it


class Stats(Struct):
    mean: float


class StatsModel(BaseModel):
    mean: float


DOCUMENT = {"type": "object", "properties": {"mean": {"type": "number"}}, "required": ["mean"]}


@ERAS
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
async def test_b82_what_json_has_no_number_for_is_null_in_both_copies_or_an_error(value: float, revision: str) -> None:
    s = pico({"name": "test"}).tool("open", {"run": lambda: {"mean": value}}).tool("bare", {"run": lambda: value})
    for name, output in {"dict": DOCUMENT, "msgspec": Stats, "pydantic": StatsModel}.items():
        s.tool(name, {"output": output, "run": lambda: {"mean": value}})
    async with connected(s, revision) as peer:  # which reads strict JSON only
        got = await peer.call("open")
        assert got["structuredContent"] == {"mean": None}
        assert text_of(got) == '{"mean":null}'
        assert text_of(await peer.call("bare")) == "null"
        for kind in ("dict", "msgspec", "pydantic"):
            got = await peer.call(kind)
            assert got["isError"] is True
            assert "mean" in text_of(got)


@ERAS
@pytest.mark.parametrize(
    "value",
    [f"x {BAD}", {BAD: BAD}, [BAD], {"content": [{"type": "text", "text": BAD}]}, ValueError(BAD), KeyError(BAD)],
)
async def test_b84_text_that_is_no_unicode_costs_no_reply(value: Any, revision: str) -> None:
    def run() -> Any:
        if isinstance(value, Exception):
            raise value
        return value

    async with connected(pico({"name": "test"}).tool("t", {"run": run}), revision) as peer:
        for _ in range(2):
            assert "caf" in text_of(await peer.call("t"))
        peer.raw[-1].decode("utf-8")


@ERAS
@pytest.mark.parametrize(
    ("value", "content"),
    [([], ["[]"]), ((), ["[]"]), ({}, ["{}"]), ("", [""]), (None, []), (0, ["0"]), (False, ["false"])],
)
async def test_b88_empty_values_are_readable(value: Any, content: list[str], revision: str) -> None:
    s = pico({"name": "test"}).tool("open", {"run": lambda: value}).tool("any", {"output": {}, "run": lambda: value})
    async with connected(s, revision) as peer:
        got = await peer.call("open")
        assert [block["text"] for block in got["content"]] == content
        got = await peer.call("any")  # with a schema, also text and nothing are data
        data = json.loads(text_of(got))
        assert data == (list(value) if value == () else value)
        assert got["structuredContent"] == (data if revision == MODERN else {"result": data})


@ERAS
async def test_b89_a_large_misfit_is_told_in_few_words(revision: str) -> None:
    s = pico({"name": "test"}).tool("t", {"output": {"type": "object"}, "run": lambda: ["x" * 1000] * 1000})
    async with connected(s, revision) as peer:
        got = await peer.call("t")
        assert got["isError"] is True
        assert "expected object, received array" in text_of(got)
        assert len(peer.raw[-1]) < 1000


@pytest.mark.parametrize("kind", ["dict", "msgspec", "pydantic"])
async def test_b90_b92_what_does_not_fit_the_listed_schema_is_caught(kind: str) -> None:
    class Content(Struct):
        content: str

    class ContentModel(BaseModel):
        content: str

    document = {"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]}
    output = {"dict": document, "msgspec": Content, "pydantic": ContentModel}[kind]
    for value, named in (
        ({"content": [{"type": "text", "text": "x"}]}, "content: "),
        ("hello", "structured"),
        (None, "structured"),
    ):
        got = (
            await pico({"name": "test"})
            .tool("t", {"output": output, "run": lambda input, value=value: value})
            .call("t")
        )
        assert got["isError"] is True
        assert named in text_of(got)
        assert "structuredContent" not in got


@pytest.mark.parametrize("revision", EVERY)
async def test_b93_structured_content_has_a_text_copy(revision: str) -> None:
    class Point(Struct):
        x: int

    async with connected(
        pico({"name": "test"}).tool("t", {"output": Point, "run": lambda: {"x": 1}}), revision
    ) as peer:
        got = await peer.call("t")
        assert text_of(got) == '{"x":1}'
        assert got.get("structuredContent", {"x": 1}) == {"x": 1}
        assert ("structuredContent" in got) == (revision >= "2025-06-18")


async def test_b101_the_text_copy_shows_the_characters() -> None:
    async with connected(pico({"name": "test"}).tool("t", {"run": lambda: {"name": "Привет 中文"}})) as peer:
        assert text_of(await peer.call("t")) == '{"name":"Привет 中文"}'
        assert peer.raw[-1].count("Привет 中文".encode()) == 2, "not escaped on the wire either"
