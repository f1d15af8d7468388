"""What a tutorial of the official TypeScript SDK writes and prints, and what the notes example answers in its place.

The tutorial's part on tools, resources and prompts (in Japanese) has the snippets below; examples/notes/server.py is
their port. Each test sends raw messages, at every revision, and compares the whole answer with what the tutorial
prints or what its registration says; 2026-07-28 adds the members of its envelope and nothing else.

A test names its snippets with `@covers(...)`; the last tests check both ways: no snippet without a test, no test
without a snippet.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from picomcp_py import Server
from tests.examples.notes import load
from tests.peer import EVERY, MODERN, connected, text_of

Test = TypeVar("Test", bound=Callable[..., object])

SNIPPETS = {
    "build_run": "registers a tool with annotations: it writes, and can be undone",
    "notes-index": "registers a resource with a fixed URI, note://index",
    "note": "registers a resource with a variable in its URI, note://{date}",
    "note, read": "prints the reply to reading note://2026-09-05: a URI and a text, no MIME type",
    "summarize-notes": "registers a prompt with one argument, which is one of two words",
    "summarize-notes, got": "prints the result of getting it: one message of the user, no description",
    "failure": "a handler that answers a division by zero with isError in the result, and else with the quotient",
    "both": "says that the same data may be offered as resources and through tools",
}

TESTS: dict[str, tuple[str, ...]] = {}
"""The name of each test -> its snippets."""


def covers(*snippets: str) -> Callable[[Test], Test]:
    """Decorator of a test: it would fail if one of these snippets were not kept."""

    def note(test: Test) -> Test:
        name = test.__name__
        assert name not in TESTS, "a second test of that name hides the first"
        TESTS[name] = snippets
        return test

    return note


every_revision = pytest.mark.parametrize("revision", EVERY)


@pytest.fixture
def server(tmp_path: Path) -> Server:
    found: Server = load(tmp_path / "notes.db").server
    return found


def envelope(revision: str, *, cacheable: bool = False) -> dict[str, Any]:
    """What a result has beside its own members at this revision."""
    if revision != MODERN:
        return {}
    caching = {"ttlMs": 0, "cacheScope": "private"} if cacheable else {}
    info = {"io.modelcontextprotocol/serverInfo": {"name": "notes", "version": "1.0.0"}}
    return {"resultType": "complete", **caching, "_meta": info}


def known(entry: dict[str, Any], revision: str) -> dict[str, Any]:
    """The members of a list entry that the revision has: of titles since 2025-06-18, of hints since 2025-03-26."""
    since = {"title": "2025-06-18", "annotations": "2025-03-26"}
    return {key: value for key, value in entry.items() if revision >= since.get(key, "")}


@covers("build_run")
@every_revision
@pytest.mark.anyio
async def test_build_run_is_listed_with_its_hints(server: Server, revision: str) -> None:
    async with connected(server, revision) as peer:
        tools = (await peer.request("tools/list"))["result"]["tools"]
        (tool,) = [tool for tool in tools if tool["name"] == "build_run"]
        schema = tool.pop("inputSchema")
        assert (schema["type"], schema["properties"], schema["required"]) == (
            "object",
            {"name": {"type": "string"}},
            ["name"],
        )
        assert tool == known(
            {
                "name": "build_run",
                "title": "コマンドを実行する",
                "description": "決めておいたコマンドを名前で指定して実行する",
                "annotations": {"readOnlyHint": False, "destructiveHint": False},
            },
            revision,
        )
        done = await peer.call("build_run", {"name": "version"})
        assert text_of(done).startswith("Python 3.")


@covers("notes-index")
@every_revision
@pytest.mark.anyio
async def test_the_index_is_listed_and_read(server: Server, revision: str) -> None:
    async with connected(server, revision) as peer:
        (index,) = [
            entry
            for entry in (await peer.request("resources/list"))["result"]["resources"]
            if entry["uri"] == "note://index"
        ]
        assert index == known(
            {
                "uri": "note://index",
                "name": "notes-index",
                "title": "メモの一覧",
                "description": "記録してある日付の一覧",
                "mimeType": "text/plain",
            },
            revision,
        )
        assert await peer.request("resources/read", {"uri": "note://index"}, id=2) == {
            "result": {
                "contents": [{"uri": "note://index", "text": "2026-09-01\n2026-09-05"}],
                **envelope(revision, cacheable=True),
            },
            "jsonrpc": "2.0",
            "id": 2,
        }


@covers("note")
@every_revision
@pytest.mark.anyio
async def test_the_template_is_listed_and_answers_for_a_date_without_a_note(server: Server, revision: str) -> None:
    async with connected(server, revision) as peer:
        assert await peer.request("resources/templates/list", id=1) == {
            "result": {
                "resourceTemplates": [
                    known(
                        {
                            "uriTemplate": "note://{date}",
                            "name": "note",
                            "title": "メモ",
                            "description": "日付を指定してメモを読む",
                            "mimeType": "text/plain",
                        },
                        revision,
                    )
                ],
                **envelope(revision, cacheable=True),
            },
            "jsonrpc": "2.0",
            "id": 1,
        }
        read = await peer.request("resources/read", {"uri": "note://2026-09-06"})
        assert read["result"]["contents"] == [{"uri": "note://2026-09-06", "text": "2026-09-06 のメモはありません"}]


@covers("note", "note, read")
@every_revision
@pytest.mark.anyio
async def test_reading_a_note_gives_what_the_tutorial_prints(server: Server, revision: str) -> None:
    async with connected(server, revision) as peer:
        reply = await peer.request("resources/read", {"uri": "note://2026-09-05"}, id=3)
        printed: dict[str, Any] = {
            "result": {"contents": [{"uri": "note://2026-09-05", "text": "MCP の調査を始めた"}]},
            "jsonrpc": "2.0",
            "id": 3,
        }
        printed["result"].update(envelope(revision, cacheable=True))
        assert reply == printed


@covers("summarize-notes")
@every_revision
@pytest.mark.anyio
async def test_the_prompt_is_listed_with_its_argument(server: Server, revision: str) -> None:
    async with connected(server, revision) as peer:
        assert (await peer.request("prompts/list"))["result"] == {
            "prompts": [
                known(
                    {
                        "name": "summarize-notes",
                        "title": "メモをまとめる",
                        "description": "記録してあるメモを短くまとめさせる",
                        "arguments": [{"name": "style", "description": "まとめ方", "required": True}],
                    },
                    revision,
                )
            ],
            **envelope(revision, cacheable=True),
        }
        for arguments in ({"style": "俳句"}, {}):
            refused = await peer.request("prompts/get", {"name": "summarize-notes", "arguments": arguments})
            assert refused["error"]["code"] == -32602
            assert "style: Invalid" in refused["error"]["message"]


@covers("summarize-notes", "summarize-notes, got")
@every_revision
@pytest.mark.anyio
async def test_getting_the_prompt_gives_what_the_tutorial_prints(server: Server, revision: str) -> None:
    async with connected(server, revision) as peer:
        reply = await peer.request("prompts/get", {"name": "summarize-notes", "arguments": {"style": "箇条書き"}})
        printed = {
            "messages": [
                {
                    "role": "user",
                    "content": {
                        "type": "text",
                        "text": "次のメモを箇条書きでまとめてください。\n\n"
                        "2026-09-01: 打ち合わせ。次の版は 10 月\n2026-09-05: MCP の調査を始めた",
                    },
                }
            ]
        }
        assert reply["result"] == {**printed, **envelope(revision)}


@covers("failure")
@every_revision
@pytest.mark.anyio
async def test_dividing_by_zero_is_a_result_that_says_so(server: Server, revision: str) -> None:
    async with connected(server, revision) as peer:
        assert await peer.call("divide", {"a": 1, "b": 0}) == {
            "content": [{"type": "text", "text": "0 では割れません"}],
            "isError": True,
            **envelope(revision),
        }
        for a, b, quotient in [(6, 3, "2"), (1, 3, "0.3333333333333333")]:
            result = await peer.call("divide", {"a": a, "b": b})
            assert result.get("isError", False) is False
            assert result["content"] == [{"type": "text", "text": quotient}]


@covers("both")
@every_revision
@pytest.mark.anyio
async def test_the_same_note_is_a_resource_and_found_by_a_tool(server: Server, revision: str) -> None:
    async with connected(server, revision) as peer:
        read = (await peer.request("resources/read", {"uri": "note://2026-09-05"}))["result"]["contents"][0]["text"]
        found = await peer.call("search_notes", {"query": "調査"})
        assert text_of(found) == f"2026-09-05: {read}"


# ---- the manifest


def test_each_snippet_has_a_test() -> None:
    assert {snippet for snippets in TESTS.values() for snippet in snippets} == SNIPPETS.keys()


def test_each_test_has_snippets_and_all_of_them_exist() -> None:
    tests = {name for name, value in globals().items() if name.startswith("test_") and callable(value)}
    about_the_manifest = {"test_each_snippet_has_a_test", "test_each_test_has_snippets_and_all_of_them_exist"}
    assert tests - about_the_manifest == TESTS.keys()
    for name, snippets in TESTS.items():
        assert snippets, f"{name} covers nothing"
        assert SNIPPETS.keys() >= set(snippets), f"{name} covers {set(snippets) - SNIPPETS.keys()}"
