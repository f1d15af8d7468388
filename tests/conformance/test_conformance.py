"""The official conformance suite, where npm can install it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.conformance import suite
from tests.conformance.expected import EXPECTED

POLLING = "server-sse-polling"


@pytest.fixture(scope="module")
def command() -> list[str]:
    try:
        return suite.install()
    except suite.Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("requirements", suite.SETS)
def test_each_scenario_goes_as_expected(command: list[str], requirements: str) -> None:
    with suite.serving() as url:
        scores = suite.run(command, url, requirements)
    assert suite.surprises(scores, EXPECTED[requirements]) == []
    assert sum(score.scored for score in scores) == {"2025-11-25": 30, "2026-07-28": 37}[requirements]
    if requirements == "2025-11-25":  # a server that never streams would pass it without a check
        assert [score.passed for score in scores if score.scenario == POLLING] == [3]


def test_surprises_are_found() -> None:
    good = suite.Score("good", True, 1, 0, 0, 0, [])
    bad = suite.Score("bad", True, 0, 1, 0, 0, ["failure x: no"])
    warned = suite.Score("warned", False, 1, 0, 1, 0, ["warning y: hm"])
    skipped = suite.Score("skipped", True, 1, 0, 0, 1, ["skipped z: not declared"])
    assert suite.surprises([good, bad, warned], {"bad": "later", "warned": "later"}) == []
    assert suite.surprises([good, bad, warned], {}) == ["bad: failure x: no", "warned: warning y: hm"]
    assert suite.surprises([skipped], {}) == ["skipped: skipped z: not declared"]
    assert suite.surprises([skipped], {"skipped": "never"}) == []
    assert suite.surprises([good], {"good": "later"}) == ["good passes: take it off the list in expected.py"]
    assert suite.surprises([good], {"gone": "later"}) == ["gone was not run: take it off the list in expected.py"]
    shown = suite.table("2025-11-25", [good, bad, warned, skipped], {"bad": "later"})
    assert re.search(r"open bad .*later", shown)
    assert "FAIL warned (not scored)" in shown
    assert "scenarios: 2 of 3 scored, 1 of 4 clean; checks: 3 passed, 1 failed, 1 warnings, 1 skipped" in shown


NPM = """#!{python}
import sys
from pathlib import Path
{work}
"""
MAKES = """
for program in ("node/bin/node", "@modelcontextprotocol/conformance/dist/index.js"):
    path = Path("node_modules", program)
    path.parent.mkdir(parents=True)
    path.touch()
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a PATH with nothing on it but the folder "bin" beside it."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def put_npm(cache: Path, work: str) -> None:
    npm = cache.with_name("bin") / "npm"
    npm.write_text(NPM.format(python=sys.executable, work=work), "utf-8")
    npm.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="a script with #! stands for npm")
def test_the_suite_is_installed_once_and_again_if_it_is_damaged(cache: Path) -> None:
    put_npm(cache, MAKES)
    node, program = suite.install()
    assert Path(node).exists()
    assert Path(program).exists()
    assert len(list(cache.iterdir())) == 1
    put_npm(cache, "sys.exit('called again')")
    assert suite.install() == [node, program]
    Path(node).unlink()
    put_npm(cache, MAKES)
    assert suite.install() == [node, program]
    assert Path(node).exists()
    assert len(list(cache.iterdir())) == 1


@pytest.mark.skipif(os.name == "nt", reason="a script with #! stands for npm")
@pytest.mark.parametrize(
    ("work", "says"),
    [
        (
            "sys.exit('npm error code ECONNREFUSED\\nwhy\\nwhere\\nnot this')",
            "suite:\nnpm error code ECONNREFUSED\nwhy\nwhere",
        ),
        ("", "without node: do install scripts run"),
    ],
)
def test_a_failed_install_is_missing_and_leaves_nothing(cache: Path, work: str, says: str) -> None:
    put_npm(cache, work)
    with pytest.raises(suite.Missing) as caught:
        suite.install()
    assert says in str(caught.value)
    assert "not this" not in str(caught.value)
    assert list(cache.iterdir()) == []


def test_without_npm_the_suite_is_missing(cache: Path) -> None:
    with pytest.raises(suite.Missing, match="npm, which installs"):
        suite.install()
    assert not cache.exists()


def test_the_fixture_server_uses_public_names_only() -> None:
    text = Path(suite.__file__).with_name("everything_server.py").read_text("utf-8")
    assert re.findall(r"(?:from|import) (picomcp_py\S*)", text) == ["picomcp_py"]
