"""What a client can be a client of: a Server in memory, a program by its command or its Python file, or a URL."""

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


class TargetOptions(Struct, kw_only=True):
    """How a server's process is started, or its URL is spoken to."""

    cwd: str | os.PathLike[str] | None = None
    env: Mapping[str, str] | None = None
    stderr: str = "inherit"
    headers: Mapping[str, str] | None = None
    max_message_bytes: int = MAX_LINE


def open_target(target: Any, channel: Channel, options: TargetOptions) -> AbstractAsyncContextManager[Link]:
    """The link to the target. Raises ConfigError for what is no target."""
    if hasattr(target, "_open"):
        from .memory import open_memory

        return open_memory(target, channel)
    if is_url(target):
        from .http import open_http

        return open_http(target, channel, headers=options.headers, max_bytes=options.max_message_bytes)
    from .stdio import open_stdio

    return open_stdio(
        command_of(target),
        channel,
        cwd=None if options.cwd is None else os.fspath(options.cwd),
        env=safe_environment(options.env),
        capture=options.stderr == "capture",
        max_line=options.max_message_bytes,
    )


def check_target(target: Any, options: TargetOptions) -> None:
    """ConfigError for what can't work, before anything is started."""
    if options.stderr not in ("inherit", "capture"):
        raise ConfigError(f'Client: "stderr" must be "inherit" or "capture", not {options.stderr!r:.40}')
    if hasattr(target, "_open"):
        if options != TargetOptions():
            raise ConfigError("Client: cwd, env, stderr, headers and max_message_bytes are not for a server in memory")
    elif is_url(target):
        if (options.cwd, options.env, options.stderr) != (None, None, "inherit"):
            raise ConfigError("Client: cwd, env and stderr are for a server in a process of its own, not for a URL")
        _check_url(target, options.headers)
    else:
        command_of(target)
        if options.headers is not None:
            raise ConfigError('Client: headers are for a URL; a program takes its settings from "env"')


def is_url(target: Any) -> bool:
    """Whether the target is the URL of a server."""
    return isinstance(target, str) and target.partition("://")[0].lower() in ("http", "https") and "://" in target


def _check_url(url: str, headers: Mapping[str, str] | None) -> None:
    try:
        from .http import check_url
    except ModuleNotFoundError as error:
        if error.name != "httpx2":
            raise
        raise ConfigError("Client: a URL needs httpx2: pip install 'picomcp-py[client]'") from None
    check_url(url, headers)


def command_of(target: Any) -> list[str]:
    """The words of the command that starts the target."""
    if isinstance(target, str | os.PathLike):
        return _command_of_file(os.fspath(target))
    if isinstance(target, Sequence) and target and all(isinstance(word, str | os.PathLike) for word in target):
        return [os.fspath(word) for word in target]
    raise ConfigError(
        "Client: the target must be a Server, a command as a list of words, the path of a Python file, or a URL, "
        f"not {target!r:.60}"
    )


def _command_of_file(path: str) -> list[str]:
    if not path.endswith(".py"):
        raise ConfigError(
            f'Client: "{path:.100}" is not a Python file. A command is given as a list of words: ["npx", "-y", "name"]'
        )
    if not os.path.isfile(path):
        raise ConfigError(f'Client: there is no file "{path:.200}"')
    return [sys.executable, path]
