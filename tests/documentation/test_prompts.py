"""The tables and sentences of docs/prompts.md."""

from __future__ import annotations

import re
from typing import Any

import pytest

from picomcp_py import McpError, PromptConfig, image, pico, text
from picomcp_py.client import Client
from picomcp_py.offered import completion, prompt
from tests.pages import Page

PAGE = Page("prompts")


def codes(cell: str) -> list[str]:
    """What stands between backticks."""
    return re.findall(r"`(.*?)`", cell)


def test_the_table_of_options_has_every_key() -> None:
    assert [key.strip("`") for key, _, _ in PAGE.rows("Options")] == list(prompt.KEYS)


@pytest.mark.anyio
@pytest.mark.parametrize(("returned", "example", "messages"), PAGE.rows("Return values"))
async def test_the_table_of_return_values(returned: str, example: str, messages: str) -> None:
    (expression,) = codes(example)
    value = eval(expression, {"image": image, "text": text})  # an expression of our own page
    result = await pico({"name": "s"}).prompt("p", {"run": lambda: value}).get_prompt("p")
    shown = [f"{message['role']}: {message['content']['type']}" for message in result["messages"]]
    assert shown == codes(messages)
    assert result.get("description") == (value.get("description") if isinstance(value, dict) else None)


@pytest.mark.anyio
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_the_table_of_errors(revision: str) -> None:
    def fails() -> str:
        raise LookupError("no such style")

    def own() -> str:
        raise McpError(7, "not for you", {"why": "closed"})

    odd: PromptConfig = {"run": lambda: 3}
    schema = {"type": "object", "required": ["a"]}
    server = pico({"name": "s"}).prompt("strict", {"input": schema, "run": lambda: "x"})
    server.prompt("fails", {"run": fails}).prompt("own", {"run": own}).prompt("odd", odd)
    said: dict[str, Any] = {}
    async with Client(server, revision=revision) as client:
        for name in ("nobody", "strict", "fails", "odd", "own"):
            with pytest.raises(McpError) as caught:
                await client.get_prompt(name)
            said[name] = caught.value
    refused, failed, _ = [re.search(r"-\d+", cell) for _, cell in PAGE.rows("Errors")]
    assert refused
    assert failed
    assert {said[name].code for name in ("nobody", "strict")} == {int(refused[0])}
    assert {said[name].code for name in ("fails", "odd")} == {int(failed[0])}
    assert said["fails"].message == "no such style"
    assert (said["own"].code, said["own"].message, said["own"].data) == (7, "not for you", {"why": "closed"})


@pytest.mark.anyio
async def test_a_prompt_that_takes_too_long_is_an_error() -> None:
    import anyio

    async def sleeps() -> str:
        await anyio.sleep_forever()
        return "never"

    with pytest.raises(McpError) as caught:
        await pico({"name": "s"}).prompt("p", {"run": sleeps, "timeout": 0.01}).get_prompt("p")
    assert caught.value.code == -32603


@pytest.mark.anyio
async def test_completion_as_told() -> None:
    schema = {
        "type": "object",
        "properties": {
            "size": {"enum": ["small", "large"]},
            "loud": {"type": "boolean"},
            "name": {"type": "string", "examples": ["Ann", "Susann", "Bob"]},
            "page": {"type": "integer"},
        },
    }
    config: PromptConfig = {"input": schema, "run": lambda: "x", "complete": {"page": lambda: range(250)}}
    async with Client(pico({"name": "s"}).prompt("p", config)) as client:
        assert (await client.complete("size", "", prompt="p")).values == ["small", "large"]
        assert (await client.complete("loud", "", prompt="p")).values == ["true", "false"]
        assert (await client.complete("name", "ANN", prompt="p")).values == ["Ann", "Susann"]
        pages = await client.complete("page", "", prompt="p")
    assert f"At most {completion.MAX_VALUES} values are sent" in PAGE.words
    assert (len(pages.values), pages.total, pages.has_more) == (completion.MAX_VALUES, 250, True)
