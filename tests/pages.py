"""A page of the documentation, for the tests that hold it to its word: its code, its output, its tables, its links."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


class Page:
    """`docs/<name>.md`. Its code comes from regions of files: `<!-- docs/snippets/x.py: region -->` names them."""

    def __init__(self, name: str) -> None:
        self.text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        self.words = " ".join(self.text.split())
        self.shown: list[tuple[str, str, str]] = re.findall(
            r"<!-- ([\w./-]+): (\w+) -->\n```python\n(.*?)```\n", self.text, re.DOTALL
        )
        """(file, region, code)."""
        self.output: list[tuple[str, str]] = re.findall(
            r"<!-- output of ([\w./-]+) -->\n```text\n(.*?)```\n", self.text, re.DOTALL
        )
        """(file, what it prints)."""

    def rows(self, heading: str, number: int = 0) -> list[list[str]]:
        """The cells of a table below a heading of any level, without its head; the first table unless told."""
        below = re.split(rf"^#+ {re.escape(heading)}\n", self.text, maxsplit=1, flags=re.MULTILINE)[1]
        tables = re.findall(r"^\|.*?\n(?!\|)", below, re.MULTILINE | re.DOTALL)
        lines = tables[number].splitlines()[2:]
        return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]

    def broken_links(self) -> list[str]:
        """The links that lead to no file or no heading."""
        links = re.findall(r"\]\(([^)]+)\)", re.sub(r"^```.*?^```", "", self.text, flags=re.MULTILINE | re.DOTALL))
        assert links
        return [link for link in links if not link.startswith("https://") and not self._leads_somewhere(link)]

    def _leads_somewhere(self, link: str) -> bool:
        path, _, heading = link.partition("#")
        if path and not (DOCS / path).exists():
            return False
        if not heading:
            return True
        page = (DOCS / path).read_text(encoding="utf-8") if path else self.text
        return heading in headings(page)


def headings(page: str) -> set[str]:
    """The anchors of a page."""
    found = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


def region(file: str, name: str) -> str:
    """The parts of a file between `# region name` and `# endregion`, one blank line before imports, two before code."""
    source = (ROOT / file).read_text(encoding="utf-8")
    parts: list[str] = re.findall(rf"^# region {name}\n(.*?)^# endregion$", source, re.DOTALL | re.MULTILINE)
    assert parts, f"{file} has no region {name}"
    parts = [part.strip("\n") + "\n" for part in parts]
    return parts[0] + "".join(("\n" if part.startswith(("import", "from")) else "\n\n") + part for part in parts[1:])


def run(file: str) -> str:
    """What a file prints. It must end well, without a warning."""
    command = [sys.executable, "-X", "utf8", "-W", "error", file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
