"""The official conformance suite: installing it, running a requirement set against the fixture server, counting.

Only the standard library is used here, so that `run` works with any Python; the server needs the library's.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("node@22.23.3", "@modelcontextprotocol/conformance@0.2.0-alpha.12")
"""The suite needs Node 22, which most machines don't have; npm has it as a package."""

SETS = ("2025-11-25", "2026-07-28")


class Missing(Exception):
    """The suite can't be had here: the text says why."""


class Score(NamedTuple):
    """How one scenario went."""

    scenario: str
    scored: bool
    passed: int
    failed: int
    warned: int
    faults: list[str]

    @property
    def clean(self) -> bool:
        return not self.failed and not self.warned


def folder() -> Path:
    """Where the suite is kept: in the cache of the user if XDG says where, else in that of the checkout."""
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base, "picomcp-py-conformance") if base else ROOT / ".cache" / "conformance"


def install() -> list[str]:
    """The command of the suite, installed if it isn't. Raises Missing."""
    place = folder()
    modules = place / "node_modules"
    node = modules / "node" / "bin" / ("node.exe" if os.name == "nt" else "node")
    command = [str(node), str(modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js")]
    stamp = place / "installed.txt"
    if stamp.exists() and stamp.read_text("utf-8") == "\n".join(PACKAGES):
        return command
    npm = shutil.which("npm")
    if npm is None:
        raise Missing("npm, which installs the conformance suite, is not there")
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text('{"private": true}', "utf-8")
    options = ["--no-audit", "--no-fund", "--loglevel=error", "--save-exact"]
    done = subprocess.run([npm, "install", *options, *PACKAGES], cwd=place, stdin=subprocess.DEVNULL, text=True,
                          capture_output=True)  # fmt: skip
    if done.returncode or not node.exists():
        raise Missing(f"npm could not install the conformance suite: {done.stderr.strip()[-500:]}")
    stamp.write_text("\n".join(PACKAGES), "utf-8")
    return command


@contextmanager
def serving(python: str = sys.executable) -> Iterator[str]:
    """The fixture server at work; gives its URL."""
    program = Path(__file__).with_name("everything_server.py")
    process = subprocess.Popen([python, str(program)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError(f"the fixture server ended with {process.wait()}")
        yield url
    finally:
        process.terminate()
        process.wait()
        assert process.stdout
        process.stdout.close()


def run(command: list[str], url: str, requirements: str) -> list[Score]:
    """Run one requirement set."""
    with tempfile.TemporaryDirectory() as results:
        arguments = ["server", "--url", url, "--requirements", requirements, "-o", results]
        done = subprocess.run([*command, *arguments], stdin=subprocess.DEVNULL, text=True, capture_output=True)
        unscored = set(re.findall(r"^  \S (\S+) \([a-z-]+\)$", done.stdout, re.MULTILINE))
        scores = [_score(path, unscored) for path in sorted(Path(results).glob("*/checks.json"))]
    if not scores:
        raise RuntimeError(f"the suite gave no results:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return scores


def _score(path: Path, unscored: set[str]) -> Score:
    name = re.sub(r"-\d{4}-\d\d-\d\dT[\d-]+Z$", "", path.parent.name).removeprefix("server-")
    checks = json.loads(path.read_text("utf-8"))
    count = Counter(check["status"] for check in checks)
    faults = [
        f"{check['status'].lower()} {check['id']}: {check.get('errorMessage') or check.get('details') or ''}"
        for check in checks
        if check["status"] in ("FAILURE", "WARNING")
    ]
    return Score(name, name not in unscored, count["SUCCESS"], count["FAILURE"], count["WARNING"], faults)


def surprises(scores: list[Score], expected: dict[str, str]) -> list[str]:
    """What went otherwise than the list of expected failures says."""
    found = []
    for score in scores:
        if not score.clean and score.scenario not in expected:
            found += [f"{score.scenario}: {fault}" for fault in score.faults]
        elif score.clean and score.scenario in expected:
            found.append(f"{score.scenario} passes: take it off the list in expected.py")
    names = {score.scenario for score in scores}
    return found + [
        f"{name} was not run: take it off the list in expected.py" for name in expected if name not in names
    ]


def table(requirements: str, scores: list[Score], expected: dict[str, str]) -> str:
    """The scores as text."""
    scored = [score for score in scores if score.scored]
    lines = [f"{requirements:48} passed failed warned"]
    for score in scores:
        mark = "ok  " if score.clean else "open" if score.scenario in expected else "FAIL"
        name = score.scenario + ("" if score.scored else " (not scored)")
        reason = "" if score.clean else expected.get(score.scenario, "")
        lines.append(f"{mark} {name:43} {score.passed:6} {score.failed:6} {score.warned:6}  {reason}".rstrip())
    good = sum(not score.failed for score in scored)
    lines.append(
        f"scenarios: {good} of {len(scored)} scored, {sum(s.clean for s in scores)} of {len(scores)} clean; checks: "
        f"{sum(s.passed for s in scores)} passed, {sum(s.failed for s in scores)} failed, "
        f"{sum(s.warned for s in scores)} warnings"
    )
    return "\n".join(lines)
