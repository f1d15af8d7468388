"""Which way of writing to stdout keeps every reply whole and never stops the event loop.

O_NONBLOCK is never set on the descriptor that was found: it belongs to the open file, so stderr, the terminal and the
parent would have it too, also after the end. So on Linux a pipe, FIFO or terminal is opened anew through /proc, a
socket is sent to with MSG_DONTWAIT, and a regular file is written plainly (opened anew it would be overwritten from its
start). Elsewhere, or where opening is refused, a daemon thread does the writing and may block.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from .claim import private_dup
from .loop import Loop
from .reader import Way
from .wire import Wire
from .wire_loop import LoopWire
from .wire_thread import ThreadWire

_PTY_MAJORS = range(136, 144)  # Linux, Documentation/admin-guide/devices.txt: Unix98 PTY slaves


def open_wire(
    loop: Loop, fd: int, *, lost: Callable[[str], None], below: Callable[[], None], way: Way = "auto"
) -> Wire:
    """The best way of writing to `fd`. `lost(reason)` and `below()` are called in the loop."""
    if way == "auto":
        if _never_blocks(fd):
            return LoopWire(loop, fd, partial(_write_all, fd), lost, below)
        if sys.platform == "linux":
            with suppress(OSError):  # EACCES after setuid, ENXIO when nobody reads any more
                return _open_nonblocking(loop, fd, lost, below)
    return ThreadWire(loop, fd, lost, below)


def _never_blocks(fd: int) -> bool:
    if sys.platform == "win32":
        return False
    found = os.fstat(fd)
    return stat.S_ISREG(found.st_mode) or os.path.samestat(found, os.stat(os.devnull))


def _write_all(fd: int, data: bytes | memoryview) -> int:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]
    return len(data)


def _open_nonblocking(loop: Loop, fd: int, lost: Callable[[str], None], below: Callable[[], None]) -> Wire:
    """Raises OSError if there is no way."""
    if sys.platform != "linux":
        raise OSError(errno.ENOTSUP, "the kernel has no such way")
    found = os.fstat(fd)
    if stat.S_ISSOCK(found.st_mode):
        stream = _stream_socket(fd)
        return LoopWire(
            loop, stream.fileno(), lambda data: stream.send(data, socket.MSG_DONTWAIT), lost, below, stream.close
        )
    # Of the terminals only these: opening a pty's master anew would make another pty.
    is_pty = stat.S_ISCHR(found.st_mode) and os.major(found.st_rdev) in _PTY_MAJORS
    if not stat.S_ISFIFO(found.st_mode) and not is_pty:
        raise OSError(errno.ENOTSUP, "not a pipe, socket or pseudo-terminal")
    opened = os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    return LoopWire(loop, opened, partial(os.write, opened), lost, below, partial(os.close, opened))


def _stream_socket(fd: int) -> socket.socket:
    if sys.platform != "linux":
        raise OSError(errno.ENOTSUP, "the kernel has no such way")
    blocking = os.get_blocking(fd)
    stream = socket.socket(fileno=private_dup(fd))
    try:
        # With socket.setdefaulttimeout, send would wait, and the open file be non-blocking.
        if stream.gettimeout() is not None:
            stream.settimeout(None)
        if os.get_blocking(fd) != blocking:
            os.set_blocking(fd, blocking)
        if stream.type != socket.SOCK_STREAM:
            raise OSError(errno.ENOTSUP, "not a stream socket")
    except BaseException:
        stream.close()
        raise
    return stream
