"""A server at work in one event loop: its tasks, and what its lifespan yielded.

One server may have any number of these, in successive and parallel loops: nothing of a loop is kept on the server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

from msgspec import Raw

from ..bus import Change
from ..errors import INTERNAL_ERROR, ConfigError, McpError, sentence
from ..jsonrpc import Message
from ..jsontext import decode_json, encode_json
from ..offered.app import App
from ..offered.job import Errand, Job
from ..offered.result import CallResult
from ..protocol.shaping import Stamp
from .backend import Tasks, loop_key, open_tasks
from .changes import Hub
from .dispatch import MAX_NESTED, Call, InnerCall, Outcome, checked_arguments, run
from .pages import Pages

_NO_MESSAGE = Message("2.0")


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
        self.at_end: list[Callable[[], object]] = []
        """What is called when it closes."""
        self.hub = Hub(tasks)
        self.pages = Pages(self)

    def hear(self, change: Change) -> None:
        """From the bus, in any thread."""
        self.tasks.soon(self.hub.tell, change)

    # ------------------------------------------------------------ in process

    async def call(self, name: str, arguments: Any, meta: dict[str, Any] | None) -> dict[str, Any]:
        """Run a tool as a client's call would. Raises McpError; gives the plain result."""
        return await self._ask(self.app.tool(name), arguments, meta)

    async def get_prompt(self, name: str, arguments: Any, meta: dict[str, Any] | None) -> dict[str, Any]:
        """The same of prompts/get."""
        return await self._ask(self.app.prompt(name).getting(), arguments, meta)

    async def read(self, uri: str, meta: dict[str, Any] | None = None) -> dict[str, Any]:
        """The same of resources/read."""
        return await self._ask(self.reading(uri), {}, meta)

    async def read_for(self, call: Call, uri: str) -> dict[str, Any]:
        """A resource for the handler of a call, on behalf of the same client."""
        job = self.reading(uri)
        if call.depth == MAX_NESTED:
            text = f"{MAX_NESTED} handlers wait for one another's resources: does one read its own?"
            raise McpError(INTERNAL_ERROR, f"{sentence(job.label)} can't be read from here: {text}")
        return _plain(await self.perform(job, outer=call))

    def reading(self, uri: str) -> Errand:
        """The job that reads a resource. Raises ResourceNotFound."""
        entry, params = self.app.find(uri)
        job: Errand = entry.reading(uri, params, self.stamp.hints("read"))
        return job

    async def _ask(self, job: Job, arguments: Any, meta: dict[str, Any] | None) -> dict[str, Any]:
        raw = checked_arguments(encode_json(arguments), job.label)
        message = Message("2.0", params=Raw(b'{"_meta":%b}' % encode_json(meta or {})))
        return _plain(await self.perform(job, raw, message))

    async def perform(
        self, job: Job, arguments: bytes = b"{}", message: Message = _NO_MESSAGE, *, outer: Call | None = None
    ) -> CallResult | dict[str, Any]:
        """Run a job that no client has asked for, in a task of its own. Raises McpError. `outer`: the call whose
        handler waits for it, if one does.
        """
        waiter = self.tasks.waiter()
        outcomes: list[Outcome] = []

        def end(call: Call, outcome: Outcome) -> None:
            outcomes.append(outcome)
            waiter.set()

        if outer is not None:
            call: Call = InnerCall(outer, self, NOWHERE, end, job, arguments)
        else:
            call = Call(self, NOWHERE, NOWHERE, end, NOBODY, job, None, arguments, message, None)
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
            raise McpError(INTERNAL_ERROR, f"{sentence(job.label)} was cancelled: the server is stopping")
        if isinstance(outcome, McpError):
            raise outcome
        return outcome


def _plain(outcome: CallResult | dict[str, Any]) -> dict[str, Any]:
    """A result as it would come out of its JSON."""
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
        unsubscribe = app.bus.subscribe(runtime.hear)  # before the app knows it: somebody else's bus may fail
        if shared:
            app.runtimes.setdefault(runtime.key, runtime)
        app.at_work.add(runtime)
        try:
            yield runtime
        finally:
            runtime.closed = True
            runtime.hub.close()
            for close in runtime.at_end:
                close()
            unsubscribe()
            app.at_work.discard(runtime)
            if app.runtimes.get(runtime.key) is runtime:
                del app.runtimes[runtime.key]


LIFESPAN_FAILED = "raised by the server's own lifespan at its start"


@asynccontextmanager
async def open_lifespan(app: App, server: Any) -> AsyncIterator[Any]:
    if app.options.lifespan is None:
        yield None
        return
    token = _entering.set(app)
    try:
        lifespan = app.options.lifespan(server)
        state = await lifespan.__aenter__()
    except Exception as error:
        error.add_note(LIFESPAN_FAILED)  # whoever reads the traceback knows whose code it was
        raise
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
