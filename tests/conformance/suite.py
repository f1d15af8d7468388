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
STAMP = "installed.txt"
INSTALL_SECONDS = 300
"""Half a minute is usual. It ends before the timeout of the test, so that the test is skipped."""


class Missing(Exception):
    """The suite can't be had here: the text says why."""


class Score(NamedTuple):
    """How one scenario went."""

    scenario: str
    scored: bool
    passed: int
    failed: int
    warned: int
    skipped: int
    faults: list[str]

    @property
    def clean(self) -> bool:
        """A skipped check is no success: the suite skips what a server doesn't declare."""
        return not self.failed and not self.warned and not self.skipped


def folder() -> Path:
    """Where the suite is kept: in the cache of the user if XDG says where, else in that of the checkout."""
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base, "picomcp-py-conformance") if base else ROOT / ".cache" / "conformance"


def install() -> list[str]:
    """The command of the suite, installed if it isn't. Raises Missing.

    It is made in a folder of its own and then moved: a run that was killed leaves no half of it where it is looked for.
    """
    place = folder()
    if not _is_installed(place):
        npm = shutil.which("npm")
        if npm is None:
            raise Missing("npm, which installs the conformance suite, is not there")
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{place.name}-", dir=place.parent) as made:
            _npm_install(npm, Path(made))
            if not _is_installed(place):  # by another run meanwhile
                shutil.rmtree(place, ignore_errors=True)
                Path(made).rename(place)
    return [str(path) for path in _programs(place)]


def _programs(place: Path) -> tuple[Path, Path]:
    """Node and the suite."""
    modules = place / "node_modules"
    node = modules / "node" / "bin" / ("node.exe" if os.name == "nt" else "node")
    return node, modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


def _is_installed(place: Path) -> bool:
    stamp = place / STAMP
    known = stamp.exists() and stamp.read_text("utf-8") == "\n".join(PACKAGES)
    return known and all(program.exists() for program in _programs(place))


def _npm_install(npm: str, place: Path) -> None:
    """Raises Missing: soon where there is no network, for which npm by itself waits minutes between its tries."""
    (place / "package.json").write_text('{"private": true}', "utf-8")
    options = ["--no-audit", "--no-fund", "--loglevel=error", "--save-exact"]
    tries = ["--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000"]
    command = [npm, "install", *options, *tries, *PACKAGES]
    try:
        subprocess.run(command, cwd=place, stdin=subprocess.DEVNULL, text=True, capture_output=True, check=True,
                       timeout=INSTALL_SECONDS)  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Missing(f"npm did not install the conformance suite within {INSTALL_SECONDS} seconds") from None
    except subprocess.CalledProcessError as error:
        said = "\n".join(error.stderr.strip().splitlines()[:3])
        raise Missing(f"npm could not install the conformance suite:\n{said}") from None
    for program in _programs(place):
        if not program.exists():  # node comes by an install script
            text = (
                f"npm installed the conformance suite without {program.name}: do install scripts run (ignore-scripts)?"
            )
            raise Missing(text)
    (place / STAMP).write_text("\n".join(PACKAGES), "utf-8")


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
        if check["status"] in ("FAILURE", "WARNING", "SKIPPED")
    ]
    passed, failed, warned, skipped = (count[status] for status in ("SUCCESS", "FAILURE", "WARNING", "SKIPPED"))
    return Score(name, name not in unscored, passed, failed, warned, skipped, faults)


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
    lines = [f"{requirements:48} passed failed warned skipped"]
    for score in scores:
        mark = "ok  " if score.clean else "open" if score.scenario in expected else "FAIL"
        name = score.scenario + ("" if score.scored else " (not scored)")
        reason = "" if score.clean else expected.get(score.scenario, "")
        counts = f"{score.passed:6} {score.failed:6} {score.warned:6} {score.skipped:7}"
        lines.append(f"{mark} {name:43} {counts}  {reason}".rstrip())
    good = sum(not score.failed for score in scored)
    lines.append(
        f"scenarios: {good} of {len(scored)} scored, {sum(s.clean for s in scores)} of {len(scores)} clean; checks: "
        f"{sum(s.passed for s in scores)} passed, {sum(s.failed for s in scores)} failed, "
        f"{sum(s.warned for s in scores)} warnings, {sum(s.skipped for s in scores)} skipped"
    )
    return "\n".join(lines)
