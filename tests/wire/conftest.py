"""One kitchen-sink server a revision, shared by the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wire.schemas import REVISIONS
from tests.wire.session import Session

KITCHEN_SINK = Path(__file__).parent / "kitchen_sink.py"


@pytest.fixture(scope="module", params=REVISIONS)
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    session = Session(KITCHEN_SINK, request.param)
    try:
        yield session
        assert session.close() == []
    finally:
        session.process.kill()
        session.process.wait()
