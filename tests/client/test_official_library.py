"""Resources, prompts, completion and listening, against the official SDK's server: both eras, stdio and HTTP."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from picomcp_py import McpError
from picomcp_py.client import Change, Changes, Client
from tests.serving import running

pytest.importorskip("mcp", reason="the official SDK is not installed")
pytestmark = pytest.mark.anyio

PROGRAM = [sys.executable, str(Path(__file__).parent / "official_library.py")]
ERAS = ["2026-07-28", "2025-11-25"]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(*PROGRAM, "http") as program:
        yield program.url


@pytest.fixture(params=["stdio", "http"])
def target(request: pytest.FixtureRequest) -> Any:
    return PROGRAM if request.param == "stdio" else request.getfixturevalue("url")


@pytest.mark.parametrize("revision", ERAS)
async def test_what_the_official_server_offers_is_listed_and_read(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        resources = {resource["uri"]: resource for resource in await client.list_resources()}
        assert set(resources) == {"note://one", "note://picture"}
        assert resources["note://one"]["title"] == "One"
        (template,) = await client.list_resource_templates()
        assert template["uriTemplate"] == "note://by/{author}/{number}"
        (listed,) = await client.list_prompts()
        assert [argument["name"] for argument in listed["arguments"]] == ["text", "style"]

        one = await client.read_resource("note://one")
        assert (one.text, one.data) == ("first\nnote\n", None)
        assert one.contents[0]["mimeType"] == "text/plain"
        assert one.raw["contents"] == one.contents
        picture = await client.read_resource("note://picture")
        assert (picture.text, picture.data) == ("", b"\x89PNG\r\n\x00")
        assert (await client.read_resource("note://by/J%C3%A9r%C3%B4me/7")).text == "7 of Jérôme"
        with pytest.raises(McpError, match=r"(?i)unknown resource|not found"):
            await client.read_resource("note://none")

        prompt = await client.get_prompt("summary", {"text": "é"})
        assert prompt.messages == [{"role": "user", "content": {"type": "text", "text": "Sum up, short: é"}}]
        assert prompt.description == "Sum up a text."
        with pytest.raises(McpError):
            await client.get_prompt("none")

        found = await client.complete("style", "sh", prompt="summary", context={"text": "t"})
        assert (found.values, found.total, found.has_more) == (["summary", "style", "sh", "text=t"], 7, True)
        found = await client.complete("author", "J", template="note://by/{author}/{number}")
        assert found.values == ["note://by/{author}/{number}", "author", "J", ""]


async def read(changes: Changes, count: int) -> list[Change]:
    return [await anext(changes) for _ in range(count)]


@pytest.mark.parametrize("revision", ERAS)
async def test_changes_come_that_were_asked_for_and_no_others(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        await client.call_tool("subscriptions")
        async with (
            client.listen(tools=True, uris=["note://one", "note://two"]) as some,
            client.listen(prompts=True, resources=True, uris=["note://one"]) as others,
        ):
            assert some.uris == {"note://one", "note://two"}
            assert others.uris == {"note://one"}
            if revision == "2026-07-28":  # the SDK doesn't declare in the older era what it tells all the same
                assert [some.kinds, others.kinds] == [{"tools"}, {"prompts", "resources"}]
            for what, uri in [
                ("tools", ""),
                ("", "note://two"),
                ("prompts", ""),
                ("resources", ""),
                ("", "note://one"),
            ]:
                await client.call_tool("touch", {"what": what, "uri": uri})
            two, one = Change("resource", "note://two"), Change("resource", "note://one")
            assert await read(some, 3) == [Change("tools"), two, one]
            assert await read(others, 3) == [Change("prompts"), Change("resources"), one]

            for what in ("prompts", "tools"):
                await client.call_tool("touch", {"what": what})
            assert await read(some, 1) == [Change("tools")]
            assert await read(others, 1) == [Change("prompts")]
        assert (await client.call_tool("subscriptions")).structured["result"] == (
            [] if revision == "2026-07-28" else ["+note://one", "+note://two", "-note://one", "-note://two"]
        )


@pytest.mark.parametrize("revision", ERAS)
async def test_one_can_listen_again_after_having_left(target: Any, revision: str) -> None:
    async with Client(target, revision=revision, timeout=20) as client:
        for _ in range(2):
            async with client.listen(uris=["note://one"]) as changes:
                await client.call_tool("touch", {"what": "", "uri": "note://one"})
                async for change in changes:
                    assert change == Change("resource", "note://one")
                    break
            assert [change async for change in changes] == []
            assert changes.failure is None
