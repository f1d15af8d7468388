"""Validation of arguments, as the page has it, for each way of writing a schema."""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec
import pytest

from picomcp_py import Invalid, Issue, Server, ToolConfig, Valid, pico
from tests.peer import EVERY, connected, text_of
from tests.tools_page.kinds import KINDS, field, kind
from tests.tools_page.manifest import covers

pytestmark = pytest.mark.anyio

TOO_BIG = 'Invalid arguments for tool "search_issues":\nlimit: Too big: expected number to be <=50'


class Recorder:
    """A server with search_issues that keeps the inputs its handler got."""

    def __init__(self, input: Any) -> None:
        self.inputs: list[Any] = []

        def run(input: Any) -> str:
            self.inputs.append(input)
            return "called"

        whole: ToolConfig = {"input": input, "run": run}
        self.server: Server = pico({"name": "github"}).tool("search_issues", whole)


@covers("V1", "V4")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind_name", KINDS)
async def test_only_valid_arguments_reach_run(revision: str, kind_name: str) -> None:
    tool = Recorder(kind(kind_name).search)
    async with connected(tool.server, revision) as peer:
        for bad in ({}, {"repo": "o/r"}, {"repo": "o/r", "query": 1}, {"repo": "o/r", "query": "q", "limit": "5"}):
            assert (await peer.call("search_issues", bad))["isError"] is True
        assert tool.inputs == []
        assert text_of(await peer.call("search_issues", {"repo": "o/r", "query": "q", "limit": 50})) == "called"
        (input,) = tool.inputs
        assert (field(input, "repo"), field(input, "query"), field(input, "limit")) == ("o/r", "q", 50)


@covers("V2", "F9")
@pytest.mark.parametrize("kind_name", KINDS)
async def test_a_default_is_there_inside_run(kind_name: str) -> None:
    tool = Recorder(kind(kind_name).search)
    async with connected(tool.server) as peer:
        await peer.call("search_issues", {"repo": "o/r", "query": "q"})
    assert field(tool.inputs[0], "limit") == 10


class Trimmed:
    """A schema of one's own whose value is another than what came in."""

    vendor = "own"

    def validate(self, value: Any) -> Valid[str] | Invalid:
        word = value.get("word")
        return Valid(word.strip().lower()) if isinstance(word, str) else Invalid((Issue("no word", ("word",)),))

    def json_schema(self, io: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"word": {"type": "string"}}}


@covers("V2")
async def test_transforms_apply() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

    class Model(pydantic.BaseModel):  # type: ignore[name-defined,misc]  # pydantic is imported above, if it is there
        word: Annotated[str, pydantic.AfterValidator(lambda word: word.strip().lower())]

    class Struct(msgspec.Struct):
        word: str

        def __post_init__(self) -> None:
            self.word = self.word.strip().lower()

    class Holder:
        __standard_schema__ = Trimmed()

    for input in (Model, Struct, Holder):
        tool = Recorder(input)
        async with connected(tool.server) as peer:
            await peer.call("search_issues", {"word": "  Crash "})
        (got,) = tool.inputs
        assert (got if isinstance(got, str) else got.word) == "crash"


@covers("V3")
@pytest.mark.parametrize("kind_name", KINDS)
@pytest.mark.parametrize(
    ("sent", "inside"),
    [(b"", 10), (b',"limit":7', 7), (b',"limit":7.0', 7), (b',"limit":5e1', 50)],
    ids=["left out", "7", "7.0", "5e1"],
)
async def test_limit_is_always_an_integer_inside_run(kind_name: str, sent: bytes, inside: int) -> None:
    tool = Recorder(kind(kind_name).search)
    async with connected(tool.server, "2025-11-25") as peer:
        arguments = b'{"repo":"o/r","query":"q"%b}' % sent
        params = b'{"name":"search_issues","arguments":%b}' % arguments
        peer.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % params)
        assert text_of((await peer.reply(1))["result"]) == "called"
    limit = field(tool.inputs[0], "limit")
    assert (limit, type(limit)) == (inside, int)


@covers("V3")
@pytest.mark.parametrize("kind_name", KINDS)
@pytest.mark.parametrize("wrong", [None, True, "7", 7.5, [7], {"limit": 7}])
async def test_a_limit_that_is_no_integer_never_reaches_run(kind_name: str, wrong: Any) -> None:
    tool = Recorder(kind(kind_name).search)
    async with connected(tool.server) as peer:
        result = await peer.call("search_issues", {"repo": "o/r", "query": "q", "limit": wrong})
    assert result["isError"] is True
    assert text_of(result).splitlines()[1].startswith("limit: Invalid input: expected ")
    assert tool.inputs == []


@covers("V5", "F10")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind_name", KINDS)
async def test_a_failure_is_a_tool_error_and_the_mended_call_works(revision: str, kind_name: str) -> None:
    tool = Recorder(kind(kind_name).search)
    async with connected(tool.server, revision) as peer:
        arguments = {"repo": "o/r", "query": "q", "limit": 51}
        reply = await peer.request("tools/call", {"name": "search_issues", "arguments": arguments})
        assert "error" not in reply
        assert reply["result"]["isError"] is True
        (block,) = reply["result"]["content"]
        assert block["text"].splitlines()[1].startswith("limit: ")
        arguments["limit"] = 50
        assert text_of(await peer.call("search_issues", arguments)) == "called"


@covers("V6", "F11")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind_name", KINDS)
async def test_the_text_of_the_page_byte_for_byte(revision: str, kind_name: str) -> None:
    tool = Recorder(kind(kind_name).search)
    async with connected(tool.server, revision) as peer:
        result = await peer.call("search_issues", {"repo": "o/r", "query": "q", "limit": 51})
        assert result["content"] == [{"type": "text", "text": TOO_BIG}]
        assert json.dumps(TOO_BIG).encode() in peer.raw[-1]


@covers("V5", "F11")
@pytest.mark.parametrize("kind_name", KINDS)
async def test_every_faulty_field_has_its_line_in_the_order_of_the_schema(kind_name: str) -> None:
    tool = Recorder(kind(kind_name).search)
    result = await tool.server.call("search_issues", {"limit": 51, "query": None})
    assert text_of(result).splitlines() == [
        'Invalid arguments for tool "search_issues":',
        "repo: Invalid input: expected string, received undefined",
        "query: Invalid input: expected string, received null",
        "limit: Too big: expected number to be <=50",
    ]


@covers("F12", "G3")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind_name", KINDS)
async def test_a_field_s_description_is_in_the_published_schema(revision: str, kind_name: str) -> None:
    async with connected(Recorder(kind(kind_name).search).server, revision) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
    assert tool["inputSchema"]["properties"]["repo"]["description"] == "owner/name"
