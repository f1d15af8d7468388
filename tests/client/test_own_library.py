"""Resources, prompts, completion and listening with our own server: in memory, a program, a URL; both eras."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from picomcp_py import McpError
from picomcp_py.client import Change, Client
from tests.client import own_library
from tests.serving import our_server, serving

pytestmark = pytest.mark.anyio

FILE = Path(__file__).parent / "own_library.py"
TARGETS: dict[str, Any] = {"memory": own_library.server, "program": [sys.executable, str(FILE)]}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(*our_server(FILE)) as found:
        yield found


@pytest.fixture(params=[*TARGETS, "url"])
def target(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue("url") if request.param == "url" else TARGETS[request.param]


@pytest.fixture(params=["2026-07-28", "2025-11-25"])
def revision(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


async def test_what_is_there_is_listed_and_read(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        assert [entry["uri"] for entry in await client.list_resources()] == [
            "note://one",
            "note://picture",
        ]  # two pages
        assert [entry["uriTemplate"] for entry in await client.list_resource_templates()] == ["note://by/{author}"]
        assert [entry["name"] for entry in await client.list_prompts()] == ["summary"]
        assert (await client.read_resource("note://one")).text == "first"
        assert (await client.read_resource("note://picture")).data == b"\x89PNG\r\n\x00"
        assert (await client.read_resource("note://by/J%C3%A9r%C3%B4me")).text == "notes of Jérôme"
        prompt = await client.get_prompt("summary", {"text": "é"})
        assert prompt.messages == [{"role": "user", "content": {"type": "text", "text": "Sum up: é"}}]
        assert (await client.complete("text", "t", prompt="summary")).values == ["text"]
        with pytest.raises(McpError) as caught:
            await client.read_resource("note://none")
        assert caught.value.code == (-32602 if revision == "2026-07-28" else -32002)


async def test_changes_are_told(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        for _ in range(2):
            async with client.listen(tools=True, prompts=True, uris=["note://one"]) as changes:
                assert [changes.kinds, changes.uris] == [{"tools", "prompts"}, {"note://one"}]
                for what in ("note://picture", "note://one", "tools"):
                    await client.call_tool("touch", {"what": what})
                seen: set[Change] = set()
                while len(seen) < 2:
                    seen.add(await anext(changes))
                assert seen == {Change("resource", "note://one"), Change("tools")}
            assert changes.failure is None
