"""Taking stdin and stdout for the protocol, at the level of file descriptors.

While a claim is held, the client is reached only through two private descriptors, and everything else in the process
that believes it writes to stdout writes to stderr: print, C code, child processes, log handlers that kept the old
`sys.stdout`. (MCP 2025-11-25, basic/transports#stdio: "The server MUST NOT write anything to its stdout that is not a
valid MCP message".) Swapping `sys.stdout` would catch only the first of them.

Rules
- fd 0 and fd 1 are copied to descriptors that children don't inherit. fd 0 becomes the null device, so that neither
  `input()` nor a child can eat a message; fd 1 becomes a copy of fd 2, or the null device where fd 2 is closed.
- No flag of the descriptors is changed: O_NONBLOCK belongs to the open file, which the parent and others share.
- Text that waits in `sys.stdout`'s buffer is flushed after the diversion and once more before the end of it; neither
  may reach the client.
- `release` puts everything back, closed descriptors included. `sys.stdin` and `sys.stdout` are never closed.
- A process may be started with closed descriptors. Then their numbers go to whatever is opened first, an event loop's
  own descriptors perhaps, and what is found there is left alone. Python tells: `sys.__stdin__` is None.

Non-goals: text that a program already read ahead from `sys.stdin` before the claim, and C stdio's own buffer.
"""

from __future__ import annotations

import io
import os
import select
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType

from ...log import log

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_FIRST_PRIVATE = 3  # a private descriptor below it would be taken for a standard stream by C code and children

_lock = threading.Lock()
_active: Claim | None = None


def private_dup(fd: int) -> int:
    """A copy of `fd`, numbered 3 or higher and not inherited by children. Raises OSError if `fd` is not open."""
    if sys.platform == "win32":
        low: list[int] = []
        try:
            while (copy := os.dup(fd)) < _FIRST_PRIVATE:
                low.append(copy)
        finally:
            for number in low:
                os.close(number)
        msvcrt.setmode(copy, os.O_BINARY)  # text mode would turn LF into CRLF
        return copy
    else:  # noqa: RET505  mypy leaves out the other platform's branch only as an if or else
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FIRST_PRIVATE)


class Claim:
    """Stdin and stdout of the process, held for one protocol session at a time. Made by `claim_stdio`.

    `stdin` and `stdout` are the private descriptors, None where the descriptor was closed. Use it as a context manager
    or call `release`, which may be called twice.
    """

    def __init__(self) -> None:
        self._serving = False
        self._released = False
        self._line_buffered: io.TextIOWrapper | None = None
        self._inherited = [_is_inheritable(fd) for fd in (_STDIN, _STDOUT)]
        self._foreign = {
            fd
            for fd, stream in enumerate((sys.__stdin__, sys.__stdout__, sys.__stderr__))
            if stream is None and _is_open(fd)
        }
        self._stderr_was_open = _is_open(_STDERR)
        self.stdin = self._dup(_STDIN)
        self.stdout = self._dup(_STDOUT)
        try:
            if _STDIN not in self._foreign:
                _put_null(_STDIN)
            if not self._stderr_was_open:
                # Left free, the number would go to the next file opened here, and stderr's text with it.
                _put_null(_STDERR)
            if _STDOUT not in self._foreign:
                if _STDERR in self._foreign:
                    _put_null(_STDOUT)
                else:
                    os.dup2(_STDERR, _STDOUT)
        except BaseException:
            self._put_back()
            raise
        _flush_stdout()
        self._buffer_by_line()

    def __enter__(self) -> Claim:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.release()

    @contextmanager
    def serving(self) -> Iterator[Claim]:
        """Held by a server while it uses the descriptors. Raises RuntimeError if the claim is in use or released."""
        if self._released:
            raise RuntimeError("this claim on stdin and stdout was released; call claim_stdio() for a new one")
        if self._serving:
            raise RuntimeError("this claim on stdin and stdout is in use by another stdio server; wait for it to end")
        self._serving = True
        try:
            yield self
        finally:
            self._serving = False

    def release(self) -> None:
        """Puts the descriptors back as they were found."""
        global _active
        with _lock:
            if self._released:
                return
            self._released = True
            try:
                self._restore_buffering()
                _flush_stdout()
                self._put_back()
            finally:
                _active = None

    def _dup(self, fd: int) -> int | None:
        return private_dup(fd) if _is_open(fd) and fd not in self._foreign else None

    def _put_back(self) -> None:
        for target, kept, inheritable in zip(
            (_STDIN, _STDOUT), (self.stdin, self.stdout), self._inherited, strict=True
        ):
            if target in self._foreign:
                continue
            if kept is None:
                _close_if_open(target)
            else:
                os.dup2(kept, target, inheritable)
                os.close(kept)
        if not self._stderr_was_open:
            _close_if_open(_STDERR)

    def _buffer_by_line(self) -> None:
        # What a tool prints is a log line now: it should be seen when it is printed, not when 8 KiB have piled up.
        stream = sys.stdout
        if isinstance(stream, io.TextIOWrapper) and not stream.closed and not stream.line_buffering:
            with suppress(OSError, ValueError):  # stderr is gone: a convenience must not stop the server
                stream.reconfigure(line_buffering=True)
                self._line_buffered = stream

    def _restore_buffering(self) -> None:
        if self._line_buffered is not None and not self._line_buffered.closed:
            with suppress(OSError, ValueError):
                self._line_buffered.reconfigure(line_buffering=False)


def claim_stdio() -> Claim:
    """Takes stdin and stdout of this process for the protocol, from this call until `release`.

    A program that imports foreign code before it serves claims first, so that what the import prints stays off the
    wire, and hands the claim to `serve_stdio`. Raises RuntimeError while another claim is held.
    """
    global _active
    with _lock:
        if _active is not None:
            raise RuntimeError(
                "stdin and stdout already belong to a stdio server in this process; "
                "let that one end first, or serve this one over HTTP"
            )
        _active = Claim()
        return _active


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _is_inheritable(fd: int) -> bool:
    try:
        return os.get_inheritable(fd)
    except OSError:
        return True


def _close_if_open(fd: int) -> None:
    with suppress(OSError):  # a handler may have closed it
        os.close(fd)


def _put_null(target: int) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    if null == target:  # the lowest free number was the closed descriptor itself
        os.set_inheritable(null, True)
        return
    try:
        os.dup2(null, target)
    finally:
        os.close(null)


def _flush_stdout() -> None:
    """Empties the buffers of `sys.stdout` into the diverted fd 1; drops the text if stderr can't take it."""
    for stream in {id(stream): stream for stream in (sys.stdout, sys.__stdout__)}.values():
        if stream is None or getattr(stream, "closed", False):
            continue
        if not _takes_text(_STDOUT):
            _put_null(_STDOUT)
        try:
            stream.flush()
        except OSError:
            # Text left in the buffer would be written later, and then to the client.
            _put_null(_STDOUT)
            with suppress(OSError):
                stream.flush()
        except Exception:  # any object may stand in for sys.stdout; a broken one must not stop the server
            log().warning("sys.stdout could not be flushed", exc_info=True)


def _takes_text(fd: int) -> bool:
    """Whether a write would go through: a parent that never reads stderr must not hold the end of the process."""
    if sys.platform == "win32":
        return True
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(0))  # any event: a broken stream is seen by writing to it
