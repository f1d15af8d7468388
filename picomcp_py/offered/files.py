"""Opening and reading files that clients get: regular files only, of a bounded size, without waiting for anybody.

A directory, FIFO, socket or device is as good as not there, and opening one never waits. A client learns no real path
and not why a file isn't served: `NotServed` has no text. All of it waits for the disk: call it in worker threads.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from ..errors import INTERNAL_ERROR, McpError
from ..log import log

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Of one file: it is held in memory four times over until its base64 in a reply has gone."""

OPENS_FROM_DIRECTORY = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd and os.scandir in os.supports_fd

_ABSENT = {
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EACCES,
    errno.EPERM,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.EINVAL,
    errno.ENXIO,
}
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | _NO_LINK


class NotServed(Exception):
    """There is no such file for clients."""


# ---- one file ----


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file, open for reading; links are followed. Raises NotServed, or McpError for a broken disk."""
    with without_paths():
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a device may do something
            raise NotServed
        return _regular(os.open(path, _READ))


def read_file(path: str | os.PathLike[str]) -> bytes:
    """All of a file. Raises as `open_file`, and McpError for more than MAX_FILE_BYTES."""
    with open_file(path) as file:
        return read_open(file)


def _regular(fd: int) -> BinaryIO:
    """The file of an open descriptor, which is closed if it is of another kind."""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise NotServed
        return os.fdopen(fd, "rb")
    except BaseException:
        os.close(fd)
        raise


def read_open(file: BinaryIO) -> bytes:
    """All of an open file. Raises McpError for more than MAX_FILE_BYTES."""
    with without_paths():
        size = os.fstat(file.fileno()).st_size
        data = b""
        if size <= MAX_FILE_BYTES:
            data = file.read(size + 1)
            if len(data) > size:  # it grows, or is one of those of the kernel, which have no size
                data += file.read(MAX_FILE_BYTES + 1 - len(data))
                size = len(data)
        if size > MAX_FILE_BYTES:
            limit = f"{MAX_FILE_BYTES} ({MAX_FILE_BYTES // 1024**2} MiB)"
            raise McpError(INTERNAL_ERROR, f"The file is too large: at least {size} bytes, at most {limit} are served")
    return data


@contextmanager
def without_paths() -> Iterator[None]:
    """The system's errors in words that name no path."""
    try:
        yield
    except OSError as error:
        if error.errno in _ABSENT:
            log().debug("a file that is not served: %s", error)
            raise NotServed from None
        log().error("a file could not be read", exc_info=error)
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        raise McpError(INTERNAL_ERROR, f"The file could not be read: {reason}") from None
    except ValueError as error:  # a name that the system can't have
        log().debug("a file that is not served: %s", error)
        raise NotServed from None


# ---- opening what was checked ----


def open_from_directory(root: str, parts: list[str]) -> BinaryIO:
    """The file at the end of `parts`, none of which may be a link. Raises OSError and NotServed."""
    with _directory(root, parts[:-1]) as fd:
        if not stat.S_ISREG(os.stat(parts[-1], dir_fd=fd, follow_symlinks=False).st_mode):
            raise NotServed
        return _regular(os.open(parts[-1], _READ | _NO_LINK, dir_fd=fd))


def open_and_compare(root: str, parts: list[str]) -> BinaryIO:
    """The same where directories can't be opened: afterwards the path must still lead there, and without a link."""
    path = os.path.join(root, *parts)
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise NotServed
    file = _regular(os.open(path, _READ))
    try:
        if os.path.realpath(path, strict=True) != path or not os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
            raise NotServed
    except BaseException:
        file.close()
        raise
    return file


@contextmanager
def _directory(root: str, parts: list[str], last: int = _DIRECTORY) -> Iterator[int]:
    """A descriptor of the directory at the end of `parts`, opened with the flags `last`."""
    fd = os.open(root, _DIRECTORY if parts else last)
    try:
        for index, part in enumerate(parts):
            inner = os.open(part, last if index == len(parts) - 1 else _DIRECTORY, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd
    finally:
        os.close(fd)


@contextmanager
def scanned(root: str, parts: list[str]) -> Iterator[Iterator[os.DirEntry[str]]]:
    """The entries of the directory at the end of `parts`, none of which may be a link. Raises OSError."""
    if not OPENS_FROM_DIRECTORY:
        with os.scandir(os.path.join(root, *parts)) as entries:
            yield entries
        return
    with _directory(root, parts, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK) as fd, os.scandir(fd) as entries:
        yield entries
