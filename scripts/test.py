"""All tests, on as many cores as there are, at most four: `python3 scripts/test.py`. Arguments go to pytest:
`python3 scripts/test.py tests/wire -k progress -n 0`.
"""

import subprocess
import sys

from environment import ROOT, node_packages, python

if __name__ == "__main__":
    interpreter = python("dev")
    node_packages()
    shared = ["--numprocesses=auto", "--maxprocesses=4", "--dist=loadfile"]  # a file's tests share what it starts
    sys.exit(subprocess.call([interpreter, "-m", "pytest", *shared, *sys.argv[1:]], cwd=ROOT))
