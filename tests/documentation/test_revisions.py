"""docs/revisions.md: its table is the table of the code, and what it says of the wire is so."""

from __future__ import annotations

import re

import pytest

from picomcp_py import McpError, pico
from picomcp_py.client import Client
from picomcp_py.revisions import SINCE
from tests.pages import Page
from tests.peer import EVERY, MODERN, connected

PAGE = Page("revisions")

# What a row of the page stands for in the table of the code.
ROWS = {
    "tool `annotations`": ["tool.annotations"],
    "`title` and `_meta` of": [
        f"{kind}.{key}" for kind in ("tool", "resource", "prompt") for key in ("title", "_meta")
    ],
    "`title` of a prompt's argument": ["argument.title", "annotations.lastModified"],
    "`icons` of": ["tool.icons", "resource.icons", "prompt.icons"],
    "the capability `completions`": ["capabilities.completions"],
    "`outputSchema`, `structuredContent`": ["tool.outputSchema", "result.structuredContent"],
    "either of them that is no object": ["structured.any"],
    "audio blocks": ["block.audio"],
    "resource links": ["block.resource_link"],
    "progress `message`": ["progress.message"],
}
NOT_ON_THE_PAGE = {"stream.priming", "implementation.title", "implementation.icons", "implementation.websiteUrl"}


def test_every_row_of_the_code_s_table_is_on_the_page_with_its_revision() -> None:
    told = {
        key: since
        for what, since, _ in PAGE.rows("What older clients get")
        for start, keys in ROWS.items()
        if what.startswith(start)
        for key in keys
    }
    assert told == {key: since for key, since in SINCE.items() if key not in NOT_ON_THE_PAGE}


@pytest.mark.anyio
@pytest.mark.parametrize("revision", EVERY)
async def test_the_code_of_a_resource_that_is_not_there(revision: str) -> None:
    (row,) = [row for row in PAGE.rows("What differs on the wire") if row[0] == "a resource that isn't there"]
    codes = [int(code) for cell in row[1:] for code in re.findall(r"error (-\d+)", cell)]
    async with connected(pico({"name": "s"}).resource("a:b", {"read": lambda: "x"}), revision) as peer:
        reply = await peer.request("resources/read", {"uri": "a:c"})
    assert reply["error"]["code"] == codes[revision == MODERN]
    assert reply["error"]["data"] == {"uri": "a:c"}


@pytest.mark.anyio
@pytest.mark.parametrize("revision", ["2024-11-05", "2026-07-28"])
async def test_what_is_declared_stays_and_what_is_not_is_no_method(revision: str) -> None:
    server = pico({"name": "s"})
    async with Client(server, revision=revision) as client:
        assert not {"prompts", "resources", "completions"} & set(client.capabilities)
        with pytest.raises(McpError) as caught:
            await client.request("prompts/list", {})
        assert caught.value.code == -32601
    server.prompt("p", {"run": lambda: "x"})
    server.remove_prompt("p")
    async with Client(server, revision=revision) as client:
        assert "prompts" in client.capabilities
        assert ("completions" in client.capabilities) == (revision >= SINCE["capabilities.completions"])
        assert await client.list_prompts() == []


@pytest.mark.anyio
@pytest.mark.parametrize("revision", EVERY)
async def test_cache_hints_are_for_the_newest_revision(revision: str) -> None:
    async with connected(pico({"name": "s", "ttlMs": 5}), revision) as peer:
        result = (await peer.request("tools/list"))["result"]
    assert ("ttlMs" in result, "cacheScope" in result) == (revision == MODERN, revision == MODERN)
