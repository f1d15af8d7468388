"""Every example checks itself, and its check can fail; search_issues is also tried against an HTTP server."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest

from picomcp_py.client import Client
from tests.peer import EVERY

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py") if not path.name.startswith("_"))
ORDERS = ["json_schema.py", "msgspec_types.py", "pydantic_models.py"]
SEARCH = str(EXAMPLES / "search_issues.py")


@functools.cache
def check(path: Path) -> subprocess.CompletedProcess[str]:
    if path.name == "pydantic_models.py":
        pytest.importorskip("pydantic", reason="pydantic is not installed")
    command = [sys.executable, "-X", "utf8", str(path), "--check"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)


def test_these_are_the_examples() -> None:
    assert ["chart.py", "get_price.py", *ORDERS, "search_issues.py"] == PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_example_finds_itself_in_order(name: str) -> None:
    done = check(EXAMPLES / name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("\nAll as it should be.\n")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("search_issues.py", "Meta(le=50)", "Meta(le=51)"),
        ("get_price.py", "    cents: int", "    cents: float"),
        ("chart.py", '"mimeType": "text/csv"', '"mimeType": "text/plain"'),
        ("json_schema.py", '"maximum": 99, ', ""),
        ("msgspec_types.py", "class Customer(Struct, forbid_unknown_fields=True)", "class Customer(Struct)"),
        ("pydantic_models.py", 'class Customer(BaseModel, extra="forbid")', "class Customer(BaseModel)"),
    ],
)
def test_the_check_of_an_example_notices_a_change(name: str, old: str, new: str, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__")))
    program = (copy / name).read_text(encoding="utf-8")
    (copy / name).write_text(program.replace(old, new, 1), encoding="utf-8")
    assert (copy / name).read_text(encoding="utf-8") != program
    done = check(copy / name)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "\nNot as it should be: " in done.stdout


def test_place_order_says_the_same_in_all_three_ways_of_writing_its_input() -> None:
    transcripts = {name: check(EXAMPLES / name).stdout for name in ORDERS}
    assert len(set(transcripts.values())) == 1
    assert "! items[2].quantity: Too big: expected number to be <=99\n" in transcripts["json_schema.py"]


@pytest.mark.parametrize("revision", EVERY)
def test_an_example_serves_every_revision(revision: str) -> None:
    async def run() -> None:
        async with Client(SEARCH, revision=revision, timeout=30) as client:
            assert client.revision == revision
            good = await client.call_tool("search_issues", {"repo": "octo/hello", "query": "quiet"})
            assert good.text == (
                "Add a quiet mode — https://github.com/octo/hello/issues/35\n"
                "Quiet mode should keep errors — https://github.com/octo/hello/issues/36"
            )
            bad = await client.call_tool("search_issues", {"repo": "octo/hello", "query": "quiet", "limit": 51})
            assert bad.is_error
            assert bad.text.endswith("\nlimit: Too big: expected number to be <=50")

    anyio.run(run)


Handle = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def github(handle: Handle) -> Iterator[dict[str, str]]:
    """An HTTP server in GitHub's place; gives the environment that leads search_issues to it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            handle(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield {"GITHUB_TOKEN": "secret", "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}"}
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def send(request: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
    request.send_response(status)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def test_with_a_token_search_issues_asks_github() -> None:
    asked: list[tuple[str, str | None]] = []

    def handle(request: BaseHTTPRequestHandler) -> None:
        asked.append((request.path, request.headers["Authorization"]))
        items = [{"title": "Crash & burn", "html_url": "https://github.com/o/r/issues/1", "body": "long"}]
        send(request, 200, json.dumps({"total_count": 1, "items": items}).encode())

    async def run(env: dict[str, str]) -> None:
        async with Client(SEARCH, env=env, timeout=30) as client:
            found = await client.call_tool("search_issues", {"repo": "o/r", "query": "crash & burn", "limit": 3})
            assert found.text == "Crash & burn — https://github.com/o/r/issues/1"

    with github(handle) as env:
        anyio.run(run, env)
    ((path, authorization),) = asked
    assert authorization == "Bearer secret"
    assert urlsplit(path).path == "/search/issues"
    assert parse_qs(urlsplit(path).query) == {"q": ["crash & burn repo:o/r is:issue is:open"], "per_page": ["3"]}


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (422, "GitHub finds no repository o/r, or the server's token may not see it. Check owner/name."),
        (403, "GitHub's rate limit is reached. Wait a minute, then try again."),
        (429, "GitHub's rate limit is reached. Wait a minute, then try again."),
        (500, "GitHub answered 500 Internal Server Error. Try again later."),
    ],
)
def test_what_github_refuses_is_told_so_that_a_model_can_act(status: int, text: str) -> None:
    async def run(env: dict[str, str]) -> None:
        async with Client(SEARCH, env=env, timeout=30) as client:
            failed = await client.call_tool("search_issues", {"repo": "o/r", "query": "q"})
            assert (failed.is_error, failed.text) == (True, text)

    with github(lambda request: send(request, status, b"{}")) as env:
        anyio.run(run, env)


def test_a_github_that_cannot_be_reached_is_told_as_well() -> None:
    with github(lambda request: None) as env:
        gone = env

    async def run() -> None:
        async with Client(SEARCH, env=gone, timeout=30) as client:
            failed = await client.call_tool("search_issues", {"repo": "o/r", "query": "q"})
            assert failed.is_error
            assert failed.text.startswith("GitHub can't be reached: ")

    anyio.run(run)


def test_a_cancelled_search_does_not_read_the_answer() -> None:
    asked, go, hung_up = threading.Event(), threading.Event(), threading.Event()

    def handle(request: BaseHTTPRequestHandler) -> None:
        if "slow" not in request.path:
            send(request, 200, b'{"items": []}')
            return
        asked.set()
        go.wait(30)
        try:
            send(request, 200, b" " * 50_000_000)  # more than any buffer between the two holds
        except ConnectionError:
            hung_up.set()
        request.close_connection = True

    async def run(env: dict[str, str]) -> None:
        async with Client(SEARCH, env=env, timeout=30) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "search_issues", {"repo": "o/r", "query": "slow"})
                assert await anyio.to_thread.run_sync(asked.wait, 30)
                group.cancel_scope.cancel()
            after = await client.call_tool("search_issues", {"repo": "o/r", "query": "fast"})
            assert after.text == "No open issue matches."  # and so the cancellation has arrived
            go.set()
            assert await anyio.to_thread.run_sync(hung_up.wait, 30)

    with github(handle) as env:
        anyio.run(run, env)
