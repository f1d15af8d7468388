"""What all verbs but `run` talk to: a Python file's server or any command, started for this on stdio; or a URL."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from ..client import Client
from ..client.target import is_url
from ..revisions import LATEST, LATEST_HANDSHAKE, REVISIONS
from .faults import Fault
from .loading import split_target

ERAS = {"auto": None, "handshake": LATEST_HANDSHAKE, "stateless": LATEST}


def open_client(target: str | None, command: list[str], options: argparse.Namespace, **callbacks: Any) -> Client:
    """The client for the FILE, the URL, or the command after `--`. Raises Fault."""
    common = {"revision": options.revision, "timeout": options.timeout, "log_level": options.log_level, **callbacks}
    if not command and target is not None and is_url(target):
        return Client(target, headers=read_headers(options.header), **common)
    if options.header:
        raise Fault("--header is for a URL; a program takes its settings from the environment")
    # It is the user's own command line: the server finds what the shell has.
    return Client(command or file_command(target), env=os.environ, **common)


def read_headers(lines: list[str]) -> dict[str, str]:
    """--header "Name: value", as of curl."""
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise Fault(f'--header {line[:60]!r} is not "Name: value"')
        headers[name.strip()] = value.strip()
    return headers


def file_command(target: str | None) -> list[str]:
    """The command that serves a file."""
    if target is None:
        raise Fault("say which server: a Python file, a URL, or a command after --")
    path, _ = split_target(target)
    if "://" in path:
        raise Fault(f"{path:.100}: URLs begin with http:// or https://")
    if not path.endswith(".py") or not os.path.isfile(path):
        problem = "is not there" if path.endswith(".py") else "is not a Python file"
        raise Fault(
            f'"{path:.200}" {problem}. A server that is a command comes after --: picomcp-py list -- npx -y name'
        )
    return [sys.executable, "-m", "picomcp_py", "run", "--stdio", "--log-level", "warning", target]


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


def port(text: str) -> int:
    """--port."""
    if text.isascii() and text.isdigit() and int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number from 0 to 65535")
