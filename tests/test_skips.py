"""The rule of tests/skips.py: with CI set a skip that isn't allowed is a failure, and the closing line says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.skips import ALLOWED

ROOT = Path(__file__).parents[1]

FILES = {
    "test_inside.py": "import pytest\ndef test_it():\n    pytest.skip('no luck')\n",
    "test_mark.py": "import pytest\n@pytest.mark.skipif(True, reason='no luck')\ndef test_it(): pass\n",
    "test_file.py": "import pytest\npytest.skip('no luck', allow_module_level=True)\n",
    "test_xfail.py": "import pytest\n@pytest.mark.xfail(reason='known')\ndef test_it(): assert False\n",
    "test_allowed.py": f"""
import pytest
@pytest.mark.parametrize("reason", {list(ALLOWED)!r})
def test_it(reason):
    pytest.skip(reason + ": more words")
""",
}


def outcomes(folder: Path, *, ci: str) -> tuple[int, str, set[str]]:
    """The exit code, the closing line, and the lines of the short summary, of a run over FILES."""
    for name, content in FILES.items():
        (folder / name).write_text(content, "utf-8")
    options = ["-p", "tests.skips", "-c", os.devnull, "-rfExs", "--continue-on-collection-errors"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(folder)],
        cwd=ROOT,
        env={**os.environ, "CI": ci, "NO_COLOR": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    lines = done.stdout.splitlines()
    summary = [line.split()[:2] for line in lines if line.startswith(("FAILED ", "ERROR ", "XFAIL "))]
    return done.returncode, lines[-1], {f"{word} {test.rpartition('/')[2]}" for word, test in summary}


def test_where_ci_is_set_a_skip_fails_unless_it_is_allowed(tmp_path: Path) -> None:
    code, closing, lines = outcomes(tmp_path, ci="true")
    assert code == 1
    assert lines == {
        "FAILED test_inside.py::test_it",
        "ERROR test_mark.py::test_it",
        "ERROR test_file.py",
        "XFAIL test_xfail.py::test_it",
    }
    assert f"1 failed, {len(ALLOWED)} skipped, 1 xfailed, 2 errors" in closing


def test_elsewhere_every_skip_is_free(tmp_path: Path) -> None:
    code, closing, lines = outcomes(tmp_path, ci="")
    assert code == 0
    assert lines == {"XFAIL test_xfail.py::test_it"}
    assert f"{3 + len(ALLOWED)} skipped, 1 xfailed" in closing
