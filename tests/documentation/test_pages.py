"""What holds for each of these pages: its code is in files that run, its output is theirs, its links lead somewhere."""

from __future__ import annotations

import pytest

from tests.pages import DOCS, Page, region, run

NAMES = ("resources", "prompts", "changes", "coming-from")
PAGES = {name: Page(name) for name in NAMES}
SHOWN = [shown for page in PAGES.values() for shown in page.shown]
SNIPPETS = [f"docs/snippets/{name}/{file.name}" for name in NAMES for file in (DOCS / "snippets" / name).glob("*.py")]

NEEDS_REDIS = "docs/snippets/changes/redis_bus.py"
"""Runs in test_changes.py."""


@pytest.mark.parametrize(("file", "name", "code"), SHOWN, ids=[f"{file}-{name}" for file, name, _ in SHOWN])
def test_code_on_a_page_is_what_its_file_has(file: str, name: str, code: str) -> None:
    assert code == region(file, name)


@pytest.mark.parametrize("name", NAMES)
def test_all_python_on_a_page_comes_from_files_and_every_snippet_of_its_folder_is_shown(name: str) -> None:
    page = PAGES[name]
    assert page.text.count("```python\n") == len(page.shown)
    shown = {file for file, _, _ in page.shown if file.startswith("docs/")}
    assert shown == {snippet for snippet in SNIPPETS if f"/{name}/" in snippet}


@pytest.mark.parametrize("snippet", [snippet for snippet in SNIPPETS if snippet != NEEDS_REDIS])
def test_a_snippet_runs_and_its_own_checks_hold(snippet: str) -> None:
    if snippet.endswith("prompts/kinds.py"):
        pytest.importorskip("pydantic", reason="pydantic is not installed")
    printed = run(snippet)
    shown = [output for page in PAGES.values() for file, output in page.output if file == snippet]
    assert printed == "".join(shown)


@pytest.mark.parametrize("name", sorted(page.stem for page in DOCS.glob("*.md")))
def test_links_of_a_page_lead_somewhere(name: str) -> None:
    assert Page(name).broken_links() == []
