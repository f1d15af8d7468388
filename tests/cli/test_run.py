"""`picomcp-py run`: which server of a file is served, and nothing but messages on stdout."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import anyio
import pytest

from picomcp_py.cli import main
from picomcp_py.client import Client
from tests.cli.programs import COMMAND, SERVER, run

HEAD = "from picomcp_py import pico\n"


def serve(tmp_path: Path, source: str, *, name: str = "made.py", target: str = "made.py") -> str:
    """The name of the server that `run TARGET` serves, asked by a client."""
    (tmp_path / name).write_text(source, encoding="utf-8")

    async def ask() -> str:
        async with Client([*COMMAND, "run", target], cwd=tmp_path) as client:
            assert client.noise == 0
            found: str = client.server_info["name"]
            return found

    return anyio.run(ask)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("server = pico(name='a')", "a"),
        ("app = pico(name='b'); other = pico(name='c')", "b"),
        ("app = object(); mcp = pico(name='d')", "d"),
        ("anything = pico(name='e'); again = anything", "e"),
        ("server = pico(name='f'); one = pico(name='g'); one.serve()", "g"),
        ("import asyncio\nserver = pico(name='h')\nasyncio.run(server.serve_async())", "h"),
        ("server = pico(name='i', backend='trio')\nif __name__ == '__main__': server.serve()", "i"),
        ("print('noise'); import os; os.write(1, b'more'); server = pico(name='j')", "j"),
    ],
)
def test_the_server_of_a_file_is_found(source: str, name: str, tmp_path: Path) -> None:
    assert serve(tmp_path, HEAD + source) == name


@pytest.mark.parametrize(
    ("source", "target", "name"),
    [
        ("server = pico(name='a'); other = pico(name='b')", "made.py:other", "b"),
        ("def make(): return pico(name='c')", "made.py:make", "c"),
        ("one = pico(name='d'); two = pico(name='e'); one.serve()", "made.py:two", "e"),
    ],
)
def test_a_name_says_which(source: str, target: str, name: str, tmp_path: Path) -> None:
    assert serve(tmp_path, HEAD + source, target=target) == name


def test_a_file_may_bear_the_name_of_a_module_and_import_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").write_text("NAME = 'near'", encoding="utf-8")
    source = HEAD + "import neighbour\nserver = pico(name=neighbour.NAME)"
    assert serve(tmp_path, source, name="json.py", target="json.py") == "near"


def test_the_options_of_serve_hold(tmp_path: Path) -> None:
    source = HEAD + "server = pico(name='x')\nserver.serve({'maxMessageBytes': 2048})"
    (tmp_path / "made.py").write_text(source, encoding="utf-8")
    done = run("run", "made.py", cwd=tmp_path, stdin=json.dumps({"text": "x" * 3000}) + "\n")
    assert "longer than 2048 bytes" in done.stdout
    assert done.returncode == 0


def test_only_messages_reach_stdout_and_the_end_of_stdin_ends_it(tmp_path: Path) -> None:
    (tmp_path / "weather.py").write_text(SERVER + "\nweather.serve()\n", encoding="utf-8")
    requests: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "forecast", "arguments": {"city": "x"}}},
    ]
    stdin = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)
    done = run("run", "weather.py", cwd=tmp_path, stdin=stdin)
    assert done.returncode == 0
    messages = [json.loads(text) for text in done.stdout.splitlines()]
    assert [message["id"] for message in messages if "id" in message] == [1, 2]
    assert "printed at import" in done.stderr
    assert "printed in a call" in done.stderr


def test_the_log_goes_to_stderr_once(tmp_path: Path) -> None:
    source = (
        "import logging; logging.basicConfig()\n" + HEAD + "server = pico(name='x')\nlogging.getLogger('picomcp_py')"
    )
    (tmp_path / "made.py").write_text(source + ".error('logged')\n", encoding="utf-8")
    done = run("run", "made.py", cwd=tmp_path)
    assert done.stderr.count("logged") == 1


@pytest.mark.parametrize(
    ("source", "target", "text"),
    [
        (
            "x = 1",
            "made.py",
            "made.py has no Server: assign one, `server = pico(...)`, or name a function that makes one",
        ),
        (
            "a = pico(name='a'); b = pico(name='b')",
            "made.py",
            "several servers (there are: a, b): say which, made.py:a",
        ),
        ("a = pico(name='a')", "made.py:c", 'made.py has no "c" (there are: a)'),
        ("a = 5", "made.py:a", "a is a int, neither a Server nor a function that makes one"),
        ("def a(): return 5", "made.py:a", "a() gave a int, not a Server"),
        ("def a(): return 1 / 0", "made.py:a", "a() failed: made.py:2: ZeroDivisionError: division by zero"),
        ("async def a(): ...", "made.py:a", "a() is async"),
        ("1 / 0", "made.py", "made.py:2: ZeroDivisionError: division by zero"),
        ("def (:", "made.py", "made.py:2: SyntaxError: "),
        ("import no_such_module", "made.py", "made.py:2: ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(4)", "made.py", "made.py:2: the file exits while it is imported (exit code 4)"),
        ("pico(nam='x')", "made.py", 'made.py:2: pico(): unknown key "nam": did you mean "name"?'),
        ("server = pico(name='x')\nserver.tool('t', {})", "made.py", 'tool "t" at '),
        (
            "class M:\n  def run(self): ...\nmcp = M()",
            "made.py",
            "a server of another library is reached as `-- python",
        ),
        ("", "nowhere.py", 'there is no file "nowhere.py"'),
        ("", "notes.txt", '"notes.txt" is not a Python file'),
    ],
)
def test_a_file_that_can_not_be_served_is_exit_code_2(source: str, target: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "made.py").write_text(HEAD + source + "\n", encoding="utf-8")
    (tmp_path / "notes.txt").touch()
    done = run("run", target, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" in run("run", "--debug", target, cwd=tmp_path).stderr


def test_the_command_is_declared_under_its_name() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert EntryPoint("picomcp-py", project["scripts"]["picomcp-py"], "console_scripts").load() is main


def test_importing_the_command_imports_no_optional_library() -> None:
    code = (
        "import sys, picomcp_py.cli; sys.exit(any(name in sys.modules for name in ('rich', 'pydantic', 'jsonschema')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
