"""A client's view of the notes server, in both eras of the protocol: `python examples/notes/check.py`.

It starts server.py on a database of its own, follows the index, records a note, and reads what it was told of. It ends
with exit code 1 at the first thing that isn't as it should be.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from picomcp_py.client import Client

HERE = Path(__file__).parent
ERAS = ["2026-07-28", "2025-11-25"]
NOTE, NEW, LAST = "note://2026-09-05", "note://2026-09-08", "note://2026-09-09"
DATES = ["2026-09-01", "2026-09-05"]
SUMMARIZE = (
    "次のメモを箇条書きでまとめてください。\n\n2026-09-01: 打ち合わせ。次の版は 10 月\n2026-09-05: MCP の調査を始めた"
)


class Unexpected(Exception):
    """The server answered something else."""


def expect(what: str, got: object, wanted: object) -> None:
    print(f"  {what}: {got!r}")
    if got != wanted:
        raise Unexpected(f"{what} should be\n  {wanted!r}\nand is\n  {got!r}")


async def look(client: Client) -> None:
    """Resources, the prompt and completion."""
    expect("resources", [r["uri"] for r in await client.list_resources()], ["note://index", "note://2026-09-01", NOTE])
    expect("note://index", (await client.read_resource("note://index")).text, "2026-09-01\n2026-09-05")
    expect(NOTE, (await client.read_resource(NOTE)).text, "MCP の調査を始めた")
    prompt = await client.get_prompt("summarize-notes", {"style": "箇条書き"})
    expect("prompt", prompt.messages[0]["content"]["text"], SUMMARIZE)
    expect("2026-09-0...", (await client.complete("date", "2026-09-0", template="note://{date}")).values, DATES)


async def write(client: Client) -> None:
    """Record two notes while following the first, the index and, to know when all has been told, the second."""
    told: list[str | None] = []
    async with client.listen(uris=[NEW, "note://index", LAST]) as changes:
        said = await client.call_tool("record_note", {"date": "2026-09-08", "text": "試験が通った"})
        expect("record_note", said.text, "2026-09-08 に記録しました")
        await client.call_tool("record_note", {"date": "2026-09-09", "text": "配布した"})
        with anyio.move_on_after(20):
            while LAST not in told:
                told.append((await anext(changes)).uri)
    expect("told of", told, [NEW, "note://index", LAST])
    expect(NEW, (await client.read_resource(NEW)).text, "試験が通った")
    found = await client.call_tool("search_notes", {"query": "試験"})
    expect("search_notes", found.text, "2026-09-08: 試験が通った")


async def fail(client: Client) -> None:
    """A tool's failure is a result, which the model reads."""
    divided = await client.call_tool("divide", {"a": 1, "b": 0})
    expect("divide 1 0", (divided.is_error, divided.text), (True, "0 では割れません"))
    run = await client.call_tool("build_run", {"name": "rm"})
    expect("build_run rm", (run.is_error, run.text.partition("。")[0]), (True, "rm というコマンドはありません"))


async def check() -> None:
    for revision in ERAS:
        with TemporaryDirectory() as folder:
            env = {"NOTES_DB": str(Path(folder, "notes.db"))}
            async with Client(HERE / "server.py", revision=revision, env=env, timeout=30) as client:
                print(f"{client.server_info['name']} speaks {client.revision}")
                await look(client)
                await write(client)
                await fail(client)


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may not know every character
    try:
        anyio.run(check)
    except Unexpected as error:
        print(f"\nNot as it should be: {error}")
        sys.exit(1)
    print("\nAll as it should be.")
