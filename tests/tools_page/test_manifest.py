"""The manifest and the tests: each sentence has a test, each test has its sentences."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.tools_page.manifest import KNOWN, SECTIONS, SENTENCES, covers

HERE = Path(__file__).parent


def named(test: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The ids in a test's `@covers(...)`."""
    found = []
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == "covers":
            found += [ast.literal_eval(arg) for arg in decorator.args]
    return found


def ids_by_test() -> dict[str, list[str]]:
    """`file::test` -> ids, for each test at the top of a module beside this one."""
    found = {}
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                name = f"{path.name}::{node.name}"
                assert name not in found, "a second test of that name hides the first"
                found[name] = named(node)
    return found


TESTS = ids_by_test()


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.id)
def test_each_sentence_has_a_test(sentence: object) -> None:
    covered = {id for ids in TESTS.values() for id in ids}
    assert sentence.id in covered, sentence.says  # type: ignore[attr-defined]


def test_each_test_names_its_sentences_and_all_of_them_exist() -> None:
    for name, ids in TESTS.items():
        if not name.startswith(Path(__file__).name):
            assert ids, f"{name} covers nothing"
            assert set(ids) <= KNOWN, f"{name} covers {set(ids) - KNOWN}"


def test_the_number_of_sentences_in_each_section_is_pinned() -> None:
    assert Counter(sentence.section for sentence in SENTENCES) == SECTIONS
    assert sum(SECTIONS.values()) == 94


def test_ids_are_unique() -> None:
    assert len(KNOWN) == len(SENTENCES)


def test_an_unknown_sentence_is_refused() -> None:
    with pytest.raises(ValueError, match="no such sentence: X1"):
        covers("T1", "X1")
