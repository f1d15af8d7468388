"""The command over HTTP: `run --port`, and `list` and `call` of a URL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from picomcp_py.client import Client
from tests.cli.programs import COMMAND, SERVER, run
from tests.serving import running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("servers")
    (made / "weather.py").write_text(SERVER, encoding="utf-8")
    (made / "elsewhere.py").write_text(SERVER + "\nweather.serve({'port': 0, 'path': '/here'})\n", encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with running(*COMMAND, "run", "weather.py", "--port", "0", cwd=folder) as program:
        assert program.said.splitlines()[0] == "printed at import"
        assert program.url.startswith("http://127.0.0.1:")
        assert program.url.endswith("/mcp")
        yield program.url


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_a_url_is_listed_and_called_like_a_file(url: str, folder: Path, revision: str) -> None:
    listed = run("list", "--revision", revision, url, cwd=folder)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert listed.stdout == run("list", "--revision", revision, "weather.py", cwd=folder).stdout
    called = run("call", "--revision", revision, "--log-level", "info", url, "forecast", '{"city": "Lyon"}', cwd=folder)
    assert called.returncode == 0
    assert json.loads(called.stdout)["city"] == "Lyon"
    assert sorted(called.stderr.splitlines()) == ["info: {'looking': 'Lyon'}", "progress 1/2 half way"]
    failed = run("call", "--revision", revision, url, "fail", cwd=folder)
    assert (failed.returncode, failed.stderr) == (1, "fail reports an error:\n")
    refused = run("call", "--revision", revision, url, "refuse", cwd=folder)
    assert refused.returncode == 3
    assert "not you" in refused.stderr


def served_at(program_url: str) -> str:
    async def ask() -> str:
        async with Client(program_url) as client:
            name: str = client.server_info["name"]
            return name

    return anyio.run(ask)


def test_a_file_that_serves_http_is_served_so_with_its_options_unless_the_words_say_else(folder: Path) -> None:
    with running(*COMMAND, "run", "elsewhere.py", cwd=folder) as program:
        assert program.url.endswith("/here")
        assert served_at(program.url) == "weather"
    with running(*COMMAND, "run", "elsewhere.py", "--port", "0", "--host", "localhost", cwd=folder) as program:
        assert program.url.startswith("http://localhost:")
        assert program.url.endswith("/here")
    assert run("list", "elsewhere.py", cwd=folder).returncode == 0  # on stdio: nobody else is to connect


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["run", "weather.py", "--host", "localhost"], 2, "--host is for HTTP: add --port"),
        (["run", "weather.py", "--stdio", "--port", "1"], 2, "--stdio can't stand beside --port and --host"),
        (["run", "weather.py", "--port", "65536"], 2, "is not a port: a number from 0 to 65535"),
        (["list", "weather.py", "--header", "a: b"], 2, "--header is for a URL"),
        (["list", "http://127.0.0.1:1/mcp", "--header", "ab"], 2, "--header 'ab' is not \"Name: value\""),
        (["list", "http://127.0.0.1:1/mcp"], 3, "can't be reached (Connection refused)"),
        (["call", "http://127.0.0.1:1/mcp"], 2, "say which tool to call"),
    ],
)
def test_what_can_not_work_is_told(folder: Path, words: list[str], code: int, text: str) -> None:
    done = run(*words, cwd=folder)
    assert (done.returncode, text in done.stderr, done.stdout) == (code, True, "")


def test_headers_are_sent(url: str, folder: Path) -> None:
    """The server refuses pages of other origins, so it has seen the header."""
    done = run("list", url, "--header", "Origin: https://other.example", cwd=folder)
    assert done.returncode == 3
    assert 'Origin "https://other.example" is not allowed' in done.stderr
