"""Printing a document on a terminal, with rich: colours (unless NO_COLOR is set) and tables that fit the width."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from .document import Document, Line, Style, Table

STYLES: dict[Style, str] = {"": "", "name": "bold cyan", "note": "dim", "bad": "bold red"}


def show(document: Document) -> None:
    # Text comes from servers: nothing in it is markup, an emoji code or worth colouring by guess.
    console = Console(markup=False, emoji=False, highlight=False)
    for part in document:
        shown = _table(part) if isinstance(part, Table) else _line(part)
        console.print(Padding(shown, (0, 0, 0, part.indent), expand=False) if part.indent else shown)


def _line(line: Line) -> Text:
    return Text.assemble(*((text, STYLES[style]) for text, style in line.spans))


def _table(table: Table) -> RichTable:
    made = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for index, title in enumerate(table.header):
        made.add_column(title, style=STYLES["name"] if index == 0 else None, overflow="fold")
    for row in table.rows:
        made.add_row(*(Text(cell) for cell in row))
    return made
