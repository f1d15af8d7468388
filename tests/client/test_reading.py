"""Lists, resources, prompts and completion: what is asked, what is sent, and what is made of bad answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from picomcp_py import McpError
from picomcp_py.client import BadAnswer, Client, CompletionResult, pages
from tests.client.http_script import DISCOVERED, INITIALIZED, Answer, Request, reply, response, scripted
from tests.client.programs import script

pytestmark = pytest.mark.anyio

ALL: dict[str, Any] = {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}

LISTS: dict[str, tuple[str, Callable[[Client], Awaitable[list[dict[str, Any]]]]]] = {
    "tools/list": ("tools", Client.list_tools),
    "resources/list": ("resources", Client.list_resources),
    "resources/templates/list": ("resourceTemplates", Client.list_resource_templates),
    "prompts/list": ("prompts", Client.list_prompts),
}


def answering(results: dict[str, Any], capabilities: dict[str, Any] = ALL) -> list[str]:
    """A program of 2026-07-28 that gives these results for these methods, and refuses all others.

    A list of results is given one after the other, the last one for ever.
    """
    return script(f"""
results = json.loads({json.dumps(json.dumps(results))})
reply(read(), resultType="complete", supportedVersions=["2026-07-28"], capabilities={capabilities!r})
while True:
    message = read()
    result = results.get(message["method"])
    if isinstance(result, list):
        result = result.pop(0) if len(result) > 1 else result[0]
    if result is None:
        refuse(message, -32601, "Method not found")
    else:
        reply(message, resultType="complete", **result)
""")


@pytest.mark.parametrize("method", LISTS)
async def test_all_pages_of_every_list_are_read(method: str) -> None:
    member, ask = LISTS[method]
    found = [
        {member: [{"name": "a"}, {"name": "b"}], "nextCursor": ""},  # an empty cursor is one
        {member: [], "nextCursor": "2"},
        {member: [{"name": "c"}], "nextCursor": None},
        {member: [{"name": "again"}]},
    ]
    async with Client(answering({method: found})) as client:
        assert [entry["name"] for entry in await ask(client)] == ["a", "b", "c"]
        assert [entry["name"] for entry in await ask(client)] == ["again"]


@pytest.mark.parametrize("method", LISTS)
async def test_broken_pages_of_every_list_are_told(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_PAGES", 3)
    member, ask = LISTS[method]
    endless = [{member: [], "nextCursor": str(number)} for number in range(5)]
    broken = [{member: {}}, {}, {member: [1]}, {member: [], "nextCursor": "x"}, *endless]
    async with Client(answering({method: broken})) as client:
        for _ in range(3):
            with pytest.raises(BadAnswer, match=f"The answer to {method} has no list of {member}"):
                await ask(client)
        with pytest.raises(BadAnswer, match=f"{method} has more than 3 pages"):
            await ask(client)
    async with Client(answering({method: {member: [], "nextCursor": "x"}})) as client:
        with pytest.raises(BadAnswer, match=f"{method} goes round in circles: cursor 'x' leads to itself"):
            await ask(client)


async def test_a_server_is_not_asked_for_what_it_does_not_declare() -> None:
    async with Client(answering({}, {})) as client:  # it refuses every request
        for _, ask in LISTS.values():
            assert await ask(client) == []
        assert await client.complete("a", "b", prompt="p") == CompletionResult(values=[])
        with pytest.raises(McpError, match="Method not found"):
            await client.read_resource("note://one")
        with pytest.raises(McpError, match="Method not found"):
            await client.get_prompt("p")


async def test_a_server_of_2024_11_05_is_asked_for_completions_which_it_can_not_declare() -> None:
    old = """
initialize("2024-11-05")
while True:
    reply(read(), completion={"values": ["v"]})
