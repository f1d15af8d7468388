"""The notes example, loaded into this process on a database of one's own."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "notes"
PROGRAM = FOLDER / "server.py"


def load(database: Path | str | None) -> ModuleType:
    """The module, new each time, with NOTES_DB set to this file or not at all while it is imported."""
    spec = importlib.util.spec_from_file_location("notes_server", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as environment:
        if database is None:
            environment.delenv("NOTES_DB", raising=False)
        else:
            environment.setenv("NOTES_DB", str(database))
        spec.loader.exec_module(module)
    return module
