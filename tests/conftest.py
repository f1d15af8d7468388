"""Fixtures for all tests. Async tests (`@pytest.mark.anyio`) run on asyncio and on trio."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests import skips


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(skips)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A report that pytest-xdist can send to another process: some tests log lone surrogates, which are no UTF-8."""
    report = yield
    report.sections = [(name, _encodable(text)) for name, text in report.sections]
    if report.failed and _encodable(told := str(report.longrepr)) != told:
        report.longrepr = _encodable(told)
    return report


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return request.param
