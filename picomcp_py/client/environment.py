"""The environment that a server's process gets.

A server is somebody else's program: it gets what a program needs to run, not the secrets that happen to be in this
process's environment. What it does need is passed by name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

POSIX = ("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
WINDOWS = (
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
)
LOCALE = "LC_"


def safe_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables every program needs (those of POSIX or WINDOWS, and LC_*), and `extra` over them.

    For all of this process's environment: `Client(..., env=os.environ)`.
    """
    names = WINDOWS if sys.platform == "win32" else POSIX
    kept = {name: value for name, value in os.environ.items() if name in names or name.startswith(LOCALE)}
    return {**kept, **(extra or {})}
