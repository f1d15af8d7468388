"""What a handler's exception is to the client: a text to act on. The traceback goes to the log only.

Nothing here may fail: the exception is somebody else's object, whose `str` may raise, and so may a log handler.
"""

from __future__ import annotations

from ..errors import McpError, ToolError, sentence
from ..log import log
from ..offered.job import Job, Outcome

MAX_TOLD = 20
"""Exceptions of one group that are told."""


def failed(job: Job, error: BaseException, *, masked: bool, expected: bool) -> Outcome:
    """The outcome of a call whose handler raised. `expected`: the call was cancelled, so that nothing is logged."""
    try:
        error = single(error)
        if isinstance(error, McpError):
            return error
        if isinstance(error, ToolError):
            log().debug("%s: a tool error", job.label, exc_info=error)
            return job.fail(describe(error))
        if not expected:
            log().error("%s failed", job.label, exc_info=error)
    except Exception:
        pass  # the log's own fault, or the exception's: the answer is owed all the same
    if masked and not isinstance(error, ToolError):
        return job.fail(f"{sentence(job.label)} failed. The reason is in the server's log.")
    return job.fail(describe(error))


def describe(error: BaseException) -> str:
    """An exception's message; its type if it has none or one that says nothing without it."""
    if not isinstance(error, BaseExceptionGroup):
        return _describe_one(error)
    told: list[str] = []
    groups: list[BaseException] = [error]
    while groups and len(told) < MAX_TOLD:
        first = groups.pop()
        if isinstance(first, BaseExceptionGroup):
            groups.extend(reversed(first.exceptions))
        else:
            told.append(_describe_one(first))
    return "\n".join(told)


def _describe_one(error: BaseException) -> str:
    kind = type(error).__name__
    try:
        text = str(error)
        empty = not text.strip()
    except Exception:
        return kind
    if isinstance(error, KeyError | SystemExit) or empty:
        return kind if empty else f"{kind}: {text}"
    return text


def single(error: BaseException) -> BaseException:
    """What a TaskGroup wrapped, if it is one exception."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
