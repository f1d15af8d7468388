"""What a client gets from a server of this library: in memory, as a program and by its URL, in both eras."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from picomcp_py import McpError
from picomcp_py.client import Client
from picomcp_py.revisions import HANDSHAKE, LATEST
from tests.client import own_server
from tests.client.programs import OWN
from tests.serving import our_server, serving

pytestmark = pytest.mark.anyio

TARGETS = {"memory": own_server.server, "program": OWN}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(*our_server(Path(OWN[1]), "max_body_bytes=None")) as found:
        yield found


@pytest.fixture(params=[*TARGETS, "url"])
def target(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue("url") if request.param == "url" else TARGETS[request.param]


@pytest.fixture(params=[LATEST, "2025-06-18"])
def revision(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


async def test_the_newest_revision_is_found_out_and_the_server_says_who_it_is(target: Any) -> None:
    async with Client(target) as client:
        assert client.revision == LATEST
        assert client.server_info["name"] == "own"
        assert client.server_info["version"] == "1.2.3"
        assert client.instructions == "Be brief."
        assert "tools" in client.capabilities


@pytest.mark.parametrize("revision", HANDSHAKE)
async def test_an_older_revision_is_spoken_when_asked_for(revision: str) -> None:
    async with Client(own_server.server, revision=revision) as client:
        assert client.revision == revision
        assert client.server_info["name"] == "own"
        assert client.instructions == "Be brief."
        assert (await client.call_tool("echo", {"text": "hi"})).text == "hi"


async def test_tools_of_all_pages_are_listed(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        tools = await client.list_tools()
    assert [tool["name"] for tool in tools] == [tool["name"] for tool in own_server.server.list_tools()]
    assert len(tools) > 3  # one page holds 3
    assert tools[0]["inputSchema"]["properties"]["text"]["description"] == "said again"


async def test_a_call_gives_text_and_structure(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        said = await client.call_tool("echo", {"text": "hé", "times": 2})
        total = await client.call_tool("add", {"a": 2**60, "b": 1})
    assert (said.text, said.has_structured, said.structured, said.is_error) == ("héhé", False, None, False)
    assert said.content == [{"type": "text", "text": "héhé"}]
    assert total.structured == {"total": 2**60 + 1}
    assert total.has_structured
    assert total.raw["structuredContent"] == total.structured


async def test_a_structured_null_is_told_from_none() -> None:
    async with Client(own_server.server) as client:
        found = await client.call_tool("nothing")
    assert (found.structured, found.has_structured) == (None, True)


async def test_a_tool_error_is_a_result(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        failed = await client.call_tool("fail")
        misused = await client.call_tool("echo", {"text": 1, "times": 0})
    assert (failed.is_error, failed.text) == (True, "no luck")
    assert misused.is_error
    assert misused.text.startswith('Invalid arguments for tool "echo":\ntext: ')


async def test_a_protocol_error_is_raised_with_code_message_and_data(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        with pytest.raises(McpError) as caught:
            await client.call_tool("refuse")
        with pytest.raises(McpError, match="Unknown tool: nope"):
            await client.call_tool("nope")
    assert (caught.value.code, caught.value.message, caught.value.data) == (-1234, "not you", {"why": "because"})


async def test_progress_comes_in_order_and_before_the_result(target: Any, revision: str) -> None:
    plain: list[Any] = []
    later: list[Any] = []

    async def on_progress(*report: Any) -> None:
        await anyio.lowlevel.checkpoint()
        later.append(report)

    async with Client(target, revision=revision) as client:
        await client.call_tool("count", on_progress=lambda *report: plain.append(report))
        assert plain == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]
        await client.call_tool("count", on_progress=on_progress)
        assert later == plain


async def test_what_on_progress_raises_ends_the_call_and_cancels_it(target: Any, revision: str) -> None:
    def on_progress(*report: Any) -> None:
        raise KeyError("enough")

    async with Client(target, revision=revision) as client:
        with pytest.raises(KeyError, match="enough"):
            await client.call_tool("stuck", on_progress=on_progress)
        await _until_cancelled(client)


async def test_a_cancelled_caller_cancels_the_call(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        with anyio.CancelScope() as scope:
            await client.call_tool("stuck", on_progress=lambda *report: scope.cancel())
        assert scope.cancelled_caught
        await _until_cancelled(client)


async def test_a_timeout_raises_and_cancels_the_call(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        with pytest.raises(TimeoutError, match=r"tools/call was not answered in 0\.05 s"):
            await client.call_tool("stuck", timeout=0.05)
        await _until_cancelled(client)


async def test_the_clients_own_timeout_holds_for_every_request() -> None:
    async with Client(own_server.server, timeout=0.05) as client:
        with pytest.raises(TimeoutError, match=r"0\.05"):
            await client.call_tool("stuck")
        await client.call_tool("echo", {"text": "fine"}, timeout=30)


async def _until_cancelled(client: Client) -> None:
    """Until the server has seen one more cancellation."""
    while (await client.call_tool("cancelled")).text == "[]":
        pass


async def test_calls_run_at_the_same_time(target: Any, revision: str) -> None:
    answers: dict[int, str] = {}

    async def one(client: Client, number: int) -> None:
        answers[number] = (await client.call_tool("echo", {"text": str(number)})).text

    async with Client(target, revision=revision) as client, anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(one, client, number)
    assert answers == {number: str(number) for number in range(50)}


async def test_ping_and_any_other_request(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        await client.ping()
        page = await client.request("tools/list")
        assert len(page["tools"]) == 3
        with pytest.raises(McpError, match="Method not found: no/such"):
            await client.request("no/such", {"a": 1})


async def test_log_messages_reach_on_log_when_asked_for(target: Any, revision: str) -> None:
    logged: list[Any] = []
    async with Client(target, revision=revision, on_log=lambda *message: logged.append(message)) as client:
        await client.set_log_level("error")
        await client.call_tool("count")
        assert logged == []
        await client.set_log_level("info")
        await client.call_tool("count")
        assert logged == [("info", {"counting": True}, "counter")]
        with pytest.raises(ValueError, match="use one of debug, info"):
            await client.set_log_level("loud")


async def test_the_log_level_option_holds_from_the_start(target: Any, revision: str) -> None:
    logged: list[Any] = []

    async def on_log(*message: Any) -> None:
        await anyio.lowlevel.checkpoint()
        logged.append(message)

    async with Client(target, revision=revision, on_log=on_log, log_level="debug") as client:
        await client.call_tool("count")
    assert logged == [("info", {"counting": True}, "counter")]


async def test_arguments_that_headers_repeat(target: Any, revision: str) -> None:
    """Over HTTP the client has to know from the listing which; here it has not listed yet."""
    given = {"region": " tr\xe4umt ", "options": {"fast": True, "copies": 2}}
    async with Client(target, revision=revision) as client:
        for arguments in (given, {"region": "eu"}, {"options": {"fast": False}}, {"region": "=?base64?a?="}, {}):
            assert (await client.call_tool("place", arguments)).structured == arguments


async def test_meta_is_sent_along(target: Any, revision: str) -> None:
    async with Client(target, revision=revision) as client:
        found = await client.call_tool("meta", meta={"example.com/trace": "abc"})
    assert found.structured["example.com/trace"] == "abc"


async def test_the_client_says_who_it_is() -> None:
    info = {"name": "tester", "version": "9"}
    async with Client(own_server.server, info=info, capabilities={"roots": {}}) as client:
        meta = (await client.call_tool("meta")).structured
    assert meta["io.modelcontextprotocol/clientInfo"] == info
    assert meta["io.modelcontextprotocol/clientCapabilities"] == {"roots": {}}


async def test_arguments_and_results_of_ten_megabytes(target: Any, revision: str) -> None:
    text = "long \N{SNOWMAN} " * 1_000_000
    async with Client(target, revision=revision) as client:
        assert (await client.call_tool("echo", {"text": text})).text == text


async def test_an_argument_that_is_no_json_is_refused_before_it_is_sent() -> None:
    async with Client(own_server.server) as client:
        with pytest.raises((TypeError, ValueError), match="function"):
            await client.call_tool("echo", {"text": lambda: None})
        assert (await client.call_tool("echo", {"text": "fine"})).text == "fine"


async def test_a_program_gets_a_safe_environment_and_what_is_passed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MY_SECRET", "hush")
    async with Client(OWN, env={"MY_OPTION": "on"}, cwd=tmp_path) as client:
        found = (await client.call_tool("environment")).structured
    assert "MY_SECRET" not in found
    assert found["MY_OPTION"] == "on"
    assert found["PATH"] == os.environ["PATH"]
    assert found["cwd"] == os.fspath(tmp_path)


async def test_a_python_file_is_a_target() -> None:
    async with Client(OWN[1]) as client:
        assert (await client.call_tool("echo", {"text": "hi"})).text == "hi"


async def test_what_the_body_raises_comes_out_as_it_is(target: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        async with Client(target):
            raise ZeroDivisionError


async def test_a_client_can_be_entered_again_but_not_twice_at_once() -> None:
    client = Client(own_server.server)
    for _ in range(2):
        async with client:
            await client.ping()
            with pytest.raises(RuntimeError, match="in use already"):
                await client.__aenter__()
    with pytest.raises(RuntimeError, match="not connected"):
        await client.ping()
