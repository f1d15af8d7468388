"""A server at work in one event loop: its tasks, and what its lifespan yielded.

One server may have any number of these, in successive and parallel loops: nothing of a loop is kept on the server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from msgspec import Raw

from ..errors import INTERNAL_ERROR, McpError
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
        waiter = self.tasks.waiter()
        outcomes: list[Outcome] = []

        def end(call: Call, outcome: Outcome) -> None:
            outcomes.append(outcome)
            waiter.set()

        raw_meta = encode_json(meta or {})
        call = Call(
            self,
            NOWHERE,
            NOWHERE,
            end,
            NOBODY,
            tool,
            None,
            checked_arguments(encode_json(arguments)),
            b'{"_meta":%b}' % raw_meta,
            None,
        )
        self.tasks.start(run, call)
        try:
            await waiter.wait()
        except BaseException:
            call.abort("the caller was cancelled")
            self.tasks.cancel(call)
            raise
        outcome = outcomes[0]
        if outcome is None:
            raise McpError(INTERNAL_ERROR, f'The call of "{name}" was cancelled: the server is stopping')
        if isinstance(outcome, McpError):
            raise outcome
        plain: dict[str, Any] = decode_json(encode_json(outcome))
        return plain


@asynccontextmanager
async def open_runtime(app: App, server: Any) -> AsyncIterator[Runtime]:
    """Enter the lifespan and make a home for tasks; leaving ends the tasks first, then the lifespan."""
    key = loop_key()
    async with open_lifespan(app, server) as state, open_tasks() as tasks:
        runtime = Runtime(app, tasks, state)
        app.runtimes.setdefault(key, runtime)
        try:
            yield runtime
        finally:
            runtime.closed = True
            if app.runtimes.get(key) is runtime:
                del app.runtimes[key]


@asynccontextmanager
async def open_lifespan(app: App, server: Any) -> AsyncIterator[Any]:
    if app.options.lifespan is None:
        yield None
    else:
        async with app.options.lifespan(server) as state:
            yield state


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
