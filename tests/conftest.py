"""Fixtures for all tests. Async tests (`@pytest.mark.anyio`) run on asyncio and on trio."""

from __future__ import annotations

import pytest

from tests import skips


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(skips)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return request.param
