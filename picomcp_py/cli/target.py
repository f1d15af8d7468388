"""What `list` and `call` talk to: a Python file's server, or any command. Always a process of its own, over stdio."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from ..client import Client
from ..revisions import LATEST, LATEST_HANDSHAKE, REVISIONS
from .faults import Fault
from .loading import split_target

ERAS = {"auto": None, "handshake": LATEST_HANDSHAKE, "stateless": LATEST}


def open_client(target: str | None, command: list[str], options: argparse.Namespace, **callbacks: Any) -> Client:
    """The client for the FILE, or for the command after `--`. Raises Fault."""
    return Client(
        command or file_command(target),
        revision=options.revision,
        timeout=options.timeout,
        log_level=options.log_level,
        env=os.environ,  # it is the user's own command line: the server finds what the shell has
        **callbacks,
    )


def file_command(target: str | None) -> list[str]:
    """The command that serves a file."""
    if target is None:
        raise Fault("say which server: a Python file, or a command after --")
    path, _ = split_target(target)
    if "://" in path:
        raise Fault(f"{path:.100}: URLs are not supported by this version; give a Python file, or a command after --")
    if not path.endswith(".py") or not os.path.isfile(path):
        problem = "is not there" if path.endswith(".py") else "is not a Python file"
        raise Fault(
            f'"{path:.200}" {problem}. A server that is a command comes after --: picomcp-py list -- npx -y name'
        )
    return [sys.executable, "-m", "picomcp_py", "run", "--log-level", "warning", target]


def revision(text: str) -> str | None:
    """--revision: a revision, or an era for its newest one."""
    if text in ERAS:
        return ERAS[text]
    if text in REVISIONS:
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join((*ERAS, *REVISIONS))}")


def seconds(text: str) -> float:
    """--timeout."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value
