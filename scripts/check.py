"""Lint, format, types and the layers of the code: `python3 scripts/check.py`. All of them run, whatever fails first."""

import subprocess
import sys

from environment import ROOT, python

CHECKS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("mypy", "--strict", "picomcp_py"),
    ("lint-imports",),
)

if __name__ == "__main__":
    interpreter = python("dev")
    failed = []
    for program, *arguments in CHECKS:
        command = " ".join([program, *arguments])
        print(f"$ {command}", flush=True)
        if subprocess.call([interpreter.with_name(program), *arguments], cwd=ROOT):
            failed.append(command)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
