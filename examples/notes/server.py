"""A server of dated notes in an SQLite file: resources to read, a prompt to choose, tools to call.

    python examples/notes/server.py                            serve on stdio
    python examples/notes/server.py --port 3000                serve over HTTP, at http://127.0.0.1:3000/mcp
    picomcp-py read examples/notes/server.py note://index      look at it from a shell
    python examples/notes/check.py                             check it

The file is notes.db beside this one, or what NOTES_DB names. A new one begins with the two notes of FIRST.
"""

import datetime
import os
import sqlite3
import sys
from argparse import ArgumentParser
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import anyio.to_thread
from msgspec import Meta, Struct

from picomcp_py import Server, ToolError, pico

DB = Path(os.environ.get("NOTES_DB") or Path(__file__).with_name("notes.db"))
FIRST = [("2026-09-01", "打ち合わせ。次の版は 10 月"), ("2026-09-05", "MCP の調査を始めた")]

# ---- the notes: plain functions, called in worker threads


@contextmanager
def database() -> Iterator[sqlite3.Connection]:
    """A connection for one piece of work, so that no two threads share one. Commits at the end, or rolls back."""
    with closing(sqlite3.connect(DB, timeout=30)) as db, db:
        yield db


def prepare() -> None:
    """Make a new file ready. It is locked first: several servers may start at once."""
    with database() as db:
        db.execute("BEGIN IMMEDIATE")
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'note'").fetchone():
            db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, date TEXT NOT NULL, text TEXT NOT NULL)")
            db.executemany("INSERT INTO note (date, text) VALUES (?, ?)", FIRST)


def find_notes(where: str = "", *values: str) -> list[tuple[str, str]]:
    """(date, text) of the notes, the oldest first; of one date in the order of writing."""
    with database() as db:
        return db.execute(f"SELECT date, text FROM note {where} ORDER BY date, id", values).fetchall()


def dates() -> list[str]:
    """The dates that have notes."""
    return list(dict.fromkeys(date for date, _ in find_notes()))


def lines(notes: list[tuple[str, str]]) -> str:
    return "\n".join(f"{date}: {text}" for date, text in notes)


@asynccontextmanager
async def lifespan(server: Server) -> AsyncIterator[None]:
    await anyio.to_thread.run_sync(prepare)
    yield


server = pico({"name": "notes", "version": "1.0.0", "lifespan": lifespan})

# fmt: off
# ---- resources: what an application reads, by URI


@server.resource("note://index", {
    "name": "notes-index",
    "title": "メモの一覧",
    "description": "記録してある日付の一覧",
    "mimeType": "text/plain",
})
def notes_index(uri: str) -> dict[str, Any]:
    return {"contents": [{"uri": uri, "text": "\n".join(dates())}]}


@server.resource("note://{date}", {
    "name": "note",
    "title": "メモ",
    "description": "日付を指定してメモを読む",
    "mimeType": "text/plain",
    "list": lambda: [{"date": date, "title": f"{date} のメモ"} for date in dates()],
    "complete": {"date": lambda typed: [date for date in dates() if date.startswith(typed)]},
})
def note(uri: str, params: dict[str, Any]) -> dict[str, Any]:
    date = params["date"]
    text = "\n".join(text for _, text in find_notes("WHERE date = ?", date))
    return {"contents": [{"uri": uri, "text": text or f"{date} のメモはありません"}]}


# ---- a prompt: what a user chooses


class Style(Struct):
    style: Annotated[Literal["箇条書き", "文章"], Meta(description="まとめ方")]


@server.prompt("summarize-notes", {
    "title": "メモをまとめる",
    "description": "記録してあるメモを短くまとめさせる",
    "input": Style,
})
def summarize_notes(input: Style) -> str:
    return f"次のメモを{input.style}でまとめてください。\n\n{lines(find_notes())}"


# ---- tools: what the model calls


class Note(Struct):
    date: Annotated[datetime.date, Meta(description="2026-09-05 の形")]
    text: Annotated[str, Meta(min_length=1, description="メモの本文")]


@server.tool("record_note", {
    "title": "メモを記録する",
    "description": "日付を付けてメモを記録する。同じ日付のメモには書き足す",
    "input": Note,
    "annotations": {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
})
def record_note(input: Note) -> str:
    with database() as db:
        db.execute("INSERT INTO note (date, text) VALUES (?, ?)", (str(input.date), input.text))
        (count,) = db.execute("SELECT count(*) FROM note WHERE date = ?", (str(input.date),)).fetchone()
    server.notify_resource(f"note://{input.date}")  # after the commit: who is told reads at once
    server.notify_resource("note://index")
    if count == 1:
        server.notify_resources()  # the template's `list` gives one more
    return f"{input.date} に記録しました"


class Search(Struct):
    query: Annotated[str, Meta(min_length=1, description="メモに含まれる言葉")]


@server.tool("search_notes", {
    "title": "メモを探す",
    "description": "言葉を含むメモを、日付と一緒に返す",
    "input": Search,
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
})
def search_notes(input: Search) -> str:
    found = find_notes("WHERE instr(lower(text), lower(?))", input.query)  # % and _ mean themselves, unlike in LIKE
    return lines(found) or f"「{input.query}」を含むメモはありません"


COMMANDS = {
    "version": ["--version"],
    "platform": ["-m", "platform"],
    "calendar": ["-m", "calendar", "2026", "9"],
}


class Command(Struct):
    name: str


@server.tool("build_run", {
    "title": "コマンドを実行する",
    "description": "決めておいたコマンドを名前で指定して実行する",
    "input": Command,
    "annotations": {"readOnlyHint": False, "destructiveHint": False},
    "timeout": 30,
})
async def build_run(input: Command) -> str:
    if input.name not in COMMANDS:
        raise ToolError(f"{input.name} というコマンドはありません。使えるのは {', '.join(COMMANDS)} です")
    command = [sys.executable, *COMMANDS[input.name]]  # no shell, and nothing in it from the model
    done = await anyio.run_process(command, check=False)  # ended when the call is cancelled
    if done.returncode:
        raise ToolError(f"終了コード {done.returncode}\n{done.stderr.decode(errors='replace')}".strip())
    return done.stdout.decode(errors="replace")


class Division(Struct):
    a: float
    b: float


@server.tool("divide", {
    "title": "割り算をする",
    "description": "a を b で割る",
    "input": Division,
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
})
async def divide(input: Division) -> Any:
    if input.b == 0:  # not an error of the protocol: the model reads this, and can mend it
        return {"content": [{"type": "text", "text": "0 では割れません"}], "isError": True}
    return input.a / input.b


# fmt: on

if __name__ == "__main__":
    parser = ArgumentParser(description="A server of dated notes.")
    parser.add_argument("--port", type=int, help="serve over HTTP there; without it on stdio")
    server.serve({"port": parser.parse_args().port})
