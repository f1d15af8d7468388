"""Exit codes, and every failure as one text for people: what is wrong, where, what to do.

0    it worked
1    the tool was called and reports an error
2    the command line, or the file that it names, can't be used
3    the server can't be reached, ended, or answered with a protocol error
70   a fault of picomcp-py itself
130  interrupted (Ctrl-C)
141  the program that reads the output has ended
"""

from __future__ import annotations

from ..client import BadAnswer
from ..errors import ConfigError, McpError
from ..running.runtime import LIFESPAN_FAILED

OK = 0
TOOL_ERROR = 1
USAGE = 2
CONNECTION = 3
INTERNAL = 70
INTERRUPTED = 130
OUTPUT_CLOSED = 141


class Fault(Exception):
    """What was asked for can't be done; the text is for people."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


def describe(error: BaseException) -> tuple[str, int]:
    """The text and the exit code of a failure."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", INTERRUPTED
    if isinstance(error, Fault):
        return str(error), error.code
    if isinstance(error, ConfigError):
        return str(error), USAGE
    if isinstance(error, McpError):
        data = "" if error.data is None else f"\ndata: {error.data!r:.500}"
        return f"the server answered with an error: {error}{data}", CONNECTION
    if isinstance(error, TimeoutError):
        return f"{error}. Use --timeout for more seconds", CONNECTION
    if isinstance(error, ConnectionError | BadAnswer):
        return str(error), CONNECTION
    if LIFESPAN_FAILED in getattr(error, "__notes__", ()):
        return f"{type(error).__name__}: {error} ({LIFESPAN_FAILED}; --debug shows where)", CONNECTION
    text = f"{type(error).__name__}: {error} (a fault of picomcp-py; --debug shows where)"
    return text, INTERNAL
