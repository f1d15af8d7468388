"""What failed between a client and a server's URL, in words: what happened, to which request, what to do."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import httpx2

from ...errors import McpError
from ...jsontext import decode_json
from ..errors import BadAnswer, HttpError, ServerUnavailable, SessionLost
from ..negotiate import DENIED

Failure = Callable[[str], Exception]
"""method -> the exception that ends a request of it."""

SHOWN = 200


def shown_url(url: httpx2.URL) -> str:
    """The URL for people: without credentials, and without a query, which may hold some."""
    return str(url.copy_with(userinfo=b"", query=None, fragment=None))


def unreachable(url: str, error: Exception) -> Failure:
    """There was no connection, or it broke before the whole request was sent."""
    why = _reason(error)
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return lambda method: ServerUnavailable(f"The server at {url} can't be reached ({why}); {method} was not sent")
    return lambda method: ServerUnavailable(
        f"The connection to {url} broke while {method} was sent ({why}), as it does when a request is longer than "
        "the server takes"
    )


def broken(url: str, error: Exception) -> Failure:
    """The connection broke after the request was sent."""
    why = _reason(error)
    return lambda method: ServerUnavailable(
        f"The connection to {url} broke before {method} was answered ({why}); whether it was carried out is not known"
    )


def cut_off(url: str) -> Failure:
    """The stream ended without the answer."""
    return lambda method: ServerUnavailable(
        f"The server at {url} ended its stream before {method} was answered; whether it was carried out is not known"
    )


def too_long(limit: int) -> Failure:
    return lambda method: BadAnswer(
        f"The answer to {method} is longer than {limit} bytes: raise max_message_bytes, or ask for less"
    )


def no_answer(url: str, status: int, kind: str) -> Failure:
    """Success, but without an answer in it."""
    got = f"{status} with {kind[:60]!r}" if kind else f"{status} without content"
    return lambda method: BadAnswer(
        f"The server at {url} answered {method} with {got}, which holds no answer: is this an MCP endpoint?"
    )


def no_stream(url: str, status: int | None = None) -> Failure:
    """Nothing can come from a server in the handshake era but answers."""
    if status is None:
        return lambda method: ServerUnavailable(f"The stream of {url} that changes come on breaks again and again")
    return lambda method: HttpError(
        f"The server at {url} has no stream that changes could come on: it answered GET with {_named(status)}", status
    )


def session_lost(url: str) -> Failure:
    return lambda method: SessionLost(
        f"The server at {url} no longer knows this client's session (404), so {method} has no answer: connect anew"
    )


def refused(url: str, status: int, body: bytes, location: str | None) -> Failure:
    """A status that is no success: the error in its body if it has one, else the status."""
    error = _error_in(body)
    if error is not None and status not in DENIED:
        return lambda method: error
    said = error.message if error is not None else _excerpt(body)
    tail = f" ({said})" if said else ""
    return lambda method: HttpError(
        f"The server at {url} answered {method} with {_named(status)}{tail}{_hint(status, location)}", status
    )


def _hint(status: int, location: str | None) -> str:
    if location is not None and 300 <= status < 400:
        return f". Redirects are not followed: use that URL if it is the server meant: {location[:SHOWN]}"
    if status == 401:
        return ': give credentials, such as headers={"Authorization": "Bearer ..."}'
    if status in (404, 405):
        return ": is this the URL of an MCP endpoint? It often ends in /mcp"
    return ""


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _error_in(body: bytes) -> McpError | None:
    """The JSON-RPC error in a body, whatever its id: it answers the request that it is the response to."""
    try:
        value: Any = decode_json(body)
    except ValueError:
        return None
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return None
    code, message = error.get("code"), error.get("message")
    if isinstance(code, bool) or not isinstance(code, int) or not isinstance(message, str):
        return None
    return McpError(code, message, error.get("data"))


def _excerpt(body: bytes) -> str:
    text = " ".join(body[: 4 * SHOWN].decode("utf-8", "replace").split())
    return "" if text.startswith("<") else ascii(text[:SHOWN])[1:-1]  # of a web page nothing


def _reason(error: BaseException) -> str:
    """The system's own words, which HTTP libraries wrap."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, BaseExceptionGroup):
            inner = inner.exceptions[0]
            continue
        if isinstance(inner, socket.gaierror):
            return f"{inner.strerror}"
        if isinstance(inner, OSError) and inner.errno:
            return os.strerror(inner.errno)
        inner = inner.__cause__ or inner.__context__
    return str(error) or type(error).__name__
