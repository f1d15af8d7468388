"""docs/tools.md tells the truth: its code is in files that run, its output is theirs, its tables are what is so."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import pathlib
import re
import uuid
from typing import Any

import msgspec
import pytest

from picomcp_py import jsonrpc, pico
from picomcp_py.jsontext import writer as _json_writer
from picomcp_py.offered import tool
from picomcp_py.running import connection, threads
from picomcp_py.schemas import document, explain
from picomcp_py.transports import stdio
from tests.pages import DOCS, ROOT, Page, region, run
from tests.peer import MODERN, connected, text_of
from tests.tools_page.manifest import covers

PAGE = Page("tools")
SNIPPETS = sorted(path.name for path in (DOCS / "snippets").glob("*.py"))


@covers("T1")
@pytest.mark.parametrize(("file", "name", "code"), PAGE.shown, ids=[f"{file}-{name}" for file, name, _ in PAGE.shown])
def test_code_on_the_page_is_what_its_file_has(file: str, name: str, code: str) -> None:
    assert code == region(file, name)


@covers("T1")
def test_all_python_on_the_page_comes_from_files_and_every_snippet_is_shown() -> None:
    assert PAGE.text.count("```python\n") == len(PAGE.shown)
    shown = {file for file, _, _ in PAGE.shown}
    assert {f"docs/snippets/{name}" for name in SNIPPETS} == {file for file in shown if file.startswith("docs/")}


@covers("T1")
@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_run_and_their_own_checks_hold(name: str) -> None:
    if name == "kinds.py":
        pytest.importorskip("pydantic", reason="pydantic is not installed")
    printed = run(f"docs/snippets/{name}")
    for file, shown in PAGE.output:
        if file == f"docs/snippets/{name}":
            assert printed == shown


@covers("T1")
def test_links_lead_somewhere() -> None:
    assert PAGE.broken_links() == []


@covers("O1", "O2", "O3", "O5", "O6", "O7")
def test_the_table_of_options_has_every_key() -> None:
    assert [key.strip("`") for key, _, _ in PAGE.rows("Options")] == list(tool.KEYS)


@covers("S8")
def test_the_misfit_on_the_page_is_what_the_example_s_check_expects() -> None:
    (text,) = re.findall(r"```text\n(Tool .*?)\n```", PAGE.text, re.DOTALL)
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
@pytest.mark.parametrize(("kind", "expression", "json"), PAGE.rows("Values as JSON"))
async def test_the_table_of_values(kind: str, expression: str, json: str) -> None:
    value: Any = eval(expression.strip("`"), dict(NAMES))  # an expression of our own page
    async with connected(pico({"name": "s"}).tool("t", {"run": lambda: {"value": value}}), MODERN) as peer:
        assert text_of(await peer.call("t")) == f'{{"value":{json.strip("`")}}}'


@covers("T1")
def test_the_table_of_limits() -> None:
    amounts = [amount for _, amount in PAGE.rows("Limits")]
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
