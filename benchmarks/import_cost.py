"""What does `import picomcp_py` cost beside `import msgspec, anyio`, the packages it stands on?

Fresh processes, interleaved; the time of a bare `python -c pass` is taken off both. Prints the medians and the ratio.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from statistics import median

ROUNDS = 20
CODE = {"bare": "pass", "packages": "import msgspec, anyio", "ours": "import picomcp_py"}


def milliseconds(code: str) -> float:
    start = time.perf_counter()
    # With bytecode, as an installed package has it.
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-c", f"{code}; import os; os._exit(0)"], check=True, env=env)
    return (time.perf_counter() - start) * 1e3


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in CODE}
    for round in range(-1, ROUNDS):  # the first round fills the disk's cache
        for name, code in CODE.items():
            took = milliseconds(code)
            if round >= 0:
                times[name].append(took)
    bare = median(times["bare"])
    packages, ours = (median(times[name]) - bare for name in ("packages", "ours"))
    print(f"python -c pass: {bare:.1f} ms")
    print(f"import msgspec, anyio: {packages:.1f} ms more")
    print(f"import picomcp_py: {ours:.1f} ms more, {ours / packages:.2f} times that")


if __name__ == "__main__":
    main()
