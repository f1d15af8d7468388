"""Tools, their options and their names, as the page has them."""

from __future__ import annotations

from typing import Any

import pytest

from picomcp_py import ConfigError, Invalid, Issue, Server, ToolConfig, Valid, pico
from tests.peer import EVERY, MODERN, connected, text_of
from tests.tools_page.kinds import KINDS, field, kind
from tests.tools_page.manifest import covers

pytestmark = pytest.mark.anyio

DESCRIPTION = "Search open GitHub issues in a repository. Use it before filing a new issue."
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def nothing() -> None:
    """A handler for tools that aren't called."""


def search_server(kind_name: str = "msgspec") -> Server:
    async def run(input: Any) -> str:
        items = [
            {"title": f"{field(input, 'query')} {n}", "html_url": f"https://example.com/{field(input, 'repo')}/{n}"}
            for n in range(field(input, "limit"))
        ]
        return "\n".join(f"{i['title']} — {i['html_url']}" for i in items)

    config: ToolConfig = {
        "title": "Search issues",
        "description": DESCRIPTION,
        "input": kind(kind_name).search,
        "annotations": {"readOnlyHint": True, "openWorldHint": True},
        "run": run,
    }
    return pico({"name": "github"}).tool("search_issues", config)


async def entry(server: Server, revision: str) -> dict[str, Any]:
    async with connected(server, revision) as peer:
        tools: list[dict[str, Any]] = (await peer.request("tools/list"))["result"]["tools"]
    (tool,) = tools
    return tool


@covers("T1")
async def test_one_server_does_all_that_the_page_is_about() -> None:
    async def run(input: Any) -> Any:
        match field(input, "query"):
            case "text":
                return "said"
            case "object":
                return {"a": 1}
            case "media":
                return {"type": "image", "data": "AAAA", "mimeType": "image/png"}
            case _:
                raise ValueError("What is that? Ask for text, object or media.")

    server = pico({"name": "s"}).tool("t", {"input": kind("msgspec").search, "run": run})
    async with connected(server) as peer:
        ask = {"repo": "o/r"}
        assert text_of(await peer.call("t", {**ask, "query": "text"})) == "said"
        assert (await peer.call("t", {**ask, "query": "object"}))["structuredContent"] == {"a": 1}
        assert (await peer.call("t", {**ask, "query": "media"}))["content"][0]["type"] == "image"
        assert (await peer.call("t", {**ask, "query": "?"}))["isError"] is True
        assert (await peer.call("t", {**ask, "query": 1}))["isError"] is True


