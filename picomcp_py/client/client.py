"""`Client`: the requests a client makes, as methods. What each era makes of them is in `eras` and `negotiate`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import TYPE_CHECKING, Any

import anyio

from ..errors import HEADER_MISMATCH, METHOD_NOT_FOUND, McpError
from ..transports.stdio import MAX_LINE
from .changes import Changes, Kind
from .channel import Channel, Link, OnProgress
from .eras import Agreement, Self, check_complete, check_level
from .groups import background
from .listening import Listening
from .negotiate import check_revision, negotiate
from .notices import Notices, OnLog, OnMessage
from .pages import all_pages
from .result import (
    CompletionResult,
    PromptResult,
    ReadResult,
    ToolResult,
    read_completion,
    read_prompt_result,
    read_resource_result,
    read_tool_result,
)
from .target import TargetOptions, check_target, open_target

if TYPE_CHECKING:
    from ..server import Server

SETTLE = 1.0
"""Seconds for async callbacks still under way when the client is left."""


class Client:
    """A client of one server: `async with Client(target) as client:`, on asyncio or trio.

    `target`: a Server (served in memory, in this loop); a command as a list of words; the path of a Python file, run by
    this Python; or the URL of a server on Streamable HTTP. A program is spoken to over stdin and stdout.

    - `revision`: None finds out what the server speaks; "2026-07-28" or an older one is insisted on.
    - `info`, `capabilities`: what the client says of itself; by default no capabilities.
    - `on_log(level, data, logger)`: log messages; `on_message(method, params)`: other notifications that belong to no
      request. Plain functions run as a notification arrives, async ones soon after, in order.
    - `log_level`: the least level of log messages to ask the server for.
    - `timeout`: seconds for each request that says nothing else, and for the start; None is no limit.
    - `cwd`, `env`: for a program. `env` is added to a few harmless variables of this process (see `safe_environment`).
    - `stderr`: "inherit" shows what a program writes there, "capture" keeps the end of it for error messages.
    - `headers`: for a URL, with every request: `{"Authorization": "Bearer ..."}`. Needs the extra `client`.
    - `max_message_bytes`: the longest message taken from a program or a URL.

    The constructor raises ConfigError; entering raises ServerUnavailable, BadAnswer, McpError or TimeoutError when
    there is no agreement with the server. Leaving ends the program: 2 s after its stdin is closed it is terminated; at
    a URL it ends the session.
    """

    def __init__(
        self,
        target: Server | str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        revision: str | None = None,
        info: Mapping[str, Any] | None = None,
        capabilities: Mapping[str, Any] | None = None,
        on_log: OnLog | None = None,
        on_message: OnMessage | None = None,
        log_level: str | None = None,
        timeout: float | None = None,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        stderr: str = "inherit",
        headers: Mapping[str, str] | None = None,
        max_message_bytes: int = MAX_LINE,
    ) -> None:
        check_revision(revision)
        self._target = target
        self._options = TargetOptions(
            cwd=cwd, env=env, stderr=stderr, headers=headers, max_message_bytes=max_message_bytes
        )
        check_target(target, self._options)
        if log_level is not None:
            check_level(log_level)
        self._me = Self(dict(info or _default_info()), dict(capabilities or {}), log_level)
        self._wanted = revision
        self._timeout = timeout
        self._callbacks = (on_log, on_message)
        self._stack: AsyncExitStack | None = None
        self._notices: Notices | None = None
        self._channel: Channel | None = None
        self._link: Link | None = None
        self._agreement: Agreement | None = None
        self._listening = Listening()

    async def __aenter__(self) -> Client:
        if self._stack is not None:
            raise RuntimeError("This client is in use already: make another one")
        stack = self._stack = AsyncExitStack()
        try:
            notices = self._notices = Notices(*self._callbacks)
            stack.callback(notices.close)
            channel = self._channel = Channel(notices)
            group = await stack.enter_async_context(background())
            self._link = await stack.enter_async_context(open_target(self._target, channel, self._options))
            channel.connect(self._link)
            stack.callback(channel.leave)
            group.start_soon(notices.run)
            await self._start(channel)
        except BaseException as error:
            self._stack = None
            await stack.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def _start(self, channel: Channel) -> None:
        with anyio.move_on_after(self._timeout) as scope:
            self._agreement = await negotiate(channel, self._me, self._wanted)
            # A server without `logging` has no such method, and nothing to send.
            if self._me.log_level and not self._agreement.stateless and "logging" in self._agreement.capabilities:
                await self._set_level_of_session(self._me.log_level)
        if scope.cancelled_caught:
            raise TimeoutError(f"The server did not agree on a protocol revision in {self._timeout:g} s")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        stack, self._stack = self._stack, None
        if stack is None or self._notices is None:
            return
        try:
            if kind is None:
                with anyio.move_on_after(SETTLE):
                    await self._notices.settled()
        finally:
            await stack.__aexit__(kind, error, tb)

    # ------------------------------------------------------------ what was agreed on

    @property
    def revision(self) -> str:
        """The protocol revision in use."""
        return self._agreed.revision

    @property
    def server_info(self) -> dict[str, Any]:
        """The server's `name`, `version`, ...; {} if it didn't say."""
        return self._agreed.server_info

    @property
    def capabilities(self) -> dict[str, Any]:
        """The server's capabilities."""
        return self._agreed.capabilities

    @property
    def instructions(self) -> str | None:
        """How to use the server, for the model."""
        return self._agreed.instructions

    @property
    def noise(self) -> int:
        """Lines on the server's stdout that were no message: each is logged."""
        return self._channel.noise if self._channel is not None else 0

    # ------------------------------------------------------------ requests

    async def list_tools(self, *, timeout: float | None = None) -> list[dict[str, Any]]:
        """All tools, from all pages, as the server describes them; [] if it declares no `tools`."""
        tools = await self._list("tools", "tools/list", "tools", timeout)
        return self._link.keep_tools(tools) if self._link is not None else tools

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        meta: Mapping[str, Any] | None = None,
        on_progress: OnProgress | None = None,
        timeout: float | None = None,
    ) -> ToolResult:
        """Call a tool. A tool's own error is a result with `is_error`; McpError says that the call itself was wrong.

        `on_progress(progress, total, message)`, plain or async, runs in this task, before the result is returned;
        `total` and `message` may be None. What it raises ends the call. `meta` is sent as `_meta`. `timeout` is in
        seconds. When it runs out, or the waiting task is cancelled, the server is told to cancel the call.
        """
        params: dict[str, Any] = {"name": name, "arguments": {} if arguments is None else arguments}
        if meta:
            params["_meta"] = dict(meta)
        try:
            result = await self._complete("tools/call", params, on_progress=on_progress, timeout=timeout)
        except McpError as error:
            if error.code != HEADER_MISMATCH or self._link is None or self._link.knows_tool(name):
                raise
            # Nothing ran: the tool wants arguments repeated in headers, and only its listing says which.
            await self.list_tools(timeout=timeout)
            result = await self._complete("tools/call", params, on_progress=on_progress, timeout=timeout)
        return read_tool_result(name, result)

    async def list_resources(self, *, timeout: float | None = None) -> list[dict[str, Any]]:
        """All resources, from all pages, as the server describes them; [] if it declares no `resources`."""
        return await self._list("resources", "resources/list", "resources", timeout)

    async def list_resource_templates(self, *, timeout: float | None = None) -> list[dict[str, Any]]:
        """All templates of resources, as `list_resources`; [] too if the server has resources but no such method."""
        try:
            return await self._list("resources", "resources/templates/list", "resourceTemplates", timeout)
        except McpError as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            return []

    async def read_resource(self, uri: str, *, timeout: float | None = None) -> ReadResult:
        """What a resource holds. Raises McpError if the server has none of that URI."""
        return read_resource_result(uri, await self._complete("resources/read", {"uri": uri}, timeout=timeout))

    async def list_prompts(self, *, timeout: float | None = None) -> list[dict[str, Any]]:
        """All prompts, from all pages, as the server describes them; [] if it declares no `prompts`."""
        return await self._list("prompts", "prompts/list", "prompts", timeout)

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str] | None = None, *, timeout: float | None = None
    ) -> PromptResult:
        """A prompt's messages. Its arguments are strings. McpError: it is unknown, or its arguments are wrong."""
        params: dict[str, Any] = {"name": name}
        if arguments:
            params["arguments"] = _strings("get_prompt", arguments)
        return read_prompt_result(name, await self._complete("prompts/get", params, timeout=timeout))

    async def complete(
        self,
        argument: str,
        value: str,
        *,
        prompt: str | None = None,
        template: str | None = None,
        context: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> CompletionResult:
        """What `value`, the beginning of an argument's value, can become; nothing without the capability `completions`.

        `argument` is one of the `prompt` of that name, or a variable of the resource `template`, given as it is listed.
        `context`: the values of other arguments, as far as they are known. Raises McpError for an unknown one.
        """
        if (prompt is None) == (template is None):
            raise TypeError("complete: say of what, either prompt= or template=")
        ref = {"type": "ref/resource", "uri": template} if prompt is None else {"type": "ref/prompt", "name": prompt}
        params: dict[str, Any] = {"ref": ref, "argument": {"name": argument, "value": value}}
        if context:
            params["context"] = {"arguments": _strings("complete", context)}
        agreed = self._agreed
        # 2024-11-05 has the method, and no capability to declare it.
        if "completions" not in agreed.capabilities and agreed.revision != "2024-11-05":
            return CompletionResult(values=[])
        return read_completion(await self._complete("completion/complete", params, timeout=timeout))

    def listen(
        self,
        *,
        tools: bool = False,
        prompts: bool = False,
        resources: bool = False,
        uris: Iterable[str] = (),
        timeout: float | None = None,
    ) -> AbstractAsyncContextManager[Changes]:
        """Be told of changes: `async with client.listen(tools=True) as changes: async for change in changes: ...`

        `tools`, `prompts`, `resources`: of these lists. `uris`: of what these resources hold. Entered once the server
        has confirmed, within `timeout` seconds; what it didn't take is missing in `changes.kinds` and `changes.uris`.
        A change that comes again before it was read is read once. The iteration ends when the server ends it or the
        connection breaks (see `changes.failure`). What happens between then and the next `listen` nobody tells: list
        or read anew. Entering raises McpError, ServerUnavailable (HttpError at a URL that has no way to tell of
        changes), BadAnswer, TimeoutError.
        """
        if isinstance(uris, str):
            raise TypeError("listen: uris is a list of URIs, not one")
        wanted: dict[Kind, bool] = {"tools": tools, "prompts": prompts, "resources": resources}
        kinds: list[Kind] = [kind for kind, asked in wanted.items() if asked]
        found = list(uris)
        if not kinds and not found:
            raise TypeError("listen: say for which changes: tools=True, prompts=True, resources=True or uris=[...]")
        limit = self._timeout if timeout is None else timeout
        return self._listening.open(self._connected, self._agreed, self._me, kinds, found, limit)

    async def ping(self, *, timeout: float | None = None) -> None:
        """Return when the server answers. 2026-07-28 has no `ping`: there it is `server/discover`."""
        await self.request("server/discover" if self._agreed.stateless else "ping", timeout=timeout)

    async def set_log_level(self, level: str) -> None:
        """Ask for log messages of that level and above. At 2026-07-28 nothing is sent now: later requests say so."""
        check_level(level)
        if not self._agreed.stateless:
            await self._set_level_of_session(level)
        self._me.log_level = level

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        on_progress: OnProgress | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Any request: its result as it was sent. Raises McpError, BadAnswer, ServerUnavailable, TimeoutError."""
        channel, agreed = self._connected, self._agreed
        limit = self._timeout if timeout is None else timeout
        return await channel.request(
            method, agreed.dress(dict(params or {}), self._me), on_progress=on_progress, timeout=limit
        )

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Any notification. Returns when it is on its way."""
        channel = self._connected
        await channel.room()
        channel.notify(method, dict(params or {}))

    async def _list(self, capability: str, method: str, member: str, timeout: float | None) -> list[dict[str, Any]]:
        if capability not in self._agreed.capabilities:
            return []  # the server has no such method
        return await all_pages(self._complete, method, member, timeout=timeout)

    async def _complete(self, method: str, params: dict[str, Any], **options: Any) -> dict[str, Any]:
        return check_complete(method, await self.request(method, params, **options))

    async def _set_level_of_session(self, level: str) -> None:
        await self.request("logging/setLevel", {"level": level})

    @property
    def _connected(self) -> Channel:
        if self._stack is None or self._channel is None:
            raise RuntimeError("The client is not connected: use it inside `async with Client(target) as client:`")
        return self._channel

    @property
    def _agreed(self) -> Agreement:
        if self._agreement is None:
            raise RuntimeError("The client is not connected: use it inside `async with Client(target) as client:`")
        return self._agreement


def _strings(what: str, arguments: Mapping[str, str]) -> dict[str, str]:
    for name, value in arguments.items():
        if not isinstance(value, str):
            raise TypeError(f'{what}: the argument "{name}" must be a string, not {type(value).__name__}')
    return dict(arguments)


def _default_info() -> dict[str, Any]:
    try:
        return {"name": "picomcp_py", "version": version("picomcp-py")}
    except PackageNotFoundError:  # run from a checkout that isn't installed
        return {"name": "picomcp_py", "version": "0"}
