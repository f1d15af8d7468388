"""Servers that write noise, break the protocol, die, or ask the client for something."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from picomcp_py import McpError
from picomcp_py.client import BadAnswer, Client, ServerUnavailable, notices, process, stdio
from tests.client.programs import OWN, script

pytestmark = pytest.mark.anyio


async def test_noise_on_stdout_is_logged_and_counted_and_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    noisy = r"""
print("Starting up...", flush=True)
initialize()
sys.stdout.write("\x1b[32mnot json\n{}\n[1]\n" + "y" * 100_000 + "\n")
reply(read(), content=[])
read()
"""
    async with Client(script(noisy)) as client:
        assert (await client.call_tool("any")).content == []
        assert client.noise == 5
    assert "no MCP message" in caplog.text
    assert "'Starting up...'" in caplog.text
    assert "\x1b" not in caplog.text
    assert len(max(caplog.messages, key=len)) < 500


async def test_a_message_in_pieces_and_several_in_one_are_read(caplog: pytest.LogCaptureFixture) -> None:
    pieces = r"""
initialize()
one, two = read(), read()
data = "".join(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": {"é": m["method"]}}) + "\r\n" for m in (two, one))
for byte in data.encode():
    os.write(1, bytes([byte]))
read()
"""
    answers: dict[str, Any] = {}

    async def ask(client: Client, method: str) -> None:
        answers[method] = await client.request(method)

    async with Client(script(pieces)) as client, anyio.create_task_group() as group:
        group.start_soon(ask, client, "one")
        group.start_soon(ask, client, "two")
    assert answers == {"one": {"é": "one"}, "two": {"é": "two"}}
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("send({'jsonrpc': '2.0', 'id': read()['id'], 'result': [1]})", "The answer to tools/call is list"),
        ("send({'jsonrpc': '2.0', 'id': read()['id'], 'error': {'code': 'x'}})", "has no code and message"),
        ("send({'jsonrpc': '1.0', 'id': read()['id'], 'result': {}})", 'needs "jsonrpc": "2.0"'),
        ("v = []\nfor _ in range(200): v = [v]\nreply(read(), content=v)", "nested deeper than 128"),
        ("reply(read(), text='x')", 'The result of tool "t" has no "content" list'),
        ("reply(read(), content=[{'type': 'text', 'text': 'x'}, 'y'])", r"no content block at content\[1\]"),
        ("reply(read(), content=[{'type': 'text'}])", r"a text block without text at content\[0\]"),
        (
            "reply(read(), resultType='input_required', inputRequests={'a': {'method': 'elicitation/create'}})",
            "the server asks for elicitation/create, for which this client has no handler",
        ),
    ],
)
async def test_an_answer_that_breaks_the_protocol_ends_the_request(answer: str, text: str) -> None:
    async with Client(script(f"initialize()\n{answer}\nwhile True: reply(read())")) as client:
        with pytest.raises(BadAnswer, match=text):
            await client.call_tool("t")
        await client.ping()


async def test_an_answer_with_the_id_as_a_string_is_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    wrong = """
initialize()
message = read()
send({"jsonrpc": "2.0", "id": str(message["id"]), "result": {"content": [{"type": "text", "text": "wrong"}]}})
reply(message, content=[])
read()
"""
    async with Client(script(wrong)) as client:
        assert (await client.call_tool("t")).content == []
    assert "answered a request that was never sent" in caplog.text


async def test_a_list_that_goes_round_in_circles_ends() -> None:
    async with Client(script("initialize()\nwhile True: reply(read(), tools=[], nextCursor='a')")) as client:
        with pytest.raises(BadAnswer, match="goes round in circles"):
            await client.list_tools()


async def test_an_empty_cursor_is_a_cursor() -> None:
    pages = """
initialize()
reply(read(), tools=[{"name": "a"}], nextCursor="")
second = read()
reply(second, tools=[{"name": repr(second["params"])}])
read()
"""
    async with Client(script(pages)) as client:
        assert [tool["name"] for tool in await client.list_tools()] == ["a", "{'cursor': ''}"]


async def test_requests_of_the_server_are_answered() -> None:
    asking = """
initialize()
call = read()
send({"jsonrpc": "2.0", "id": "p", "method": "ping"})
send({"jsonrpc": "2.0", "id": 0, "method": "roots/list"})
reply(call, content=[], pong=read(), refusal=read())
read()
"""
    async with Client(script(asking)) as client:
        raw = (await client.call_tool("t")).raw
    assert raw["pong"] == {"jsonrpc": "2.0", "id": "p", "result": {}}
    assert raw["refusal"]["id"] == 0
    assert raw["refusal"]["error"]["code"] == -32601
    assert "roots/list" in raw["refusal"]["error"]["message"]


async def test_a_cancelled_request_is_told_to_the_server_and_its_late_answer_ignored(
    caplog: pytest.LogCaptureFixture,
) -> None:
    late = """
initialize()
call = read()
send({"jsonrpc": "2.0", "method": "notifications/progress",
      "params": {"progressToken": call["params"]["_meta"]["progressToken"], "progress": 1}})
cancelled = read()
reply(call, content=[])
reply(read(), content=[], call=call, cancelled=cancelled)
read()
"""
    async with Client(script(late)) as client:
        with anyio.CancelScope() as scope:
            await client.call_tool("t", on_progress=lambda *report: scope.cancel())
        raw = (await client.call_tool("t")).raw
    assert raw["cancelled"]["method"] == "notifications/cancelled"
    assert raw["cancelled"]["params"]["requestId"] == raw["call"]["id"]
    assert caplog.messages == []


async def test_other_notifications_reach_on_message_and_a_failing_callback_costs_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    changing = """
initialize()
for method in ("notifications/tools/list_changed", "notifications/other"):
    send({"jsonrpc": "2.0", "method": method, "params": {"n": 1}})
reply(read(), content=[])
read()
"""
    seen: list[Any] = []

    def on_message(*message: Any) -> None:
        seen.append(message)
        raise ValueError("callback")

    async with Client(script(changing), on_message=on_message) as client:
        await client.call_tool("t")
    assert seen == [("notifications/tools/list_changed", {"n": 1}), ("notifications/other", {"n": 1})]
    assert "a callback for the server's notifications failed" in caplog.text


async def test_an_async_callback_may_use_the_client() -> None:
    answers: list[str] = []
    done = anyio.Event()

    async def on_log(level: str, data: Any, logger: str | None) -> None:
        answers.append((await client.call_tool("echo", {"text": "from the callback"})).text)
        done.set()

    client = Client(OWN, on_log=on_log, log_level="info")
    async with client:
        await client.call_tool("count")
        await done.wait()
    assert answers == ["from the callback"]


async def test_a_dying_server_ends_all_waiting_requests() -> None:
    failures: list[ServerUnavailable] = []

    async def wait(client: Client) -> None:
        with pytest.raises(ServerUnavailable, match="tools/call has no answer") as caught:
            await client.call_tool("stuck")
        failures.append(caught.value)

    async with Client(OWN, stderr="capture") as client:
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(wait, client)
            with pytest.raises(ServerUnavailable, match="ended with exit code 7") as caught:
                await client.call_tool("crash")
        assert "about to crash" in caught.value.stderr
        with pytest.raises(ServerUnavailable, match="server/discover has no answer"):
            await client.ping()
    assert [failure.exit_code for failure in failures] == [7, 7, 7]


async def test_a_server_that_is_killed_names_the_signal() -> None:
    async with Client(script("initialize()\nread()\nos.kill(os.getpid(), 9)")) as client:
        with pytest.raises(ServerUnavailable, match="was ended by SIGKILL") as caught:
            await client.call_tool("t")
    assert caught.value.exit_code == -9


async def test_a_server_that_closes_its_stdout_and_lives_on_is_gone() -> None:
    async with Client(script("initialize()\nread()\nos.close(1)\nread()")) as client:
        with pytest.raises(ServerUnavailable, match="closed its stdout; tools/call has no answer"):
            await client.call_tool("t")


async def test_a_dead_server_is_noticed_though_its_child_holds_stdout() -> None:
    holding = """
initialize()
read()
subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
os._exit(3)
"""
    async with Client(script(holding)) as client:
        with pytest.raises(ServerUnavailable, match="ended with exit code 3"):
            await client.call_tool("t")


async def test_a_message_beyond_the_limit_ends_the_waiting() -> None:
    large = "initialize()\nreply(read(), content=[{'type': 'text', 'text': 'x' * 100_000}])\nread()"
    async with Client(script(large), max_message_bytes=10_000) as client:
        with pytest.raises(BadAnswer, match="longer than 10000 bytes, so tools/call can't be answered: raise"):
            await client.call_tool("t")


async def test_an_error_is_raised_as_it_is() -> None:
    async with Client(script("initialize()\nrefuse(read(), -5, 'no', [1])\nread()")) as client:
        with pytest.raises(McpError) as caught:
            await client.call_tool("t")
    assert (caught.value.code, caught.value.message, caught.value.data) == (-5, "no", [1])


async def test_stderr_goes_through_unless_captured(capfd: pytest.CaptureFixture[str]) -> None:
    async with Client(script("sys.stderr.write('shown'); initialize()")):
        pass
    assert capfd.readouterr().err == "shown"
    async with Client(script("sys.stderr.write('kept'); initialize()"), stderr="capture"):
        pass
    assert capfd.readouterr().err == ""


async def test_a_flood_of_stderr_holds_nobody_up() -> None:
    async with Client(script("sys.stderr.write('x' * 1_000_000); initialize()"), stderr="capture") as client:
        assert client.revision == "2025-11-25"


async def test_async_callbacks_that_can_not_keep_up_are_bounded(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(notices, "MAX_WAITING", 3)
    flood = """
initialize()
for number in range(10):
    send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": number}})
reply(read(), content=[])
read()
"""
    seen: list[Any] = []
    released = anyio.Event()

    async def on_log(level: str, data: Any, logger: str | None) -> None:
        await released.wait()
        seen.append(data)

    async with Client(script(flood), on_log=on_log) as client:
        await client.call_tool("t")
        released.set()
    assert seen == [0, 1, 2]
    assert "some notifications are dropped" in caplog.text


async def test_new_messages_wait_while_the_server_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE", 0.1)
    monkeypatch.setattr(stdio, "PATIENCE", 0.1)
    async with Client(script("initialize()\ntime.sleep(600)")) as client:
        await client.notify("notifications/large", {"text": "x" * 2_000_000})
        with anyio.move_on_after(0.05) as scope:
            await client.notify("notifications/next")
        assert scope.cancelled_caught
