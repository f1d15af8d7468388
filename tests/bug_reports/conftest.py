"""Starts the program for a test and makes sure that it ends with it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator

import pytest

from tests.bug_reports.program import Program

Start = Callable[..., Program]


@pytest.fixture(params=["asyncio", "trio"])
def start(request: pytest.FixtureRequest) -> Iterator[Start]:
    programs: list[Program] = []
    with tempfile.TemporaryFile() as errors:

        def start_program(*arguments: str, **options: object) -> Program:
            given = {"errors": errors, "backend": request.param, **options}
            programs.append(Program(given.pop("errors"), *arguments, **given))  # type: ignore[arg-type]
            return programs[-1]

        yield start_program
        for program in programs:
            program.kill()
