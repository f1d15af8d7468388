"""Printing a document as plain text: for pipes, and where rich isn't installed."""

from __future__ import annotations

from .document import Document, Table


def render(document: Document) -> str:
    """The text, with a newline at its end."""
    lines: list[str] = []
    for part in document:
        pad = " " * part.indent
        if isinstance(part, Table):
            lines += [pad + row for row in _rows(part)]
        else:
            text = "".join(span for span, _ in part.spans)
            lines += [(pad + row).rstrip() for row in text.splitlines() or [""]]
    return "\n".join(lines) + "\n"


def _rows(table: Table) -> list[str]:
    cells = [[" ".join(cell.split()) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(table.header))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
