"""A folder whose files clients may read: a path that they made up leads to one of them, or nowhere.

1. A path has "/" between its names. Refused are absolute paths, drives, backslashes, names that are empty, "." or
   "..", control characters, and names that begin with "." (`.env`, `.git/config`).
2. Symbolic links are followed as long as they lead to a file that could be named itself. It is opened from the folder
   on, name by name without following links, so that none can be slipped in between check and opening (where the
   system has no `openat`, the opened file is compared with the checked one).
3. Lists are bounded: MAX_LISTED files, of MAX_LOOKED_AT entries.

Raises `NotServed`, without a text, for everything else. Non-goals: hard links and mounts, which the owner of the
folder makes; writing.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from ..errors import ConfigError, McpError
from ..log import log
from .files import (
    OPENS_FROM_DIRECTORY,
    NotServed,
    open_and_compare,
    open_from_directory,
    read_open,
    scanned,
    without_paths,
)

if TYPE_CHECKING:
    from pathlib import Path

MAX_LISTED = 10_000
"""Files of one folder in a list: no model reads more names."""

MAX_LOOKED_AT = 100_000
"""Entries of one folder that making a list looks at, among them those that aren't served."""

_NEVER = re.compile(r"[\x00-\x1f\x7f-\x9f\\\ud800-\udfff]|^[A-Za-z]:")


class Found(NamedTuple):
    """A file of a folder: its relative path, its size in bytes, and when it changed, in ISO 8601 (UTC)."""

    path: str
    size: int
    modified: str | None


class Folder:
    """The files below a directory. Raises ConfigError when it is none."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = os.path.abspath(root)
        if not os.path.isdir(self.root):
            fault = "is not a directory" if os.path.exists(self.root) else "does not exist"
            raise ConfigError(f'the folder "{self.root}" {fault}: make it first, or name another one')

    def resolve(self, relative: str) -> Path:
        """The real path of a file of the folder. Raises NotServed. `read` is safer: it opens what it has checked."""
        from pathlib import Path

        with without_paths():
            root, parts = self._located(relative)
            real = Path(root, *parts)
            if not stat.S_ISREG(os.lstat(real).st_mode):
                raise NotServed
            return real

    def open(self, relative: str) -> BinaryIO:
        """The file, open for reading. Raises NotServed, and McpError for a broken disk."""
        with without_paths():
            root, parts = self._located(relative)
            return open_from_directory(root, parts) if OPENS_FROM_DIRECTORY else open_and_compare(root, parts)

    def read(self, relative: str) -> bytes:
        """All of a file. Raises as `open`, and McpError for more than MAX_FILE_BYTES."""
        with self.open(relative) as file:
            return read_open(file)

    def walk(self) -> list[Found]:
        """The files that are served, sorted by their paths, at most MAX_LISTED. Directories behind links are left out,
        though what is in them can be read: they may hold each other.
        """
        found = []
        for path in self._paths(""):
            with suppress(NotServed, McpError), without_paths():
                real = self.resolve(path)
                state = os.lstat(real)
                found.append(Found(path, state.st_size, iso_utc(state.st_mtime)))
        return found

    def complete(self, prefix: str) -> list[str]:
        """The paths of `walk` that begin with `prefix`."""
        return list(self._paths(prefix))

    def _located(self, relative: str) -> tuple[str, list[str]]:
        """The real root, and the names that lead from it to the file once all links are followed."""
        parts = _segments(relative)
        root = os.path.realpath(self.root)
        real = os.path.realpath(os.path.join(root, *parts), strict=True)
        inside = root.rstrip(os.sep) + os.sep
        if not real.startswith(inside):
            raise NotServed
        behind = real[len(inside) :].split(os.sep)
        if any(part.startswith(".") for part in behind):
            raise NotServed
        return root, behind

    def _paths(self, prefix: str) -> Iterator[str]:
        """Relative paths in order. A directory stands in the order by its name with a "/"."""
        listed = looked_at = 0
        pending = [""]
        while pending:
            path = pending.pop()
            if path and not path.endswith("/"):
                if listed == MAX_LISTED:
                    log().warning("a folder has more than %d files: the others are not listed", MAX_LISTED)
                    return
                listed += 1
                yield path
                continue
            if looked_at == MAX_LOOKED_AT:
                continue
            names, count = self._names(path, MAX_LOOKED_AT - looked_at)
            looked_at += count
            if looked_at == MAX_LOOKED_AT:
                log().warning("a folder has %d entries and more: some are not listed", MAX_LOOKED_AT)
            fitting = [f for f in (path + name for name in names) if f.startswith(prefix) or _leads_to(f, prefix)]
            pending.extend(sorted(fitting, reverse=True))

    def _names(self, directory: str, most: int) -> tuple[list[str], int]:
        """What is served of one directory, directories with a "/"; and how many entries were looked at."""
        names = []
        count = 0
        with suppress(NotServed, McpError), without_paths():
            with scanned(os.path.realpath(self.root), directory.split("/")[:-1]) as entries:
                for entry in islice(entries, most):
                    count += 1
                    if entry.name.startswith(".") or _NEVER.search(entry.name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        names.append(entry.name + "/")
                    elif entry.is_file(follow_symlinks=False) or self._links_to_file(directory, entry):
                        names.append(entry.name)
        return names, count

    def _links_to_file(self, directory: str, entry: os.DirEntry[str]) -> bool:
        if not entry.is_symlink():
            return False
        with suppress(NotServed, McpError):
            self.resolve(directory + entry.name)
            return True
        return False


def _segments(relative: str) -> list[str]:
    """The names in a path that a client gave. Raises NotServed for what leads elsewhere, by its looks."""
    if not isinstance(relative, str) or _NEVER.search(relative) or (os.name == "nt" and ":" in relative):
        raise NotServed
    parts = relative.split("/")
    if any(not part or part.startswith(".") for part in parts):  # "..", "." and hidden names
        raise NotServed
    return parts


def _leads_to(path: str, prefix: str) -> bool:
    return path.endswith("/") and prefix.startswith(path)


def iso_utc(seconds: float) -> str | None:
    """A time since 1970 in ISO 8601; None for one that no date has."""
    import datetime

    with suppress(ValueError, OverflowError, OSError):  # a year that a clock gone wrong has written
        return datetime.datetime.fromtimestamp(int(seconds), datetime.UTC).isoformat().replace("+00:00", "Z")
    return None
