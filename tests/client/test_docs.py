"""docs/client.md: its Python works, its tables are what is so, its commands are understood."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path
from typing import Any

import pytest

from picomcp_py import client as public
from picomcp_py.cli import help_texts
from picomcp_py.cli.program import make_parser
from picomcp_py.client import Client
from tests.client.programs import script

PAGE = (Path(__file__).parents[2] / "docs" / "client.md").read_text(encoding="utf-8")

SERVER = """
CAPABILITIES = {"tools": {}, "prompts": {}, "resources": {}, "completions": {}}
RESULTS = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES},
    "tools/list": {"tools": [{"name": "new"}]},
    "resources/list": {"resources": [{"uri": "note://today", "name": "today"}]},
    "resources/read": {"contents": [{"uri": "note://today", "text": "rain"}]},
    "prompts/list": {"prompts": [{"name": "summary"}]},
    "prompts/get": {"messages": []},
    "completion/complete": {"completion": {"values": ["short"]}},
}
while True:
    message = read()
    if message["method"] == "subscriptions/listen":
        wanted = message["params"]["notifications"]
        for method, params in [
            ("subscriptions/acknowledged", {"notifications": wanted}),
            ("tools/list_changed", {}),
            ("resources/updated", {"uri": wanted["resourceSubscriptions"][0]}),
        ]:
            params["_meta"] = {"io.modelcontextprotocol/subscriptionId": message["id"]}
            send({"jsonrpc": "2.0", "method": "notifications/" + method, "params": params})
        reply(message, resultType="complete")
    else:
        reply(message, resultType="complete", **RESULTS[message["method"]])
"""


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def code(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


async def run(block: str, client: Client) -> dict[str, Any]:
    """The variables that the code has set in the end."""
    found: dict[str, Any] = {}
    exec(f"async def main(client):\n{textwrap.indent(block, '    ')}\n    return locals()\n", found)
    variables: dict[str, Any] = await found["main"](client)
    return variables


def test_all_python_on_the_page_can_be_read() -> None:
    blocks = code(PAGE)
    assert len(blocks) == 6
    for block in blocks:
        compile(f"async def main():\n{textwrap.indent(block, '    ')}", "docs/client.md", "exec")


@pytest.mark.anyio
async def test_resources_prompts_and_completion_as_shown() -> None:
    (block,) = code(section("Resources, prompts, completion"))
    async with Client(script(SERVER)) as client:
        variables = await run(block, client)
    assert variables["note"].text == "rain"
    assert variables["listed"]["name"] == "summary"
    assert variables["found"].values == ["short"]


@pytest.mark.anyio
async def test_listening_as_shown() -> None:
    (block,) = code(section("Listen for changes"))
    async with Client(script(SERVER)) as client:
        variables = await run(block, client)
    assert variables["tools"] == [{"name": "new"}]
    assert variables["note"].text == "rain"


def test_the_errors_of_the_table_are_those_there_are() -> None:
    named = set(re.findall(r"^\| `(\w+)`", section("When it goes wrong"), re.MULTILINE))
    errors = {name for name in public.__all__ if isinstance(getattr(public, name), type)}
    assert named - {"McpError", "TimeoutError"} == {
        name for name in errors if issubclass(getattr(public, name), Exception)
    }


def test_the_exit_codes_are_those_that_the_help_says() -> None:
    table = dict(re.findall(r"^\| (\d+) \| (.*) \|$", section("From the shell"), re.MULTILINE))
    said = dict(re.findall(r"^  (\d+)  (.*)$", help_texts.EXIT_CODES, re.MULTILINE))
    assert set(table) == set(said)
    assert all(table[number].startswith(said[number]) for number in said)


def test_the_commands_are_understood() -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", section("From the shell"), re.DOTALL)
    verbs = []
    for line in block.splitlines():
        words = shlex.split(line.partition(" > ")[0])
        assert words[0] == "picomcp-py"
        verbs.append(make_parser().parse_args(words[1:]).verb)
    assert {"run", "list", "call", "read", "prompt"} == set(verbs)