@covers("T2", "T3")
@pytest.mark.parametrize("revision", EVERY)
async def test_a_registered_function_is_listed_and_called_by_its_name(revision: str) -> None:
    server = pico({"name": "s"})
    assert server.tool("greet", {"run": lambda: "hello"}) is server
    async with connected(server, revision) as peer:
        tools = (await peer.request("tools/list"))["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["greet"]
        assert text_of(await peer.call("greet", {})) == "hello"


@covers("T4")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind_name", KINDS)
async def test_the_example_search_issues(revision: str, kind_name: str) -> None:
    async with connected(search_server(kind_name), revision) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
        assert tool["description"] == DESCRIPTION
        properties = tool["inputSchema"]["properties"]
        assert properties["repo"] == {"type": "string", "description": "owner/name"}
        assert properties["query"] == {"type": "string"}
        assert properties["limit"] == {"type": "integer", "maximum": 50, "default": 10}
        assert tool["inputSchema"]["required"] == ["repo", "query"]
        if revision >= "2025-03-26":
            assert tool["annotations"] == {"readOnlyHint": True, "openWorldHint": True}
        result = await peer.call("search_issues", {"repo": "o/r", "query": "crash", "limit": 2})
        assert text_of(result) == "crash 0 — https://example.com/o/r/0\ncrash 1 — https://example.com/o/r/1"


@covers("O1", "F1")
@pytest.mark.parametrize("revision", EVERY)
async def test_description_is_listed_and_may_be_left_out(revision: str) -> None:
    assert (await entry(search_server(), revision))["description"] == DESCRIPTION
    assert "description" not in await entry(pico({"name": "s"}).tool("t", {"run": nothing}), revision)
    with pytest.raises(ConfigError, match='tool "t": "description" must be a string'):
        pico({"name": "s"}).tool("t", {"description": 1, "run": nothing})  # type: ignore[call-overload]


@covers("O2", "F2")
@pytest.mark.parametrize("revision", EVERY)
async def test_title_is_listed_since_there_are_titles_and_may_be_left_out(revision: str) -> None:
    assert (await entry(search_server(), revision)).get("title") == (
        "Search issues" if revision >= "2025-06-18" else None
    )
    assert "title" not in await entry(pico({"name": "s"}).tool("t", {"run": nothing}), revision)
    with pytest.raises(ConfigError, match='tool "t": "title" must be a string'):
        pico({"name": "s"}).tool("t", {"title": 1, "run": nothing})  # type: ignore[call-overload]


class Own:
    """A schema of the user's own: the counterpart of Standard Schema."""

    vendor = "own"

    def validate(self, value: Any) -> Valid[str] | Invalid:
        if isinstance(value.get("word"), str):
            return Valid(value["word"].upper())
        return Invalid((Issue("no word", ("word",)),))

    def json_schema(self, io: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}


class Owner:
    __standard_schema__ = Own()


@covers("O3", "O5", "F3", "F4")
async def test_a_schema_of_ones_own_works_as_input_and_output() -> None:
    def run(input: str) -> Any:
        return {"word": input} if input != "BAD" else {"word": 1}

    server = pico({"name": "s"}).tool("shout", {"input": Owner, "output": Owner(), "run": run})
    async with connected(server) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
        assert tool["inputSchema"] == tool["outputSchema"] == Own().json_schema("input")
        assert (await peer.call("shout", {"word": "hi"}))["structuredContent"] == {"word": "HI"}
        assert text_of(await peer.call("shout", {})) == 'Invalid arguments for tool "shout":\nword: no word'
        assert text_of(await peer.call("shout", {"word": "bad"})).endswith("\nword: no word")


@covers("O3", "O5", "F3", "F4")
@pytest.mark.parametrize("kind_name", KINDS)
async def test_each_kind_of_schema_works_as_input_and_output(kind_name: str) -> None:
    schemas = kind(kind_name)

    def run(input: Any) -> Any:
        return {"sku": field(input, "query"), "cents": field(input, "limit"), "currency": "EUR"}

    server = pico({"name": "s"}).tool("t", {"input": schemas.search, "output": schemas.price, "run": run})
    async with connected(server) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
        assert list(tool["inputSchema"]["properties"]) == ["repo", "query", "limit"]
        assert list(tool["outputSchema"]["properties"]) == ["sku", "cents", "currency"]
        result = await peer.call("t", {"repo": "o/r", "query": "tea", "limit": 5})
        assert result["structuredContent"] == {"sku": "tea", "cents": 5, "currency": "EUR"}


@covers("O4", "F3")
@pytest.mark.parametrize("revision", EVERY)
async def test_without_input_a_tool_takes_no_arguments_and_gets_an_empty_object(revision: str) -> None:
    server = pico({"name": "s"}).tool("now", {"run": lambda input: f"got {input!r}"})
    async with connected(server, revision) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
        assert tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"].get("properties", {}) == {}
        assert text_of(await peer.call("now")) == "got {}"
        assert text_of(await peer.call("now", {})) == "got {}"


@covers("O6", "F5")
@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("value", [True, False])
async def test_each_hint_is_listed_as_it_was_given(hint: str, value: bool) -> None:
    config: Any = {"annotations": {hint: value}, "run": nothing}
    assert (await entry(pico({"name": "s"}).tool("t", config), MODERN))["annotations"] == {hint: value}


@covers("F5")
async def test_annotations_may_be_left_out_and_an_unknown_hint_is_refused() -> None:
    assert "annotations" not in await entry(pico({"name": "s"}).tool("t", {"run": nothing}), MODERN)
    with pytest.raises(ConfigError, match='did you mean "readOnlyHint"'):
        pico({"name": "s"}).tool("t", {"annotations": {"readonlyHint": True}, "run": nothing})  # type: ignore[call-overload]


@covers("O2", "O5", "O6")
@pytest.mark.parametrize("revision", EVERY)
async def test_what_a_revision_does_not_know_is_not_listed(revision: str) -> None:
    since = {
        "annotations": "2025-03-26",
        "title": "2025-06-18",
        "outputSchema": "2025-06-18",
        "_meta": "2025-06-18",
        "icons": "2025-11-25",
    }
    config: Any = {
        "title": "T",
        "output": kind("json schema").price,
        "annotations": {"readOnlyHint": True},
        "icons": [{"src": "https://example.com/i.png"}],
        "meta": {"com.example/k": 1},
        "tags": ["own"],
        "run": nothing,
    }
    listed = await entry(pico({"name": "s"}).tool("t", config), revision)
    assert listed.keys() == {"name", "inputSchema", *(key for key in since if revision >= since[key])}


@covers("O7", "F34")
@pytest.mark.parametrize("revision", EVERY)
async def test_run_takes_none_one_or_two_arguments_and_may_be_async(revision: str) -> None:
    async def later(input: Any, ctx: Any) -> str:
        return f"{field(input, 'query')} {ctx.signal.aborted}"

    def now(input: Any, ctx: Any) -> str:
        return f"{field(input, 'query')} {ctx.signal.aborted}"

    search = kind("msgspec").search
    server = pico({"name": "s"}).tool("none", {"run": lambda: "none"})
    server.tool("one", {"input": search, "run": lambda input: input.query})
    server.tool("two", {"input": search, "run": now}).tool("two_async", {"input": search, "run": later})
    async with connected(server, revision) as peer:
        arguments = {"repo": "o/r", "query": "q"}
        assert text_of(await peer.call("none", {})) == "none"
        assert text_of(await peer.call("one", arguments)) == "q"
        assert text_of(await peer.call("two", arguments)) == "q False"
        assert text_of(await peer.call("two_async", arguments)) == "q False"


@covers("F6")
def test_a_tool_without_run_is_an_error_before_anything_is_served() -> None:
    server = pico({"name": "s"})
    server.tool("forgotten", {"description": "no run"})
    with pytest.raises(ConfigError, match=r'tool "forgotten" at .* has no "run"'):
        server.list_tools()
    with pytest.raises(ConfigError, match='"run" must be a function'):
        server.tool("wrong", {"run": "not a function"})  # type: ignore[call-overload]


@covers("O8", "F7")
@pytest.mark.parametrize("length", [1, 2, 127, 128])
async def test_names_of_1_to_128_characters_are_good(length: int) -> None:
    server = pico({"name": "s"}).tool("n" * length, {"run": lambda: "ok"})
    async with connected(server) as peer:
        assert text_of(await peer.call("n" * length)) == "ok"


@covers("O8", "O10", "F7", "F8")
@pytest.mark.parametrize("length", [0, 129, 5000])
def test_a_name_of_another_length_is_an_error_that_says_so(length: int) -> None:
    with pytest.raises(ConfigError, match=f"it has {length} characters; use 1 to 128"):
        pico({"name": "s"}).tool("n" * length, {"run": nothing})


@covers("O9")
async def test_all_characters_that_a_name_may_have() -> None:
    name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
    server = pico({"name": "s"}).tool(name, {"run": lambda: "ok"})
    async with connected(server) as peer:
        assert text_of(await peer.call(name)) == "ok"


@covers("O9", "O10", "F8")
@pytest.mark.parametrize("name", ["two words", "a/b", "a:b", "naïve", "工具", "a\n", "\ta", "a$", "a\u0660", "a😀"])
def test_any_other_character_is_an_error_that_names_it(name: str) -> None:
    with pytest.raises(ConfigError, match="invalid name: it contains"):
        pico({"name": "s"}).tool(name, {"run": nothing})


REGISTER = {
    "config": lambda server: server.tool("t", {"description": "second", "run": nothing}),
    "keywords": lambda server: server.tool("t", description="second", run=nothing),
    "decorator": lambda server: server.tool("t", description="second"),
}


@covers("O10", "O11", "F8")
@pytest.mark.parametrize("form", REGISTER)
def test_a_duplicate_name_is_an_error_at_once_and_the_first_stays(form: str) -> None:
    server = pico({"name": "s"}).tool("t", {"description": "first", "run": nothing})
    with pytest.raises(ConfigError, match='tool "t" is already registered'):
        REGISTER[form](server)
    assert [tool["description"] for tool in server.list_tools()] == ["first"]
