"""docs/tools.md tells the truth: its code is in files that run, its output is theirs, its tables are what is so."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import pathlib
import re
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import msgspec
import pytest

from picomcp_py import jsonrpc, pico
from picomcp_py.jsontext import writer as _json_writer
from picomcp_py.offered import tool
from picomcp_py.running import connection, threads
from picomcp_py.schemas import document, explain
from picomcp_py.transports import stdio
from tests.peer import MODERN, connected, text_of
from tests.tools_page.manifest import covers

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
SNIPPETS = sorted(path.name for path in (ROOT / "docs" / "snippets").glob("*.py"))
SHOWN = re.findall(r"<!-- ([\w./]+): (\w+) -->\n```python\n(.*?)```\n", PAGE, re.DOTALL)
OUTPUT = re.findall(r"<!-- output of ([\w./]+) -->\n```text\n(.*?)```\n", PAGE, re.DOTALL)


def region(file: str, name: str) -> str:
    """The parts of a file between `# region name` and `# endregion`, one blank line before imports, two before code."""
    source = (ROOT / file).read_text(encoding="utf-8")
    parts: list[str] = re.findall(rf"^# region {name}\n(.*?)^# endregion$", source, re.DOTALL | re.MULTILINE)
    assert parts, f"{file} has no region {name}"
    parts = [part.strip("\n") + "\n" for part in parts]
    return parts[0] + "".join(("\n" if part.startswith(("import", "from")) else "\n\n") + part for part in parts[1:])


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    below = PAGE.split(f"\n## {heading}\n", 1)[1]
    table = re.search(r"(^\|.*\n)+", below, re.MULTILINE)
    assert table
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table[0].splitlines()[2:]]


@covers("T1")
@pytest.mark.parametrize(("file", "name", "code"), SHOWN, ids=[f"{file}-{name}" for file, name, _ in SHOWN])
def test_code_on_the_page_is_what_its_file_has(file: str, name: str, code: str) -> None:
    assert code == region(file, name)


@covers("T1")
def test_all_python_on_the_page_comes_from_files_and_every_snippet_is_shown() -> None:
    assert PAGE.count("```python\n") == len(SHOWN)
    shown = {file for file, _, _ in SHOWN}
    assert {f"docs/snippets/{name}" for name in SNIPPETS} == {file for file in shown if file.startswith("docs/")}


def run(file: str) -> str:
    command = [sys.executable, "-X", "utf8", "-W", "error", file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@covers("T1")
@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_run_and_their_own_checks_hold(name: str) -> None:
    if name == "kinds.py":
        pytest.importorskip("pydantic", reason="pydantic is not installed")
    printed = run(f"docs/snippets/{name}")
    for file, shown in OUTPUT:
        if file == f"docs/snippets/{name}":
            assert printed == shown


@covers("T1")
@pytest.mark.parametrize("name", ["tools.md", "coming-from.md"])
def test_links_lead_somewhere(name: str) -> None:
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    }
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert links
    for link in links:
        assert link[1:] in headings if link.startswith("#") else (ROOT / "docs" / link).exists(), link


@covers("O1", "O2", "O3", "O5", "O6", "O7")
def test_the_table_of_options_has_every_key() -> None:
    assert [key.strip("`") for key, _, _ in rows("Options")] == list(tool.KEYS)


@covers("S8")
def test_the_misfit_on_the_page_is_what_the_example_s_check_expects() -> None:
    (text,) = re.findall(r"```text\n(Tool .*?)\n```", PAGE, re.DOTALL)
    source = (ROOT / "examples" / "get_price.py").read_text(encoding="utf-8")
    for line in text.splitlines():
        assert line in source


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Point:
    x: int
    y: int


NAMES = {
    "Colour": Colour,
    "Point": Point,
    "Raw": msgspec.Raw,
    **vars(datetime),
    **vars(decimal),
    **vars(pathlib),
    **vars(uuid),
}


@covers("R3")
@pytest.mark.anyio
@pytest.mark.parametrize(("kind", "expression", "json"), rows("Values as JSON"))
async def test_the_table_of_values(kind: str, expression: str, json: str) -> None:
    value: Any = eval(expression.strip("`"), dict(NAMES))  # an expression of our own page
    async with connected(pico({"name": "s"}).tool("t", {"run": lambda: {"value": value}}), MODERN) as peer:
        assert text_of(await peer.call("t")) == f'{{"value":{json.strip("`")}}}'


@covers("T1")
def test_the_table_of_limits() -> None:
    amounts = [amount for _, amount in rows("Limits")]
    assert [int(re.match(r"[\d,]+", amount)[0].replace(",", "")) for amount in amounts] == [  # type: ignore[index]
        stdio.MAX_LINE // 2**20,
        jsonrpc.MAX_DEPTH,
        connection.MAX_IN_FLIGHT,
        threads.MAX_THREADS,
        threads.MAX_ABANDONED,
        explain.MAX_ISSUES,
        document.MAX_DEPTH,
        document.MAX_SUBSCHEMAS,
        _json_writer.MAX_DEPTH,
        stdio.DRAIN_SECONDS,
    ]
