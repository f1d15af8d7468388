"""A server's process: starting it, and making sure that it ends.

At the end its stdin is closed, which asks it to stop (MCP 2025-11-25, basic/lifecycle#shutdown); what doesn't stop
is terminated, then killed. On POSIX the process leads a session of its own: Ctrl-C in the terminal reaches the client
only, which then ends the server in order; and terminating reaches what `npx` or a shell started in between. The wait is
bounded and can't be cancelled, so that no process is left behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from subprocess import PIPE
from typing import Any

import anyio
from anyio.abc import Process

from .errors import ServerUnavailable

GRACE = 2.0
"""Seconds to end after stdin is closed, and again after being terminated. Hosts wait about as long."""


async def start_process(command: list[str], *, cwd: str | None, env: Mapping[str, str], stderr: Any) -> Process:
    """Start a server. `stderr` as for `subprocess`. Raises ServerUnavailable, saying why it can't be started."""
    words = _resolved(command, env)
    try:
        return await anyio.open_process(
            words, stdin=PIPE, stdout=PIPE, stderr=stderr, cwd=cwd, env=env, start_new_session=sys.platform != "win32"
        )
    except OSError as error:
        raise ServerUnavailable(f"The server can't be started: {_why(error, command[0], cwd)}") from error


def _why(error: OSError, program: str, cwd: str | None) -> str:
    if cwd is not None and not os.path.isdir(cwd):
        return f'there is no folder "{cwd}" (cwd)'
    if isinstance(error, FileNotFoundError):
        return f'there is no command "{program}". Check its spelling and the PATH, or give its full path'
    return f'"{program}": {error.strerror or error}'


def _resolved(command: list[str], env: Mapping[str, str]) -> list[str]:
    if sys.platform == "win32":  # CreateProcess finds npx.exe, not npx.cmd
        path = next((value for name, value in env.items() if name.upper() == "PATH"), None)
        return [shutil.which(command[0], path=path) or command[0], *command[1:]]
    return command


async def stop_process(process: Process) -> None:
    """End the process and reap it; takes at most twice GRACE seconds, and the moment that killing takes."""
    with anyio.CancelScope(shield=True):
        if process.stdin is not None:
            with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                await process.stdin.aclose()
        with anyio.move_on_after(GRACE):
            await process.wait()
        if process.returncode is None:
            _signal(process, "SIGTERM")
            with anyio.move_on_after(GRACE):
                await process.wait()
            # Also when the leader has ended: what it started may have ignored the signal.
            _signal(process, "SIGKILL")
            await process.wait()
        await process.aclose()


def _signal(process: Process, name: str) -> None:
    with suppress(ProcessLookupError, PermissionError):  # it has ended meanwhile
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.Signals[name])


def describe_exit(code: int | None) -> str:
    """`ended with exit code 1`, `was ended by SIGKILL`, ..."""
    if code is None:
        return "closed its stdout"
    if code >= 0:
        return f"ended with exit code {code}"
    with suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
