"""Agreeing on an era and a revision, with servers of every kind; and targets that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from picomcp_py import ConfigError, McpError, pico
from picomcp_py.client import BadAnswer, Client, ServerUnavailable, negotiate
from tests.client.programs import script

pytestmark = pytest.mark.anyio

SERVE = """
while True:
    message = read()
    reply(message, tools=[], params=message.get("params"))
"""


async def test_a_server_that_knows_no_discover_is_initialized() -> None:
    async with Client(script("initialize()" + SERVE)) as client:
        assert client.revision == "2025-11-25"
        assert client.server_info == {"name": "old"}
        assert (await client.request("tools/list"))["params"] is None


async def test_a_server_may_answer_with_an_older_revision() -> None:
    async with Client(script("initialize('2024-11-05')" + SERVE)) as client:
        assert client.revision == "2024-11-05"


async def test_a_new_server_gets_the_envelope_with_every_request() -> None:
    async with Client(script("discover()" + SERVE), info={"name": "me", "version": "1"}) as client:
        assert client.revision == "2026-07-28"
        params = (await client.request("tools/list", {"cursor": "c", "_meta": {"k": 1}}))["params"]
    assert params == {
        "cursor": "c",
        "_meta": {
            "k": 1,
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "me", "version": "1"},
        },
    }


async def test_a_server_that_ignores_discover_is_initialized_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(negotiate, "PROBE", 0.05)
    silent = "assert read()['method'] == 'server/discover'\ninitialize()"
    async with Client(script(silent + SERVE)) as client:
        assert client.revision == "2025-11-25"
        await client.list_tools()


async def test_a_new_server_that_is_slow_to_start_is_not_taken_for_an_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(negotiate, "PROBE", 0.05)
    slow = """
first, second = read(), read()
assert (first["method"], second["method"]) == ("server/discover", "initialize")
refuse(second, -32601, "Method not found")
reply(first, supportedVersions=["2026-07-28"], capabilities={})
"""
    async with Client(script(slow + SERVE)) as client:
        assert client.revision == "2026-07-28"
        await client.list_tools()


async def test_an_old_server_that_refuses_late_is_initialized_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(negotiate, "PROBE", 0.05)
    slow = """
first, second = read(), read()
refuse(first, -32601, "Method not found")
reply(second, protocolVersion="2025-06-18", capabilities={}, serverInfo={})
assert read()["method"] == "notifications/initialized"
"""
    async with Client(script(slow + SERVE)) as client:
        assert client.revision == "2025-06-18"
        await client.list_tools()


@pytest.mark.parametrize("supported", [["2025-11-25"], ["2025-06-18", "2030-01-01"]])
async def test_a_server_that_names_older_revisions_is_initialized(supported: list[str]) -> None:
    for answer in (
        f"refuse(read(), -32022, 'Unsupported protocol version', {{'supported': {supported}}})",
        f"reply(read(), supportedVersions={supported}, capabilities={{}})",
    ):
        async with Client(script(f"{answer}\ninitialize()" + SERVE)) as client:
            assert client.revision == "2025-11-25"


async def test_no_revision_in_common_is_an_error_that_names_both_sides() -> None:
    with pytest.raises(McpError, match="Unsupported protocol version"):
        await _enter(script("refuse(read(), -32022, 'Unsupported protocol version', {'supported': ['2030-01-01']})"))
    with pytest.raises(BadAnswer, match="the server serves 2030-01-01, this client"):
        await _enter(script("reply(read(), supportedVersions=['2030-01-01'], capabilities={})"))
    with pytest.raises(BadAnswer, match="answered initialize with '2030-01-01'"):
        await _enter(script("initialize('2030-01-01')"))
    with pytest.raises(BadAnswer, match="wants 2025-03-26"):
        await _enter(script("initialize('2025-06-18')"), revision="2025-03-26")
    with pytest.raises(McpError, match="Method not found"):
        await _enter(script("initialize()"), revision="2026-07-28")


async def test_the_timeout_holds_for_the_start() -> None:
    with pytest.raises(TimeoutError, match=r"did not agree on a protocol revision in 0\.1 s"):
        await _enter(script("while True: read()"), timeout=0.1)


async def test_a_server_that_ends_at_once_says_how_and_why() -> None:
    with pytest.raises(ServerUnavailable, match="ended with exit code 5; server/discover has no answer") as caught:
        await _enter(script("sys.stderr.write('no licence'); sys.exit(5)"), stderr="capture")
    assert caught.value.exit_code == 5
    assert caught.value.stderr == "no licence"
    assert "The end of its stderr:\nno licence" in str(caught.value)


async def test_a_command_that_can_not_be_started_says_why(tmp_path: Path) -> None:
    with pytest.raises(ServerUnavailable, match='there is no command "no-such-command"'):
        await _enter(["no-such-command"])
    with pytest.raises(ServerUnavailable, match=r'there is no folder ".*nowhere" \(cwd\)'):
        await _enter(script(""), cwd=tmp_path / "nowhere")
    with pytest.raises(ServerUnavailable, match="Permission denied"):
        await _enter([str(tmp_path)])


async def _enter(target: Any, **options: Any) -> None:
    async with Client(target, **options):
        pytest.fail("there was an agreement")


@pytest.mark.parametrize(
    ("target", "options", "text"),
    [
        ("http://", {}, "names no host"),
        ("http://localhost/mcp", {"cwd": "."}, "cwd, env and stderr are for a server in a process of its own"),
        ("http://localhost/mcp", {"headers": {"Authorization": "a\nb"}}, "the value of the header 'Authorization'"),
        (["ok"], {"headers": {"a": "b"}}, "headers are for a URL"),
        ("npx", {}, "is given as a list of words"),
        ("nowhere.py", {}, 'there is no file "nowhere.py"'),
        (42, {}, "must be a Server, a command as a list of words, the path of a Python file, or a URL, not 42"),
        ([], {}, "must be a Server"),
        (["ok"], {"stderr": "file"}, '"stderr" must be "inherit" or "capture"'),
        (["ok"], {"revision": "2020-01-01"}, "use one of 2024-11-05"),
    ],
)
def test_what_can_not_work_is_refused_when_the_client_is_made(target: Any, options: Any, text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        Client(target, **options)


async def test_options_of_a_process_are_refused_for_a_server_in_memory() -> None:
    with pytest.raises(ConfigError, match="are not for a server in memory"):
        Client(pico({"name": "x"}), cwd="/")


def test_an_unknown_log_level_is_refused() -> None:
    with pytest.raises(ValueError, match="use one of debug"):
        Client(["ok"], log_level="loud")


async def test_a_start_given_up_cancels_discover_but_never_initialize(capfd: pytest.CaptureFixture[str]) -> None:
    heard = "sys.stderr.write(sys.stdin.read())"
    with pytest.raises(TimeoutError):
        await _enter(script(heard), revision="2025-11-25", timeout=0.05)
    assert [message["method"] for message in _messages(capfd.readouterr().err)] == ["initialize"]
    with pytest.raises(TimeoutError):
        await _enter(script(heard), revision="2026-07-28", timeout=0.05)
    told = _messages(capfd.readouterr().err)
    assert [message["method"] for message in told] == ["server/discover", "notifications/cancelled"]


def _messages(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]
