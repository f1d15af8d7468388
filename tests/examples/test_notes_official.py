"""The notes example with the official client of Python: started by it on stdio, or served over HTTP; in both eras."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp.types import PromptReference, ResourceTemplateReference

from tests.examples.notes import PROGRAM
from tests.serving import serving

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
FIRST = {"2026-09-01": "打ち合わせ。次の版は 10 月", "2026-09-05": "MCP の調査を始めた"}


@contextmanager
def target(transport: str, database: Path) -> Iterator[Any]:
    """What the client is given: how to start the program, or the URL where it serves."""
    if transport == "stdio":
        yield StdioServerParameters(
            command=sys.executable, args=[str(PROGRAM)], env={**os.environ, "NOTES_DB": str(database)}
        )
        return
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("NOTES_DB", str(database))
        with serving(str(PROGRAM), "--port", "0") as url:
            yield url


@pytest.fixture(params=[f"{transport}-{mode}" for transport in ("stdio", "http") for mode in ERAS])
def drive(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """`drive(story)`: connect, run `story(client, told)`; `told` has the URIs of changed resources, as they come."""
    transport, mode = request.param.split("-")

    async def run(story: Any, to: Any) -> None:
        told, heard = anyio.create_memory_object_stream[str](100)

        async def listen(message: Any) -> None:
            if getattr(message, "method", None) == "notifications/resources/updated":
                told.send_nowait(str(message.params.uri))

        # asyncio alone: on trio the official client leaves generators unclosed, with warnings.
        with told, heard, anyio.fail_after(40):
            async with Client(to, mode=mode, message_handler=listen) as client:
                assert client.protocol_version == ERAS[mode]
                await story(client, heard)

    def drive(story: Any) -> None:
        with target(transport, tmp_path / "notes.db") as to:
            anyio.run(functools.partial(run, story, to))

    return drive


@asynccontextmanager
async def following(client: Any, heard: Any, uris: list[str]) -> AsyncIterator[Any]:
    """Gives an async function for the next URI of those that changed, the way of the client's era."""
    if client.protocol_version == ERAS["auto"]:
        async with client.listen(resource_subscriptions=uris) as subscription:
            assert list(subscription.honored.resource_subscriptions) == uris

            async def told() -> str:
                event = await anext(subscription)
                assert isinstance(event, ResourceUpdated)
                return str(event.uri)

            yield told
        return
    for uri in uris:
        with pytest.warns(MCPDeprecationWarning):
            await client.subscribe_resource(uri)
    yield heard.receive
    for uri in uris:
        with pytest.warns(MCPDeprecationWarning):
            await client.unsubscribe_resource(uri)


def said(result: Any) -> tuple[str, bool]:
    """The text of a tool's result, and whether it failed."""
    (block,) = result.content
    return block.text, bool(result.is_error)


async def text(client: Any, uri: str) -> str:
    (contents,) = (await client.read_resource(uri, cache_mode="bypass")).contents
    assert str(contents.uri) == uri
    read: str = contents.text
    return read


def test_the_client_sees_all_that_is_offered(drive: Any) -> None:
    async def story(client: Any, heard: Any) -> None:
        assert (client.server_info.name, client.server_info.version) == ("notes", "1.0.0")
        listed = (await client.list_resources()).resources
        assert [(str(one.uri), one.title) for one in listed] == [
            ("note://index", "メモの一覧"),
            ("note://2026-09-01", "2026-09-01 のメモ"),
            ("note://2026-09-05", "2026-09-05 のメモ"),
        ]
        (template,) = (await client.list_resource_templates()).resource_templates
        assert (template.uri_template, template.name, template.title) == ("note://{date}", "note", "メモ")
        (prompt,) = (await client.list_prompts()).prompts
        assert prompt.name == "summarize-notes"
        (argument,) = prompt.arguments
        assert (argument.name, argument.description, argument.required) == ("style", "まとめ方", True)
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["record_note", "search_notes", "build_run", "divide"]
        assert tools["build_run"].annotations.read_only_hint is False
        assert tools["build_run"].annotations.destructive_hint is False
        assert tools["search_notes"].annotations.read_only_hint is True

    drive(story)


def test_the_client_reads_prompts_and_completes(drive: Any) -> None:
    async def story(client: Any, heard: Any) -> None:
        assert await text(client, "note://index") == "\n".join(FIRST)
        for date, note in FIRST.items():
            assert await text(client, f"note://{date}") == note
        assert await text(client, "note://2000-01-01") == "2000-01-01 のメモはありません"

        for style in ("箇条書き", "文章"):
            (message,) = (await client.get_prompt("summarize-notes", {"style": style})).messages
            assert (message.role, message.content.text) == (
                "user",
                f"次のメモを{style}でまとめてください。\n\n" + "\n".join(f"{d}: {t}" for d, t in FIRST.items()),
            )
        with pytest.raises(MCPError, match="style: Invalid option"):
            await client.get_prompt("summarize-notes", {"style": "俳句"})

        of_dates = ResourceTemplateReference(uri="note://{date}")
        found = await client.complete(of_dates, {"name": "date", "value": "2026-09-0"})
        assert found.completion.values == list(FIRST)
        of_styles = PromptReference(name="summarize-notes")
        found = await client.complete(of_styles, {"name": "style", "value": "箇"})
        assert found.completion.values == ["箇条書き"]

    drive(story)


def test_the_client_calls_the_tools(drive: Any) -> None:
    async def story(client: Any, heard: Any) -> None:
        assert said(await client.call_tool("divide", {"a": 6, "b": 4})) == ("1.5", False)
        assert said(await client.call_tool("divide", {"a": 1, "b": 0})) == ("0 では割れません", True)
        version, failed = said(await client.call_tool("build_run", {"name": "version"}))
        assert (version.strip(), failed) == (f"Python {sys.version.split()[0]}", False)
        assert said(await client.call_tool("build_run", {"name": "rm"}))[1] is True
        found = await client.call_tool("search_notes", {"query": "調査"})
        assert said(found) == ("2026-09-05: MCP の調査を始めた", False)

    drive(story)


def test_the_client_is_told_of_a_recorded_note_and_reads_it(drive: Any) -> None:
    async def story(client: Any, heard: Any) -> None:
        followed = ["note://2026-09-08", "note://index"]
        async with following(client, heard, followed) as told:
            await client.call_tool("record_note", {"date": "2026-09-07", "text": "別の日"})
            assert await told() == "note://index"
            recorded = await client.call_tool("record_note", {"date": "2026-09-08", "text": "試験が通った"})
            assert said(recorded) == ("2026-09-08 に記録しました", False)
            assert [await told() for _ in followed] == followed
        assert await text(client, "note://2026-09-08") == "試験が通った"
        assert await text(client, "note://index") == "2026-09-01\n2026-09-05\n2026-09-07\n2026-09-08"

    drive(story)
