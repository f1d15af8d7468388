"""What a client can be a client of: a Server in memory, or a program by its command or its Python file."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from msgspec import Struct

from ..errors import ConfigError
from ..transports.stdio import MAX_LINE
from .channel import Channel, Link
from .environment import safe_environment


class ProcessOptions(Struct, kw_only=True):
    """How a server's process is started."""

    cwd: str | os.PathLike[str] | None = None
    env: Mapping[str, str] | None = None
    stderr: str = "inherit"
    max_message_bytes: int = MAX_LINE


def open_target(target: Any, channel: Channel, options: ProcessOptions) -> AbstractAsyncContextManager[Link]:
    """The link to the target. Raises ConfigError for what is no target."""
    if hasattr(target, "_open"):
        from .memory import open_memory

        return open_memory(target, channel)
    from .stdio import open_stdio

    return open_stdio(
        command_of(target),
        channel,
        cwd=None if options.cwd is None else os.fspath(options.cwd),
        env=safe_environment(options.env),
        capture=options.stderr == "capture",
        max_line=options.max_message_bytes,
    )


def check_target(target: Any, options: ProcessOptions) -> None:
    """ConfigError for what can't work, before anything is started."""
    if options.stderr not in ("inherit", "capture"):
        raise ConfigError(f'Client: "stderr" must be "inherit" or "capture", not {options.stderr!r:.40}')
    if not hasattr(target, "_open"):
        command_of(target)
    elif options != ProcessOptions():
        raise ConfigError("Client: cwd, env, stderr and max_message_bytes are for a server in a process of its own")


def command_of(target: Any) -> list[str]:
    """The words of the command that starts the target."""
    if isinstance(target, str | os.PathLike):
        return _command_of_file(os.fspath(target))
    if isinstance(target, Sequence) and target and all(isinstance(word, str | os.PathLike) for word in target):
        return [os.fspath(word) for word in target]
    raise ConfigError(
        "Client: the target must be a Server, a command as a list of words, or the path of a Python file, "
        f"not {target!r:.60}"
    )


def _command_of_file(path: str) -> list[str]:
    if path.partition("://")[0].lower() in ("http", "https"):
        raise ConfigError(
            f"Client: URLs are not supported by this version ({path:.100}): give a Server, a command or a Python file"
        )
    if not path.endswith(".py"):
        raise ConfigError(
            f'Client: "{path:.100}" is not a Python file. A command is given as a list of words: ["npx", "-y", "name"]'
        )
    if not os.path.isfile(path):
        raise ConfigError(f'Client: there is no file "{path:.200}"')
    return [sys.executable, path]
