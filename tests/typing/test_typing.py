"""What mypy, pyright and ty find in registrations: a table checker x form x mistake, and nothing in correct programs.

Each checker runs once over the example files beside this one. A comment says where it has to report: `# E: ...` a
mistake, `# G: checker ...` a correct line that this checker is known to refuse. A cell that can't be had is a strict
xfail with its reason, so that a checker that learns it is noticed.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = ("correct.py", "details.py", "forms.py", "gaps.py")
CHECKERS = ("mypy", "pyright", "ty")
FORMS = ("dict-call", "dict-decorator", "keyword-call", "keyword-decorator")
MISTAKES = ("misspelt-key", "wrong-parameter", "wrong-return")

TY_DICTS = "ty leaves the type variables of a generic TypedDict unsolved"
WIDENED = "run is seen together with output, so the checker widens Out until both fit"
UNATTAINABLE = {
    ("ty", "dict-call", "wrong-parameter"): TY_DICTS,
    ("ty", "dict-call", "wrong-return"): TY_DICTS,
    ("ty", "dict-decorator", "wrong-parameter"): TY_DICTS,
    ("ty", "dict-decorator", "wrong-return"): TY_DICTS,
    ("ty", "keyword-call", "wrong-return"): WIDENED,
    ("pyright", "dict-call", "wrong-return"): WIDENED,
    ("pyright", "keyword-call", "wrong-return"): WIDENED,
}

pytestmark = pytest.mark.timeout(300)  # a first run without caches; pyright may have to fetch its npm package


@functools.cache
def why_not(checker: str) -> str | None:
    """Why a checker can't run here, if it can't: not installed, or (pyright) neither node nor a network to get it."""
    done = subprocess.run(
        [sys.executable, "-m", checker, "--version"], capture_output=True, encoding="utf-8", check=False
    )
    return None if done.returncode == 0 else f"{checker} can't run here: {done.stderr.strip() or done.stdout.strip()}"


def run(checker: str, *arguments: str) -> str:
    """The standard output of a checker that ran to its end over all files: 0 is nothing found, 1 something."""
    command = [sys.executable, "-m", checker, *arguments, *(str(HERE / name) for name in FILES)]
    env = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{checker} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def run_mypy() -> list[tuple[str, int, str]]:
    output = run("mypy", "--strict", "--config-file", os.devnull, "--output", "json")
    found = [json.loads(line) for line in output.splitlines()]
    return [(one["file"], one["line"], one["message"]) for one in found if one["severity"] == "error"]


def run_pyright() -> list[tuple[str, int, str]]:
    found = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable))["generalDiagnostics"]
    found = [one for one in found if one["severity"] != "information"]
    return [(one["file"], one["range"]["start"]["line"] + 1, one["message"]) for one in found]


def run_ty() -> list[tuple[str, int, str]]:
    found = json.loads(run("ty", "check", "--python", sys.prefix, "--project", str(ROOT), "--output-format", "gitlab"))
    places = [(one["location"]["path"], one["location"]["positions"]["begin"]["line"]) for one in found]
    return [(*place, one["description"]) for place, one in zip(places, found, strict=True) if one["severity"] != "info"]


@functools.cache
def run_once(checker: str) -> dict[str, dict[int, str]]:
    said: dict[str, dict[int, str]] = {name: {} for name in FILES}
    for path, line, message in {"mypy": run_mypy, "pyright": run_pyright, "ty": run_ty}[checker]():
        if (ROOT / path).parent == HERE:
            said[Path(path).name][line] = message
    return said


def diagnostics(checker: str) -> dict[str, dict[int, str]]:
    """By file and line, what a checker said; the last word where it said several things. Runs it once."""
    if (reason := why_not(checker)) is not None:
        pytest.skip(reason)
    return run_once(checker)


@functools.cache
def marks(name: str, letter: str) -> dict[str, int]:
    """The lines of a file that carry `# E: text` or `# G: text`, by that text."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    matches = [(re.search(rf"\S  # {letter}: (.+)$", line), number) for number, line in enumerate(lines, 1)]
    found = [(match[1], number) for match, number in matches if match]
    by_text = dict(found)
    assert len(by_text) == len(found), f"{name} uses a mark twice"
    return by_text


def cells() -> list[object]:
    table = []
    for checker in CHECKERS:
        for form in FORMS:
            for mistake in MISTAKES:
                reason = UNATTAINABLE.get((checker, form, mistake))
                xfail = [pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)] if reason else []
                table.append(pytest.param(checker, form, mistake, marks=xfail, id=f"{checker}-{form}-{mistake}"))
    return table


@pytest.mark.parametrize(("checker", "form", "mistake"), cells())
def test_checker_finds_the_mistake_in_this_form(checker: str, form: str, mistake: str) -> None:
    line = marks("forms.py", "E")[f"{form} {mistake}"]
    assert line in diagnostics(checker)["forms.py"], f"{checker} says nothing about forms.py:{line}"


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("mistake", marks("details.py", "E"))
def test_checker_finds_the_mistake_in_the_details(checker: str, mistake: str) -> None:
    line = marks("details.py", "E")[mistake]
    assert line in diagnostics(checker)["details.py"], f"{checker} says nothing about details.py:{line}"


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("name", FILES)
def test_checker_is_silent_about_every_line_without_a_mark(checker: str, name: str) -> None:
    marked = {*marks(name, "E").values(), *marks(name, "G").values()}
    assert {line: said for line, said in diagnostics(checker)[name].items() if line not in marked} == {}


@pytest.mark.parametrize("gap", marks("gaps.py", "G"))
@pytest.mark.parametrize("checker", CHECKERS)
def test_gap_is_refused_by_the_named_checker_alone(checker: str, gap: str) -> None:
    refused = marks("gaps.py", "G")[gap] in diagnostics(checker)["gaps.py"]
    assert refused == (checker == gap.split()[0]), "a checker has changed its mind: update gaps.py"


def test_every_cell_of_the_table_has_its_example() -> None:
    assert set(marks("forms.py", "E")) == {f"{form} {mistake}" for form in FORMS for mistake in MISTAKES}


@pytest.mark.parametrize("name", ["correct.py", "gaps.py"])
def test_correct_registrations_run(name: str) -> None:
    pytest.importorskip("pydantic")
    spec = importlib.util.spec_from_file_location(f"typing_{Path(name).stem}", HERE / name)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
