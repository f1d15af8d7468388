"""What a person sees on a terminal: colours, unless they are not wanted, and tables."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.cli.programs import COMMAND, SERVER

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(words: list[str], cwd: Path, env: dict[str, str]) -> str:
    """The output of the command on a pseudo terminal of 100 columns."""
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    full = {**inherited, "TERM": "xterm-256color", "COLUMNS": "100", **env}
    process = subprocess.Popen([*COMMAND, *words], cwd=cwd, stdin=subprocess.DEVNULL, stdout=theirs, env=full)
    os.close(theirs)
    pieces: list[bytes] = []
    try:
        while piece := os.read(ours, 65536):
            pieces.append(piece)
    except OSError:  # EIO: the other end is closed
        pass
    os.close(ours)
    assert process.wait() == 0
    return b"".join(pieces).decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "weather.py").write_text(SERVER, encoding="utf-8")
    return tmp_path


def test_a_terminal_gets_colour_and_the_same_content(folder: Path) -> None:
    pytest.importorskip("rich")
    shown = on_terminal(["list", "weather.py"], folder, {})
    assert "\x1b[1;36mforecast" in shown
    words = ESCAPES.sub("", shown).split()
    for word in ("Weather", "[read-only]", "Anywhere.", "argument", "city", "required", '"C"', "refuse"):
        assert word in words


def test_no_color_is_respected(folder: Path) -> None:
    shown = on_terminal(["list", "weather.py"], folder, {"NO_COLOR": "1"})
    assert "forecast" in shown
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", shown)


def test_without_rich_a_terminal_gets_plain_text(folder: Path) -> None:
    # Read at the start of the interpreter; None in sys.modules stands for a module that isn't there.
    hide = "import sys\nsys.modules['rich'] = None\n"
    (folder / "sitecustomize.py").write_text(hide, encoding="utf-8")
    shown = on_terminal(["list", "weather.py"], folder, {"PYTHONPATH": os.fspath(folder)})
    assert "\x1b" not in shown
    assert "forecast  Forecast  [read-only]\r\n  Tell the weather.\r\n" in shown
