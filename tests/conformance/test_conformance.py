"""The official conformance suite, where npm can install it."""

from __future__ import annotations

import re
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
    good = suite.Score("good", True, 1, 0, 0, [])
    bad = suite.Score("bad", True, 0, 1, 0, ["failure x: no"])
    warned = suite.Score("warned", False, 1, 0, 1, ["warning y: hm"])
    assert suite.surprises([good, bad, warned], {"bad": "later", "warned": "later"}) == []
    assert suite.surprises([good, bad, warned], {}) == ["bad: failure x: no", "warned: warning y: hm"]
    assert suite.surprises([good], {"good": "later"}) == ["good passes: take it off the list in expected.py"]
    assert suite.surprises([good], {"gone": "later"}) == ["gone was not run: take it off the list in expected.py"]
    shown = suite.table("2025-11-25", [good, bad, warned], {"bad": "later"})
    assert re.search(r"open bad .*later", shown)
    assert "FAIL warned (not scored)" in shown
    assert "scenarios: 1 of 2 scored, 1 of 3 clean; checks: 2 passed, 1 failed, 1 warnings" in shown


def test_the_fixture_server_uses_public_names_only() -> None:
    text = Path(suite.__file__).with_name("everything_server.py").read_text("utf-8")
    assert re.findall(r"(?:from|import) (picomcp_py\S*)", text) == ["picomcp_py"]
