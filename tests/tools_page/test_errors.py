"""Errors of tools and errors of the protocol, as the page has them."""

from __future__ import annotations

from typing import Any

import pytest

import picomcp_py
from picomcp_py import McpError, ToolError, pico
from tests.peer import EVERY, connected, text_of
from tests.tools_page.manifest import covers

pytestmark = pytest.mark.anyio

USERS = {"1": {"id": "1", "name": "Ada"}}
ID = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


@covers("E1", "E2", "F28")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind", [Exception, ValueError, LookupError, OSError, ToolError])
@pytest.mark.parametrize("is_async", [True, False])
async def test_what_run_raises_is_a_tool_error_with_its_message(revision: str, kind: Any, is_async: bool) -> None:
    def now() -> None:
        raise kind("The disk is full.")

    async def later() -> None:
        raise kind("The disk is full.")

    async with connected(pico({"name": "s"}).tool("t", {"run": later if is_async else now}), revision) as peer:
        reply = await peer.request("tools/call", {"name": "t"})
    assert reply["result"]["isError"] is True
    assert text_of(reply["result"]) == "The disk is full."


@covers("E3")
@pytest.mark.parametrize("revision", EVERY)
async def test_the_example_of_an_unknown_user(revision: str) -> None:
    async def run(input: dict[str, Any]) -> dict[str, str]:
        user = USERS.get(input["id"])
        if user is None:
            raise Exception(f"No user with id {input['id']}. Call list_users to see valid ids.")
        return user

    async with connected(pico({"name": "s"}).tool("get_user", {"input": ID, "run": run}), revision) as peer:
        assert text_of(await peer.call("get_user", {"id": "1"})) == '{"id":"1","name":"Ada"}'
        failed = await peer.call("get_user", {"id": "7"})
        assert failed["isError"] is True
        assert text_of(failed) == "No user with id 7. Call list_users to see valid ids."


@covers("E4", "F30")
@pytest.mark.parametrize(
    "message",
    [
        "No user 7.\nCall list_users.",
        'Use "full" names — größer',
        "x" * 20_000,
        "a\u2028b",
        "50% {done}",
        "\ud800 lone",
    ],
)
async def test_the_model_reads_the_message_as_it_was_written(message: str) -> None:
    def run() -> None:
        raise ValueError(message)

    async with connected(pico({"name": "s"}).tool("t", {"run": run})) as peer:
        assert text_of(await peer.call("t")) == message.replace("\ud800", "\ufffd")


@covers("E4")
async def test_nothing_but_the_message_is_told() -> None:
    def run() -> None:
        secret = "hunter2"
        raise ValueError(f"No access for a password of {len(secret)} characters.")

    async with connected(pico({"name": "s"}).tool("t", {"run": run})) as peer:
        await peer.call("t")
    said = peer.raw[-1].decode()
    assert "Traceback" not in said
    assert __file__ not in said
    assert "hunter2" not in said


@covers("E5")
@pytest.mark.parametrize("revision", EVERY)
async def test_a_tool_error_is_a_result_and_a_protocol_error_is_none(revision: str) -> None:
    def tool_error() -> None:
        raise ToolError("Try another id.")

    def protocol_error() -> None:
        raise McpError(-32001, "Not authorised for this workspace")

    server = pico({"name": "s"}).tool("a", {"run": tool_error}).tool("b", {"run": protocol_error})
    async with connected(server, revision) as peer:
        a = await peer.request("tools/call", {"name": "a"})
        b = await peer.request("tools/call", {"name": "b"})
    assert ("result" in a, "error" in a) == (True, False)
    assert ("result" in b, "error" in b) == (False, True)


@covers("E6", "E7", "F29")
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("is_async", [True, False])
async def test_mcp_error_answers_the_request_with_its_code_and_message(revision: str, is_async: bool) -> None:
    def now() -> None:
        raise McpError(-32001, "Not authorised for this workspace")

    async def later() -> None:
        raise McpError(-32001, "Not authorised for this workspace")

    server = pico({"name": "s"}).tool("t", {"run": later if is_async else now})
    async with connected(server, revision) as peer:
        reply = await peer.request("tools/call", {"name": "t"}, id="a")
    error = {"code": -32001, "message": "Not authorised for this workspace"}
    assert reply == {"jsonrpc": "2.0", "id": "a", "error": error}


@covers("F29")
async def test_mcp_error_is_exported_and_server_call_raises_it() -> None:
    assert "McpError" in picomcp_py.__all__

    def run() -> None:
        raise McpError(-32001, "Not authorised for this workspace")

    with pytest.raises(McpError) as caught:
        await pico({"name": "s"}).tool("t", {"run": run}).call("t")
    assert (caught.value.code, caught.value.message) == (-32001, "Not authorised for this workspace")
