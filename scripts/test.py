"""All tests: `python3 scripts/test.py`. Arguments go to pytest: `python3 scripts/test.py tests/wire -k progress`."""

import subprocess
import sys

from environment import ROOT, node_packages, python

if __name__ == "__main__":
    interpreter = python("dev")
    node_packages()
    sys.exit(subprocess.call([interpreter, "-m", "pytest", *sys.argv[1:]], cwd=ROOT))
