"""The second argument of `run`: what a handler may know and do besides returning a value.

One object, two types: `Context` for handlers in the loop, whose methods are awaited, and `SyncContext` for plain `def`
handlers in a worker thread, whose methods block. `progress` and `log` act at the call; awaiting them only waits while
the client is slow to read.
"""

from __future__ import annotations

from _thread import get_ident  # of threading, which costs more to import than this package's rooms
from collections.abc import Awaitable, Generator
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from ..errors import Aborted
from .signal import Signal

if TYPE_CHECKING:
    from threading import Event

    from .backend import Run
    from .dispatch import Call


class RequestInfo(Struct, frozen=True):
    """Who asks, and how: `ctx.request`."""

    id: int | str | None
    """The JSON-RPC id; None for `server.call`."""
    protocol_version: str
    """The revision the request is served at; "" for `server.call`."""
    client_info: dict[str, Any]
    """name, version and more, as the client says; {} if it doesn't. For display: it proves nothing."""
    client_capabilities: dict[str, Any]
    headers: dict[str, str]
    """The HTTP headers of this request, names in lower case; {} on other transports."""


class Room:
    """Given by `progress` and `log`, which have acted already: awaiting it waits until the client reads again."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    def __await__(self) -> Generator[Any, None, None]:
        if self._call.wire.full:
            yield from self._call.wire.room().__await__()


class Context:
    """The context of one call."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @property
    def signal(self) -> Signal:
        """Fires when the request is cancelled."""
        return self._call.signal

    @property
    def meta(self) -> dict[str, Any]:
        """The request's `_meta`, as the client sent it: tracing, progress token, its own keys. {} if it sent none."""
        return self._call.meta

    @property
    def state(self) -> Any:
        """What the server's `lifespan` yielded; None without one."""
        return self._call.home.state

    @property
    def request(self) -> RequestInfo:
        return self._call.request

    def can(self, capability: str) -> bool:
        """Whether the client declared a capability: "sampling", "elicitation", or a member, "elicitation.url"."""
        found: Any = self._call.caller.client_capabilities
        for key in capability.split("."):
            if not isinstance(found, dict) or key not in found:
                return False
            found = found[key]
        return True

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> Awaitable[None]:
        """Report progress, if the client asked for it. Values must rise: one that doesn't is left out, as is any after
        the answer. Raises ValueError for a number that is not finite.
        """
        return self._acted(self._call.progress, progress, total, message)

    def log(self, level: str, data: Any, logger: str | None = None) -> Awaitable[None]:
        """Send a log message to the client: `data` is any JSON value. It gets those at or above the level it set; at
        2026-07-28 none unless the request asked for them. Raises ValueError for an unknown level.
        """
        return self._acted(self._call.log, level, data, logger)

    def debug(self, data: Any, logger: str | None = None) -> Awaitable[None]:
        return self.log("debug", data, logger)

    def info(self, data: Any, logger: str | None = None) -> Awaitable[None]:
        return self.log("info", data, logger)

    def warning(self, data: Any, logger: str | None = None) -> Awaitable[None]:
        return self.log("warning", data, logger)

    def error(self, data: Any, logger: str | None = None) -> Awaitable[None]:
        return self.log("error", data, logger)

    def read(self, uri: str) -> Awaitable[list[dict[str, Any]]]:
        """Read a resource of this server: its contents, each with `uri`, `mimeType` and `text` or `blob` (base64).
        Raises ResourceNotFound, McpError if reading failed, TypeError for a URI that is no string. In a worker thread
        it blocks and gives the contents.
        """
        if not isinstance(uri, str):
            raise TypeError(f"ctx.read: the URI must be a string, not {type(uri).__name__}")
        call = self._call
        if get_ident() == call.home.tasks.thread:
            return _contents(call, uri)
        return _blocking(call, uri)  # type: ignore[return-value]  # what SyncContext promises

    def close_stream(self, retry_ms: int | None = None) -> Awaitable[None]:
        """End the HTTP connection that carries this call's messages; the call goes on, and what it sends is kept until
        the client comes back for it, `retry_ms` milliseconds later if that is given. For long calls that shall not hold
        a connection (MCP 2025-11-25, SEP-1699). On other revisions and transports it does nothing. Raises ValueError.
        """
        if retry_ms is not None and (not isinstance(retry_ms, int) or retry_ms < 0):
            raise ValueError(f"ctx.close_stream: retry_ms must be a number of milliseconds, not {retry_ms!r:.40}")
        call = self._call
        # Of all wires only a stream of the handshake era over HTTP has a connection apart from itself.
        close = getattr(call.wire, "close_connection", None)
        if close is not None:
            if get_ident() == call.home.tasks.thread:
                close(retry_ms)
            else:
                call.home.tasks.soon(close, retry_ms)
        return Room(call)

    def _acted(self, build: Any, *args: Any) -> Room:
        call = self._call
        message = build(*args)  # a wrong argument raises here, in the handler
        if get_ident() == call.home.tasks.thread:
            call.notify(message)
        else:
            call.home.tasks.soon(call.notify, message)
            if call.wire.full:
                _block_for_room(call)
        return Room(call)


