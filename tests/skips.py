"""Which tests may be skipped where all of them should run: with the variable CI set, any other skip is a failure.

A skip says that something is missing. On a machine that has everything, a skip that nobody expected is a test that
quietly stopped testing. To allow one, add the beginning of its reason here, and why CI can't have what it needs.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    Report = pytest.TestReport | pytest.CollectReport

ALLOWED = {
    "the type statement is from Python 3.12": "CI also runs the oldest supported Python",
}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    return _judge(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    report = yield
    return _judge(report)


def _judge(report: Report) -> Report:
    if not os.environ.get("CI") or not report.skipped or hasattr(report, "wasxfail"):
        return report
    reason = skip_reason(report.longrepr)
    if not reason.startswith(tuple(ALLOWED)):
        report.outcome = "failed"
        report.longrepr = f"Skipped, though CI should have what it needs: {reason}\n(allowed skips: {__file__})"
    return report


def skip_reason(longrepr: object) -> str:
    """What was said when skipping: pytest keeps it as (file, line, "Skipped: reason")."""
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return text.removeprefix("Skipped: ")