"""
    async with Client(script(old), revision="2024-11-05") as client:
        assert await client.complete("a", "", prompt="p") == CompletionResult(values=["v"])


async def test_a_server_with_resources_need_not_know_templates_but_other_errors_are_raised() -> None:
    async with Client(answering({"resources/list": {"resources": []}})) as client:
        assert await client.list_resource_templates() == []
        with pytest.raises(McpError, match="Method not found"):
            await client.list_prompts()
    refusing = """
reply(read(), supportedVersions=["2026-07-28"], capabilities={"resources": {}})
refuse(read(), -32603, "broken")
read()
"""
    async with Client(script(refusing)) as client:
        with pytest.raises(McpError, match="broken"):
            await client.list_resource_templates()


async def test_the_contents_of_a_resource_are_text_and_bytes() -> None:
    contents = [
        {"uri": "a", "text": "one"},
        {"uri": "b", "blob": "AAECAw=="},
        {"uri": "c", "text": "two"},
        {"uri": "d", "blob": "BA=="},
    ]
    found = {"contents": contents, "_meta": {"k": 1}, "ttlMs": 5}
    async with Client(answering({"resources/read": found})) as client:
        read = await client.read_resource("a")
    assert (read.contents, read.text, read.data, read.meta) == (contents, "one\ntwo", b"\x00\x01\x02\x03", {"k": 1})
    assert read.raw == {"resultType": "complete", **found}


@pytest.mark.parametrize(
    "contents",
    [None, {}, [1], [{"uri": "a"}], [{"text": 1}], [{"text": "a"}, {"blob": None}], [{"text": "", "blob": 1}]],
)
async def test_what_is_no_resource_is_told(contents: Any) -> None:
    async with Client(answering({"resources/read": {"contents": contents}})) as client:
        with pytest.raises(BadAnswer, match='The result of reading "a:b" has n'):
            await client.read_resource("a:b")


async def test_a_blob_that_is_no_base64_is_told() -> None:
    async with Client(answering({"resources/read": {"contents": [{"uri": "a", "blob": "A*=="}]}})) as client:
        read = await client.read_resource("a")
    with pytest.raises(BadAnswer, match="not base64"):
        _ = read.data


async def test_messages_of_a_prompt_come_as_they_were_sent() -> None:
    messages = [
        {"role": "user", "content": {"type": "text", "text": "hi"}},
        {"role": "assistant", "content": {"type": "image", "data": "AA==", "mimeType": "image/png"}},
    ]
    found = {"description": "d", "messages": messages, "_meta": {"k": 1}}
    async with Client(answering({"prompts/get": found})) as client:
        prompt = await client.get_prompt("p")
    assert (prompt.messages, prompt.description, prompt.meta) == (messages, "d", {"k": 1})
    assert prompt.raw == {"resultType": "complete", **found}


TEXT = {"type": "text", "text": ""}


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        (None, 'no "messages" list'),
        (["hi"], r"no message with a role at messages\[0\]"),
        ([{"role": "user", "content": TEXT}, {"content": TEXT}], r"no message with a role at messages\[1\]"),
        ([{"role": "user", "content": [TEXT]}], r"no content block at messages\[0\].content"),
        ([{"role": "user", "content": {"type": "text"}}], r"a text block without text at messages\[0\].content"),
    ],
)
async def test_what_is_no_prompt_is_told(messages: Any, text: str) -> None:
    async with Client(answering({"prompts/get": {"messages": messages}})) as client:
        with pytest.raises(BadAnswer, match=f'The result of prompt "p" .*{text}'):
            await client.get_prompt("p")


@pytest.mark.parametrize("completion", [None, [], {}, {"values": "abc"}, {"values": [1]}])
async def test_what_is_no_completion_is_told(completion: Any) -> None:
    async with Client(answering({"completion/complete": {"completion": completion}})) as client:
        with pytest.raises(BadAnswer, match=r"no list of strings in completion\.values"):
            await client.complete("a", "", prompt="p")


async def test_what_a_completion_does_not_say_is_unknown() -> None:
    found = {"completion": {"values": ["a"], "total": None, "hasMore": None}}
    async with Client(answering({"completion/complete": found})) as client:
        assert await client.complete("a", "", prompt="p") == CompletionResult(values=["a"], total=None, has_more=False)


async def test_a_question_of_the_server_instead_of_a_result_is_told() -> None:
    asks = {"resultType": "input_required", "inputRequests": {"a": {"method": "elicitation/create"}}}
    program = f"""