LOOK = 1.0
"""Seconds between two looks whether the loop is still there: a thread of the author's may outlive it."""


def _block_for_room(call: Call) -> None:
    """In a worker thread: until the client has read what waits, or the request is over."""
    import threading

    event = threading.Event()

    async def wait(_: Any) -> None:
        try:
            await Room(call)
        finally:
            event.set()

    _wait(call, event, wait, _Started())


def _wait(call: Call, event: Event, run: Run, started: _Started) -> None:
    """Run something in the loop and wait for its event; no longer than the request, or the loop, lasts."""
    forget = call.signal.on_abort(event.set)
    call.home.tasks.soon(call.home.tasks.start, run, started)
    while not event.wait(LOOK) and not call.home.closed:
        pass
    forget()


async def _contents(call: Call, uri: str) -> list[dict[str, Any]]:
    contents: list[dict[str, Any]] = (await call.home.read_for(call, uri))["contents"]
    return contents


def _blocking(call: Call, uri: str) -> list[dict[str, Any]]:
    """In a worker thread: until it is read. Raises Aborted when the request is over before that."""
    import threading

    event = threading.Event()
    contents: list[list[dict[str, Any]]] = []
    failures: list[BaseException] = []

    async def read(_: Any) -> None:
        try:
            contents.append(await _contents(call, uri))
        except Exception as error:
            failures.append(error)
        finally:
            event.set()

    started = _Started()
    _wait(call, event, read, started)
    if failures:
        raise failures[0]
    if not contents:
        call.home.tasks.soon(call.home.tasks.cancel, started)
        call.signal.raise_if_aborted()
        raise Aborted("the server is stopping")
    return contents[0]


class _Started:
    """What Tasks keeps its handle of a task on."""

    __slots__ = ("handle",)

    def __init__(self) -> None:
        self.handle: Any = None


class SyncContext(Protocol):
    """`Context` as a plain `def` handler in a worker thread sees it: the same members, and nothing to await."""

    @property
    def signal(self) -> Signal: ...
    @property
    def meta(self) -> dict[str, Any]: ...
    @property
    def state(self) -> Any: ...
    @property
    def request(self) -> RequestInfo: ...
    def can(self, capability: str) -> bool: ...
    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> object: ...
    def log(self, level: str, data: Any, logger: str | None = None) -> object: ...
    def debug(self, data: Any, logger: str | None = None) -> object: ...
    def info(self, data: Any, logger: str | None = None) -> object: ...
    def warning(self, data: Any, logger: str | None = None) -> object: ...
    def error(self, data: Any, logger: str | None = None) -> object: ...
    def read(self, uri: str) -> list[dict[str, Any]]: ...
    def close_stream(self, retry_ms: int | None = None) -> object: ...


if TYPE_CHECKING:

    class AnyContext(Context, SyncContext):
        """Both at once, for checkers: what a handler of either kind can be called with."""

        def read(self, uri: str) -> Any: ...
