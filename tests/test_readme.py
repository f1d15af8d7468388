"""The README keeps its word: its program is a server that says what is claimed, and its first command shows one."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from picomcp_py import Server

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks in that language."""
    found = re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert found, f"no {language} block"
    return found


def block(language: str) -> str:
    """The first code block in that language."""
    return blocks(language)[0]


@pytest.fixture
def server(tmp_path: Path) -> Server:
    """The program, with what the README adds above its last two lines."""
    first, second, _ = blocks("python")
    *lines, condition, serve = first.splitlines(keepends=True)
    assert condition == 'if __name__ == "__main__":\n'
    program = tmp_path / "server.py"
    program.write_text("".join([*lines, second, condition, serve]), "utf-8")
    found = runpy.run_path(str(program))["server"]
    assert isinstance(found, Server)
    return found


def test_the_program_answers_a_good_call(server: Server) -> None:
    async def call() -> dict[str, object]:
        return await server.call("search_issues", {"repo": "picomcp/picomcp", "query": "windows"})

    said = "No open issue of picomcp/picomcp matches 'windows'."
    assert anyio.run(call) == {"content": [{"type": "text", "text": said}]}


def test_the_program_refuses_a_bad_call_in_the_words_of_the_readme(server: Server) -> None:
    async def call() -> dict[str, object]:
        return await server.call("search_issues", {"repo": "picomcp/picomcp", "query": "windows", "limit": 51})

    assert anyio.run(call) == {"content": [{"type": "text", "text": block("text").strip()}], "isError": True}


def test_the_program_has_the_resource_and_the_prompt(server: Server) -> None:
    async def ask() -> None:
        (contents,) = (await server.read("issue://octo/hello/7"))["contents"]
        assert contents == {"uri": "issue://octo/hello/7", "mimeType": "text/markdown", "text": "# Issue 7 of hello"}
        (message,) = (await server.get_prompt("triage", {"repo": "octo/hello", "most": "3"}))["messages"]
        assert message["content"]["text"] == "Which 3 open issues of octo/hello are the most urgent?"

    anyio.run(ask)


def test_every_link_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len(links) >= 8
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_commands_are_there() -> None:
    scripts = re.findall(r"python3 (scripts/\w+\.py)", README)
    assert scripts[:2] == ["scripts/demo.py", "scripts/test.py"]
    assert all((ROOT / script).is_file() for script in scripts)


def test_the_first_command_shows_what_a_client_gets() -> None:
    """Without the environment that it sets up: with the Python that runs the tests."""
    program = "import sys; sys.path.insert(0, 'scripts'); import demo; sys.exit(demo.main(sys.executable))"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shown = done.stdout
    assert "search_issues: Search open GitHub issues" in shown
    assert "limit: Too big: expected number to be <=50" in shown
    assert "All as it should be." in shown
