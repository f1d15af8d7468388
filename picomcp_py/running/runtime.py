"""A server at work in one event loop: its tasks, and what its lifespan yielded.

One server may have any number of these, in successive and parallel loops: nothing of a loop is kept on the server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

from msgspec import Raw

from ..errors import INTERNAL_ERROR, ConfigError, McpError
from ..jsontext import decode_json, encode_json
from ..offered.app import App
from ..protocol.shaping import Stamp, tool_entry
from ..revisions import STATELESS
from .backend import Tasks, loop_key, open_tasks
from .dispatch import Call, Outcome, checked_arguments, run


class Runtime:
    """An App in one event loop."""

    def __init__(self, app: App, tasks: Tasks, state: Any) -> None:
        self.app = app
        self.stamp = Stamp(app.options)
        self.tasks = tasks
        self.state = state
        self.mask_errors = app.options.mask_errors
        self.key = loop_key()
        self.closed = False

    def tools_page(self, revision: str, cursor: str | None) -> Raw:
        """The ListToolsResult of one page, encoded once until the tools change. McpError for a bad cursor."""
        return self.app.tools.keep((revision, cursor), lambda: self._tools_page(revision, cursor))

    def _tools_page(self, revision: str, cursor: str | None) -> Raw:
        page, following = self.app.tools.page(cursor, self.app.options.page_size)
        result: dict[str, Any] = {"tools": [tool_entry(tool.entry, revision, tool.wraps) for tool in page]}
        if following is not None:
            result["nextCursor"] = following
        return Raw(encode_json(self.stamp.on_list(result) if revision in STATELESS else result))

    async def call(self, name: str, arguments: Any, meta: dict[str, Any] | None) -> dict[str, Any]:
        """Run a tool as a client's call would, in a task of its own. Raises McpError; gives the plain result."""
        tool = self.app.tool(name)
        raw = checked_arguments(encode_json(arguments))
        params = b'{"_meta":%b}' % encode_json(meta or {})
        waiter = self.tasks.waiter()
        outcomes: list[Outcome] = []

        def end(call: Call, outcome: Outcome) -> None:
            outcomes.append(outcome)
            waiter.set()

        call = Call(self, NOWHERE, NOWHERE, end, NOBODY, tool, None, raw, params, None)
        token = _inside.set(self)  # calls that the handler makes belong to this runtime, too
        try:
            self.tasks.start(run, call)
        finally:
            _inside.reset(token)
        try:
            await waiter.wait()
        except BaseException:
            call.mark("the caller was cancelled")
            self.tasks.cancel(call)
            call.fire()
            raise
        outcome = outcomes[0]
        if outcome is None:
            raise McpError(INTERNAL_ERROR, f'The call of "{name}" was cancelled: the server is stopping')
        if isinstance(outcome, McpError):
            raise outcome
        plain: dict[str, Any] = decode_json(encode_json(outcome))
        return plain


_inside: ContextVar[Runtime] = ContextVar("picomcp_py runtime")
_entering: ContextVar[App] = ContextVar("picomcp_py lifespan")


def open_here(app: App) -> Runtime | None:
    """The Runtime of an App that a call in process belongs to: the one it is called from, or this loop's.

    Raises ConfigError inside of the App's own lifespan, which hasn't started yet.
    """
    key = loop_key()
    inside = _inside.get(None)
    if inside is not None and inside.app is app and inside.key == key and not inside.closed:
        return inside
    if _entering.get(None) is app:
        raise ConfigError("server.call() in the server's own lifespan: its tools are not there before it has started")
    return app.runtimes.get(key)


@asynccontextmanager
async def open_runtime(app: App, server: Any, *, shared: bool = True) -> AsyncIterator[Runtime]:
    """Enter the lifespan and make a home for tasks; leaving ends the tasks first, then the lifespan.

    `shared`: calls in process in the same loop are part of it.
    """
    async with open_lifespan(app, server) as state, open_tasks() as tasks:
        runtime = Runtime(app, tasks, state)
        if shared:
            app.runtimes.setdefault(runtime.key, runtime)
        try:
            yield runtime
        finally:
            runtime.closed = True
            if app.runtimes.get(runtime.key) is runtime:
                del app.runtimes[runtime.key]


@asynccontextmanager
async def open_lifespan(app: App, server: Any) -> AsyncIterator[Any]:
    if app.options.lifespan is None:
        yield None
        return
    token = _entering.set(app)
    try:
        lifespan = app.options.lifespan(server)
        state = await lifespan.__aenter__()
    finally:
        _entering.reset(token)
    try:
        yield state
    except BaseException as error:
        if not await lifespan.__aexit__(type(error), error, error.__traceback__):
            raise
    else:
        await lifespan.__aexit__(None, None, None)


class _Nowhere:
    """The wire of calls in process: there is nobody to notify."""

    full = False
    request_headers: Mapping[bytes, bytes] = {}

    def send(self, data: bytes) -> None:
        pass

    answer = send

    def skip(self) -> None:
        pass

    async def room(self) -> None:
        pass


class _Nobody:
    """The caller of calls in process."""

    revision = ""
    log_level = None
    client_info: dict[str, Any] = {}
    client_capabilities: dict[str, Any] = {}


NOWHERE = _Nowhere()
NOBODY = _Nobody()