reply(read(), resultType="complete", supportedVersions=["2026-07-28"], capabilities={ALL!r})
while True:
    reply(read(), **{asks!r})
"""
    async with Client(script(program)) as client:
        with pytest.raises(BadAnswer, match=r"The answer to resources/read is not complete.*elicitation/create"):
            await client.read_resource("a")
        with pytest.raises(BadAnswer, match="The answer to prompts/get is not complete"):
            await client.get_prompt("a")


async def test_wrong_arguments_are_refused_before_anything_is_sent() -> None:
    async with Client(answering({})) as client:
        with pytest.raises(TypeError, match="either prompt= or template="):
            await client.complete("a", "b")
        with pytest.raises(TypeError, match="either prompt= or template="):
            await client.complete("a", "b", prompt="p", template="t://{a}")
        with pytest.raises(TypeError, match='complete: the argument "n" must be a string, not int'):
            await client.complete("a", "b", prompt="p", context={"n": 1})  # type: ignore[dict-item]
        with pytest.raises(TypeError, match='get_prompt: the argument "n" must be a string, not int'):
            await client.get_prompt("p", {"n": 1})  # type: ignore[dict-item]


# ---------------------------------------------------------------- over HTTP

RESULTS = {
    "resources/read": {"contents": [{"uri": "a", "text": "t"}]},
    "prompts/get": {"messages": []},
    "completion/complete": {"completion": {"values": []}},
}


def serving_all(era: str) -> Answer:
    async def answer(request: Request) -> None:
        if request.says == "server/discover" and era == "2026-07-28":
            await request.send(reply(request, {**DISCOVERED, "capabilities": ALL}))
        elif request.says == "initialize":
            await request.send(reply(request, {**INITIALIZED, "capabilities": ALL}))
        elif request.says in RESULTS:
            await request.send(reply(request, RESULTS[request.says]))
        else:
            await request.send(response(202 if request.says.startswith("notifications/") else 405))

    return answer


async def ask_all(client: Client) -> None:
    await client.read_resource("note://ö")
    await client.get_prompt("p q", {"a": "b"})
    await client.complete("a", "v", template="note://{a}", context={"c": "d"})


async def test_headers_repeat_the_uri_of_a_resource_and_the_name_of_a_prompt() -> None:
    async with scripted(serving_all("2026-07-28")) as server, Client(server.url) as client:
        await ask_all(client)
    read, prompt, completion = (request.headers for request in server.requests[1:])
    assert (read["mcp-method"], read["mcp-name"]) == ("resources/read", "=?base64?bm90ZTovL8O2?=")
    assert (prompt["mcp-method"], prompt["mcp-name"]) == ("prompts/get", "p q")
    assert completion["mcp-method"] == "completion/complete"
    assert "mcp-name" not in completion


async def test_the_params_are_the_same_in_both_eras_but_for_the_envelope() -> None:
    for era in ("2026-07-28", "2025-11-25"):
        async with scripted(serving_all(era)) as server, Client(server.url, revision=era) as client:
            await ask_all(client)
        sent = [request.body["params"] for request in server.requests if request.says in RESULTS]
        assert [params.pop("_meta", None) is not None for params in sent] == [era == "2026-07-28"] * 3
        assert sent == [
            {"uri": "note://ö"},
            {"name": "p q", "arguments": {"a": "b"}},
            {
                "ref": {"type": "ref/resource", "uri": "note://{a}"},
                "argument": {"name": "a", "value": "v"},
                "context": {"arguments": {"c": "d"}},
            },
        ]
