"""The notes example: what it keeps, what it tells, and that its database holds nobody up."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import pytest

from tests.examples.notes import FOLDER, PROGRAM, load
from tests.peer import HANDSHAKE, MODERN, Peer, connected, text_of

NEWEST_OF_BOTH_ERAS = [HANDSHAKE[-1], MODERN]
LISTED_AT_FIRST = ["note://index", "note://2026-09-01", "note://2026-09-05"]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "notes.db"


@pytest.fixture
def notes(database: Path) -> ModuleType:
    return load(database)


async def read(peer: Peer, uri: str) -> str:
    """The text of a resource that is one text."""
    (contents,) = (await peer.request("resources/read", {"uri": uri}))["result"]["contents"]
    assert contents["uri"] == uri
    text: str = contents["text"]
    return text


async def uris(peer: Peer) -> list[str]:
    return [entry["uri"] for entry in (await peer.request("resources/list"))["result"]["resources"]]


async def record(peer: Peer, date: str, text: str) -> None:
    assert text_of(await peer.call("record_note", {"date": date, "text": text})) == f"{date} に記録しました"


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Nobody else may write meanwhile, nor read."""
    with closing(sqlite3.connect(database)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.rollback()


# ---- the file


def test_the_file_is_beside_the_server_unless_the_environment_names_another(database: Path) -> None:
    files = [load(named).DB for named in (None, "", database)]
    assert files == [PROGRAM.with_name("notes.db"), PROGRAM.with_name("notes.db"), database]
    assert not database.exists(), "importing the server must not make the file"


@pytest.mark.anyio
async def test_a_new_file_has_the_first_notes_and_what_is_recorded_outlives_the_server(database: Path) -> None:
    async with connected(load(database).server) as peer:
        assert await uris(peer) == LISTED_AT_FIRST
        await record(peer, "2026-09-03", "中間報告")
        await record(peer, "2026-09-05", "続き")
    async with connected(load(database).server) as peer:
        assert await uris(peer) == [*LISTED_AT_FIRST[:2], "note://2026-09-03", LISTED_AT_FIRST[2]]
        assert await read(peer, "note://index") == "2026-09-01\n2026-09-03\n2026-09-05"
        assert await read(peer, "note://2026-09-03") == "中間報告"
        assert await read(peer, "note://2026-09-05") == "MCP の調査を始めた\n続き"


def test_servers_that_start_at_once_on_a_new_file_make_it_ready_once(notes: ModuleType, database: Path) -> None:
    together = threading.Barrier(8)

    def start() -> None:
        together.wait()
        notes.prepare()

    with ThreadPoolExecutor(8) as threads:
        for started in [threads.submit(start) for _ in range(8)]:
            started.result()
    assert notes.find_notes() == notes.FIRST


@pytest.mark.anyio
async def test_many_notes_at_once_are_all_kept(notes: ModuleType) -> None:
    written = {f"2026-10-{day:02}": f"メモ {day}" for day in range(1, 31)}
    async with connected(notes.server) as peer, anyio.create_task_group() as tasks:
        for date, text in written.items():
            tasks.start_soon(record, peer, date, text)
    assert dict(notes.find_notes()) == {**dict(notes.FIRST), **written}


@pytest.mark.anyio
async def test_a_waiting_database_does_not_hold_up_the_loop(notes: ModuleType, database: Path) -> None:
    """All that touches the file waits for the other program; what doesn't is answered meanwhile."""
    async with connected(notes.server) as peer:
        with locked(database):
            waiting = [
                peer.start("resources/read", {"uri": "note://index"}),
                peer.start("resources/read", {"uri": "note://2026-09-05"}),
                peer.start("resources/list"),
                peer.start("completion/complete", completing("2026-09-0")),
                peer.start("prompts/get", {"name": "summarize-notes", "arguments": {"style": "文章"}}),
                peer.start("tools/call", {"name": "search_notes", "arguments": {"query": "調査"}}),
                peer.start("tools/call", {"name": "record_note", "arguments": {"date": "2026-09-09", "text": "後で"}}),
            ]
            assert text_of(await peer.call("divide", {"a": 6, "b": 4})) == "1.5"
            answered = [message["id"] for message in peer.messages]
            assert not set(waiting) & set(answered)
        for id in waiting:
            assert "result" in await peer.reply(id)
        assert await read(peer, "note://2026-09-09") == "後で"


# ---- resources and completion


def completing(typed: str) -> dict[str, Any]:
    ref = {"type": "ref/resource", "uri": "note://{date}"}
    return {"ref": ref, "argument": {"name": "date", "value": typed}}


@pytest.mark.anyio
async def test_dates_are_completed(notes: ModuleType) -> None:
    async with connected(notes.server) as peer:
        await record(peer, "2025-01-02", "去年")
        for typed, wanted in [
            ("", ["2025-01-02", "2026-09-01", "2026-09-05"]),
            ("2026", ["2026-09-01", "2026-09-05"]),
            ("09", []),  # a date begins with its year
        ]:
            completion = (await peer.request("completion/complete", completing(typed)))["result"]["completion"]
            assert completion["values"] == wanted


@pytest.mark.anyio
async def test_what_the_template_lists_has_a_title_and_can_be_read(notes: ModuleType) -> None:
    async with connected(notes.server) as peer:
        listed = (await peer.request("resources/list"))["result"]["resources"]
        assert [entry["title"] for entry in listed] == ["メモの一覧", "2026-09-01 のメモ", "2026-09-05 のメモ"]
        assert [await read(peer, entry["uri"]) for entry in listed[1:]] == [text for _, text in notes.FIRST]


# ---- changes


@pytest.mark.anyio
@pytest.mark.parametrize("revision", NEWEST_OF_BOTH_ERAS)
async def test_recording_tells_those_who_follow_the_note_or_the_index(notes: ModuleType, revision: str) -> None:
    followed = ["note://2026-09-05", "note://index"]
    async with connected(notes.server, revision) as peer:
        if revision == MODERN:
            peer.start("subscriptions/listen", {"notifications": {"resourceSubscriptions": followed}}, id="all")
            await peer.until(lambda m: m.get("method") == "notifications/subscriptions/acknowledged")
        else:
            for uri in followed:
                await peer.request("resources/subscribe", {"uri": uri})

        await record(peer, "2026-09-07", "別の日")
        await record(peer, "2026-09-05", "続き")
        assert await read(peer, "note://2026-09-05") == "MCP の調査を始めた\n続き"
        told = [params["uri"] for params in peer.notifications("notifications/resources/updated")]
        assert told == ["note://index", "note://2026-09-05", "note://index"]

        refused = await peer.call("record_note", {"date": "2026-09-05", "text": ""})
        assert refused["isError"] is True
        assert len(peer.notifications("notifications/resources/updated")) == 3


@pytest.mark.anyio
async def test_whoever_is_told_reads_the_new_text(notes: ModuleType) -> None:
    """The note is committed before anybody is told of it."""
    async with connected(notes.server) as peer:
        peer.start("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["note://2026-09-08"]}})
        await peer.until(lambda m: m.get("method") == "notifications/subscriptions/acknowledged")
        peer.start("tools/call", {"name": "record_note", "arguments": {"date": "2026-09-08", "text": "試験が通った"}})
        await peer.until(lambda m: m.get("method") == "notifications/resources/updated")
        assert await read(peer, "note://2026-09-08") == "試験が通った"


# ---- tools


@pytest.mark.anyio
async def test_a_date_that_is_none_and_an_empty_text_are_refused(notes: ModuleType) -> None:
    async with connected(notes.server) as peer:
        for date in ("2026-02-30", "9 月 5 日", "index"):
            refused = await peer.call("record_note", {"date": date, "text": ""})
            assert refused["isError"] is True
            assert text_of(refused) == (
                'Invalid arguments for tool "record_note":\n'
                "date: Invalid ISO date\n"
                "text: Too small: expected string to have >=1 characters"
            )
        assert await uris(peer) == LISTED_AT_FIRST


@pytest.mark.anyio
async def test_search_takes_the_words_as_they_are(notes: ModuleType) -> None:
    async with connected(notes.server) as peer:
        await record(peer, "2026-09-10", "進み具合 100% です")
        for query, wanted in [
            ("調査", "2026-09-05: MCP の調査を始めた"),
            ("mcp", "2026-09-05: MCP の調査を始めた"),
            ("。", "2026-09-01: 打ち合わせ。次の版は 10 月"),
            ("10", "2026-09-01: 打ち合わせ。次の版は 10 月\n2026-09-10: 進み具合 100% です"),
            ("%", "2026-09-10: 進み具合 100% です"),
            ("_", "「_」を含むメモはありません"),
            ("' OR 1 --", "「' OR 1 --」を含むメモはありません"),
        ]:
            result = await peer.call("search_notes", {"query": query})
            assert (text_of(result), result.get("isError", False)) == (wanted, False)


@pytest.mark.anyio
async def test_only_commands_that_were_decided_on_are_run(notes: ModuleType) -> None:
    async with connected(notes.server) as peer:
        version = text_of(await peer.call("build_run", {"name": "version"}))
        assert version.strip() == f"Python {sys.version.split()[0]}"
        for name in notes.COMMANDS:
            done = await peer.call("build_run", {"name": name})
            assert done.get("isError", False) is False
            assert text_of(done).strip()
        refused = await peer.call("build_run", {"name": "rm -rf"})
        assert refused["isError"] is True
        assert text_of(refused) == ("rm -rf というコマンドはありません。使えるのは version, platform, calendar です")


@pytest.mark.anyio
async def test_a_command_that_fails_is_a_tool_error_with_what_it_said(notes: ModuleType) -> None:
    notes.COMMANDS["fails"] = ["-c", "import sys; print('out'); sys.exit('no such thing')"]
    async with connected(notes.server) as peer:
        failed = await peer.call("build_run", {"name": "fails"})
        assert failed["isError"] is True
        assert text_of(failed) == "終了コード 1\nno such thing"


@pytest.mark.anyio
async def test_a_quotient_reads_as_in_typescript(notes: ModuleType) -> None:
    async with connected(notes.server) as peer:
        for a, b, wanted in [(6, 3, "2"), (1, 4, "0.25"), (-1, 3, "-0.3333333333333333"), (1e30, 1, "1e+30")]:
            result = await peer.call("divide", {"a": a, "b": b})
            assert result["content"] == [{"type": "text", "text": wanted}]
            assert "structuredContent" not in result


# ---- the example as a program


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", str(folder / "check.py")]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_the_example_finds_itself_in_order() -> None:
    before = sorted(path.name for path in FOLDER.iterdir())
    done = check(FOLDER)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("\nAll as it should be.\n")
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in FOLDER.iterdir()) == before, "it left something behind"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('server.notify_resource("note://index")', 'server.notify_resource("note://other")'),
        ('"complete": {"date": ', '"complete": {} and {"date": '),
        ('"isError": True', '"isError": False'),
        ("次のメモを", "このメモを"),
    ],
)
def test_the_check_notices_a_change(old: str, new: str, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(FOLDER, tmp_path / "notes", ignore=shutil.ignore_patterns("__pycache__", "*.db")))
    program = (copy / "server.py").read_text(encoding="utf-8")
    assert program.count(old) == 1
    (copy / "server.py").write_text(program.replace(old, new), encoding="utf-8")
    done = check(copy)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "\nNot as it should be: " in done.stdout
