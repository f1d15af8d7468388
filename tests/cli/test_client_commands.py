"""`picomcp-py list` and `call`: what they print, where, and their exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.cli.programs import COMMAND, SERVER, run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("servers")
    (made / "weather.py").write_text(SERVER + "\nweather.serve()\n", encoding="utf-8")
    return made


def command(folder: Path) -> list[str]:
    return ["--", sys.executable, "-m", "picomcp_py", "run", "weather.py"]


LISTED = """\
Weather 1.0, 4 tools (protocol 2026-07-28)

forecast  Forecast  [read-only]
  Tell the weather.
  Anywhere.
  argument  type                        description
  city      string            required  name of the city
  unit      "C" | "F"                   degrees (default "C")
  days      array of integer            which ones (default [])

many

fail

refuse
"""


def test_list_prints_tools_for_people(folder: Path) -> None:
    done = run("list", "weather.py", cwd=folder)
    assert (done.returncode, done.stdout) == (0, LISTED)
    assert "printed at import" in done.stderr


def test_list_of_a_command_in_the_other_era(folder: Path) -> None:
    done = run("list", "--revision", "handshake", *command(folder), cwd=folder)
    assert (done.returncode, done.stdout) == (0, LISTED.replace("2026-07-28", "2025-11-25"))


def test_list_json_is_exact(folder: Path) -> None:
    done = run("list", "--json", "weather.py", cwd=folder)
    assert done.returncode == 0
    tools: list[dict[str, Any]] = json.loads(done.stdout)["tools"]
    assert [tool["name"] for tool in tools] == ["forecast", "many", "fail", "refuse"]
    assert tools[0]["inputSchema"]["properties"]["unit"]["enum"] == ["C", "F"]
    assert done.stdout.count("\n") == 1


def test_call_prints_the_result_and_the_rest_on_stderr(folder: Path) -> None:
    done = run("call", "weather.py", "forecast", '{"city": "Lyon"}', "--log-level", "info", cwd=folder)
    assert done.returncode == 0
    assert done.stdout == '{\n  "city": "Lyon",\n  "unit": "C",\n  "sky": "cléar"\n}\n'
    for text in ("printed in a call", "progress 1/2 half way", "info: {'looking': 'Lyon'}"):
        assert text in done.stderr


def test_call_json_is_exact_in_each_era(folder: Path) -> None:
    arguments = '{"city": "Lyon", "unit": "F"}'
    answer = {"city": "Lyon", "unit": "F", "sky": "cléar"}
    old = run("call", "--json", "--era", "2025-06-18", "weather.py", "forecast", arguments, cwd=folder)
    assert list(json.loads(old.stdout)) == ["content", "structuredContent"]
    assert json.loads(old.stdout)["structuredContent"] == answer
    new = run("call", "--json", "forecast", arguments, *command(folder), cwd=folder)
    assert json.loads(new.stdout)["resultType"] == "complete"
    assert json.loads(new.stdout)["structuredContent"] == answer


def test_call_takes_arguments_from_stdin_and_as_pairs(folder: Path) -> None:
    done = run("call", "weather.py", "forecast", "-", "--arg", "unit=F", cwd=folder, stdin='{"city": "Oslo"}')
    assert json.loads(done.stdout) == {"city": "Oslo", "unit": "F", "sky": "cléar"}
    done = run("call", "weather.py", "forecast", "--arg", "city=a=b", cwd=folder)
    assert json.loads(done.stdout)["city"] == "a=b"


def test_call_shows_binary_content_by_its_size(folder: Path) -> None:
    done = run("call", "weather.py", "many", cwd=folder)
    assert done.stdout == "a text\n[image: image/png, 7 bytes]\n"


def test_a_tool_error_is_exit_code_1_and_steers_no_terminal(folder: Path) -> None:
    done = run("call", "weather.py", "fail", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "no luck \\x1b[31m\n")
    assert "fail reports an error:" in done.stderr
    done = run("call", "--json", "weather.py", "forecast", cwd=folder)
    assert done.returncode == 1
    assert json.loads(done.stdout)["isError"] is True


def test_a_protocol_error_is_exit_code_3(folder: Path) -> None:
    done = run("call", "weather.py", "refuse", cwd=folder)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines()[-2:] == [
        "picomcp-py: the server answered with an error: not you (-5)",
        "data: {'why': 1}",
    ]
    done = run("call", "weather.py", "nope", cwd=folder)
    assert (done.returncode, "Unknown tool: nope" in done.stderr) == (3, True)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["list", "--", "no-such-command"], 'there is no command "no-such-command"'),
        (["list", "--", sys.executable, "-c", "raise SystemExit(9)"], "ended with exit code 9"),
        (["list", "--timeout", "0.2", "--", sys.executable, "-c", "import sys; sys.stdin.read()"], "Use --timeout"),
    ],
)
def test_no_connection_is_exit_code_3_without_a_traceback(words: list[str], text: str, tmp_path: Path) -> None:
    done = run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    done = run("list", "--debug", "--", "no-such-command", cwd=tmp_path)
    assert done.returncode == 3
    assert "Traceback" in done.stderr
    assert 'there is no command "no-such-command"' in done.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "the following arguments are required"),
        (["list"], "say which server: a Python file, a URL, or a command after --"),
        (["list", "--"], "there is no command after --"),
        (["list", "a.py", "--", "b"], "give a file or a command after --, not both"),
        (["list", "nowhere.py"], '"nowhere.py" is not there'),
        (["list", "npx"], '"npx" is not a Python file. A server that is a command comes after --'),
        (["list", "ftp://example.com/mcp"], "URLs begin with http:// or https://"),
        (["list", "--revision", "1999-01-01", "--", "x"], "'1999-01-01' is not one of auto, handshake, stateless"),
        (["list", "--timeout", "0", "--", "x"], "'0' is not a number of seconds above 0"),
        (["call", "weather.py"], "say which tool to call"),
        (["call", "t", "{", "--", "x"], "the arguments are not JSON"),
        (["call", "t", "[1]", "--", "x"], "the arguments must be a JSON object"),
        (["call", "t", "{}", "more", "--", "x"], "too many words after the tool: 'more'"),
        (["call", "t", "--arg", "x", "--", "x"], "--arg 'x' is not key=value"),
        (["run", "--", "x"], "the following arguments are required"),
        (["run", "a.py", "--", "x"], "a command is already a server"),
    ],
)
def test_a_wrong_command_line_is_exit_code_2_and_says_what_to_do(words: list[str], text: str, folder: Path) -> None:
    done = run(*words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_help_has_examples_and_exit_codes(tmp_path: Path) -> None:
    for words in (["--help"], ["list", "--help"], ["call", "--help"]):
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 0
        assert "examples:" in done.stdout
        assert "exit codes:" in done.stdout
    assert "examples:" in run("run", "--help", cwd=tmp_path).stdout


def test_without_rich_the_output_is_the_same_and_rich_is_not_imported_for_a_pipe(folder: Path) -> None:
    (folder / "rich.py").write_text("raise ImportError('not for a pipe')", encoding="utf-8")
    try:
        done = run("list", "weather.py", cwd=folder, env={"PYTHONPATH": os.fspath(folder)})
    finally:
        (folder / "rich.py").unlink()
    assert (done.returncode, done.stdout) == (0, LISTED)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_a_reader_that_has_ended_is_no_fault(folder: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [*COMMAND, "list", "weather.py"], cwd=folder, stdout=theirs, stderr=subprocess.PIPE, check=False
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (141, b"printed at import\n")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_ends_the_command_and_the_server(tmp_path: Path) -> None:
    code = "import os, sys; print(os.getpid(), file=sys.stderr, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [*COMMAND, "list", "--", sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stderr is not None
        server = int(process.stderr.readline())
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == "picomcp-py: interrupted\n"
        assert process.wait() == 130
    assert not psutil.pid_exists(server)


def test_a_lifespan_that_fails_is_the_server_s_own_fault(tmp_path: Path) -> None:
    program = """
from picomcp_py import pico

def lifespan(server):
    class Lifespan:
        async def __aenter__(self):
            raise OSError("no database")
        async def __aexit__(self, *error):
            pass
    return Lifespan()

server = pico({"name": "x", "lifespan": lifespan})
"""
    (tmp_path / "server.py").write_text(program, "utf-8")
    done = run("list", "server.py", cwd=tmp_path)
    assert done.returncode == 3
    assert "OSError: no database (raised by the server's own lifespan at its start" in done.stderr
