"""Where the other scripts run: a virtual environment in `.venv`, and the Node packages of the tests.

Rules:

1. Only the standard library: this runs on a machine with nothing but Python. Nothing outside of the checkout changes.
2. An environment that is up to date is used as it is: a stamp inside it says what was installed by which Python.
3. `VENV` names another folder, for environments of several Python versions side by side.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
NODE_PROJECT = ROOT / "tests" / "clients" / "ts"
OLDEST_NODE = 20


def python(extra: str = "") -> Path:
    """The interpreter of the environment, with this project and one of its extras installed; made if need be."""
    if sys.version_info < OLDEST:
        sys.exit(
            f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, this is {sys.version.split()[0]} ({sys.executable})"
        )
    folder = ROOT / os.environ.get("VENV", ".venv")
    executable = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = folder / "installed.txt"
    wanted = [f"{sys.implementation.name} {sys.version.split()[0]}", _digest(ROOT / "pyproject.toml")]
    found = stamp.read_text("utf-8").split("\n") if stamp.exists() else []
    if found[:2] != wanted or extra not in ("", *found[2:]):
        _say(f"Setting up {folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder}, once")
        if found[:1] != wanted[:1]:
            _make_venv(folder)
        target = f"{ROOT}[{extra}]" if extra else str(ROOT)
        _run(executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--editable", target)
        stamp.write_text("\n".join([*wanted, extra]), "utf-8")
    return executable


def node_packages() -> None:
    """The packages that the tests with Node need, where there are Node and npm; else those tests skip."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None or _node_version(node) < OLDEST_NODE:
        return
    lock = NODE_PROJECT / "package-lock.json"
    stamp = NODE_PROJECT / "node_modules" / ".installed"
    if stamp.exists() and stamp.read_text("utf-8") == _digest(lock):
        return
    _say("Installing the Node packages of the tests, once")
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    if subprocess.run([npm, "ci", *options], cwd=NODE_PROJECT, stdin=subprocess.DEVNULL).returncode:
        _say("npm failed: the tests with Node are skipped")
        return
    stamp.write_text(_digest(lock), "utf-8")


def _make_venv(folder: Path) -> None:
    if importlib.util.find_spec("ensurepip") is None:
        sys.exit("This Python has no ensurepip, which virtual environments need. On Debian: apt install python3-venv")
    _run(Path(sys.executable), "-m", "venv", "--clear", str(folder))


def _run(executable: Path, *arguments: str) -> None:
    finished = subprocess.run([str(executable), *arguments], cwd=ROOT, stdin=subprocess.DEVNULL)
    if finished.returncode:
        sys.exit(f"{' '.join(arguments[:3])} failed with exit code {finished.returncode}")


def _node_version(node: str) -> int:
    shown = subprocess.run([node, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    major = shown.strip().removeprefix("v").partition(".")[0]
    return int(major) if major.isdigit() else 0


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
