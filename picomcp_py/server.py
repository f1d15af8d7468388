"""`pico(config)` and the Server: registration, calling in process, serving.

A Server holds what it offers, its options, and nothing of an event loop: it works in successive and parallel ones.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from .errors import ConfigError
from .offered.app import App
from .offered.config import check_count, check_keys, check_type, server_options
from .offered.tool import Tool, check_name

if TYPE_CHECKING:
    from .offered.config import Lifespan
    from .offered.tool_shapes import (
        InOnly,
        InOnlyRun,
        InOut,
        InOutRun,
        InputDecorator,
        Json,
        OutOnly,
        OutOnlyRun,
        ToolDecorator,
        Untyped,
        UntypedRun,
    )
    from .offered.tool_types import Handler, Icon, In, JsonSchema, Out, SchemaSource, ServerConfig, ToolAnnotations
    from .running.runtime import Runtime
    from .transports.http import HttpApp
    from .transports.stdio.claim import Claim

SERVE_KEYS = ("maxMessageBytes", "drainSeconds")


@overload
def pico(config: ServerConfig, /) -> Server: ...
@overload
def pico(
    *,
    name: str,
    version: str = ...,
    title: str = ...,
    instructions: str = ...,
    website_url: str = ...,
    icons: Sequence[Icon] = ...,
    lifespan: Lifespan = ...,
    coerce: bool = ...,
    on_duplicate: Literal["error", "replace"] = ...,
    page_size: int | None = ...,
    ttl_ms: int = ...,
    cache_scope: Literal["public", "private"] = ...,
    mask_errors: bool = ...,
    backend: Literal["asyncio", "trio"] = ...,
) -> Server: ...
def pico(config: Mapping[str, Any] | None = None, /, **keywords: Any) -> Server:
    """Make a server: `pico({"name": "weather"})` or `pico(name="weather")`. Raises ConfigError."""
    return Server(config, **keywords)


class Server:
    """An MCP server: what it offers, and the ways to serve it."""

    def __init__(self, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
        self._app = App(server_options(config, keywords))
        self._asgi: HttpApp | None = None
        self._unfinished: dict[str, str] = {}  # decorators not applied yet: tool name -> where it was written

    @property
    def name(self) -> str:
        return self._app.options.name

    # The shapes of a registration, for type checkers alone: dict or keywords, with `run` or a decorator, `input` typed
    # or not, `output` typed or not. Keywords are spelt out: ty does not check `**options: Unpack[ToolOptions]`.
    if TYPE_CHECKING:

        @overload
        def tool(self, name: str, config: InOutRun[In, Out], /) -> Self: ...
        @overload
        def tool(self, name: str, config: InOnlyRun[In], /) -> Self: ...
        @overload
        def tool(self, name: str, config: OutOnlyRun[Out], /) -> Self: ...
        @overload
        def tool(self, name: str, config: UntypedRun, /) -> Self: ...
        @overload
        def tool(self, name: str, config: InOut[In, Out], /) -> ToolDecorator[In, Out]: ...
        @overload
        def tool(self, name: str, config: InOnly[In], /) -> InputDecorator[In]: ...
        @overload
        def tool(self, name: str, config: OutOnly[Out], /) -> ToolDecorator[Json, Out]: ...
        @overload
        def tool(self, name: str, config: Untyped, /) -> InputDecorator[Json]: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            output: SchemaSource[Out],
            run: Handler[In, Out],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> Self: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            output: SchemaSource[Out],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> ToolDecorator[In, Out]: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            output: JsonSchema = ...,
            run: Handler[In, Any],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> Self: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            output: JsonSchema = ...,
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> InputDecorator[In]: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            output: SchemaSource[Out],
            run: Handler[Json, Out],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> Self: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            output: SchemaSource[Out],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> ToolDecorator[Json, Out]: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            output: JsonSchema = ...,
            run: Handler[Json, Any],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> Self: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            output: JsonSchema = ...,
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> InputDecorator[Json]: ...

    def tool(self, name: str, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> Any:
        merged = {**(config or {}), **keywords} if config is None or isinstance(config, Mapping) else config
        if isinstance(merged, dict) and merged.get("run") is None:
            merged.pop("run", None)
            return self._decorator(name, merged)
        self._add(name, merged)
        return self

    def _decorator(self, name: str, config: dict[str, Any]) -> Callable[[Any], Any]:
        check_name(name)
        if self._app.options.on_duplicate != "replace":
            self._app.tools.refuse_duplicate(name)
        frame = sys._getframe(2)
        self._unfinished[name] = f"{frame.f_code.co_filename}:{frame.f_lineno}"

        def register(run: Any) -> Any:
            if not callable(run):
                raise ConfigError(f'tool "{name}": the decorator needs a function, not {type(run).__name__}')
            self._unfinished.pop(name, None)
            self._add(name, {**config, "run": run})
            return run

        return register

    def _add(self, name: str, config: Any) -> None:
        tool = Tool(name, config, coerce=self._app.options.coerce)
        self._app.tools.add(tool, replace=self._app.options.on_duplicate == "replace")

    def remove_tool(self, name: str) -> None:
        """Raises KeyError when there is none of that name."""
        self._app.tools.remove(name)

    def list_tools(self) -> list[dict[str, Any]]:
        """The tools as tools/list shows them at the newest revision, in the order of registration."""
        self._check_finished()
        return [dict(tool.entry) for tool in self._app.tools]

    async def call(
        self, name: str, arguments: Any = None, /, *, meta: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run a tool in process, along the same path as a client's call.

        Gives the plain result: `content`, and `structuredContent`, `isError`, `_meta` where there are any. `meta` is
        what a client would send as `_meta`. Raises McpError where a client would get a JSON-RPC error.
        """
        from .running.backend import loop_key

        self._check_finished()
        arguments = {} if arguments is None else arguments
        runtime: Runtime | None = self._app.runtimes.get(loop_key())
        if runtime is not None:
            return await runtime.call(name, arguments, dict(meta or {}))
        async with self._open() as runtime:
            return await runtime.call(name, arguments, dict(meta or {}))

    def serve(self, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
        """Serve on stdio until the client closes its end. Not for use inside a running event loop: see serve_async.

        Options: `maxMessageBytes` (64 MiB) and `drainSeconds` (3), how long accepted calls may still be answered after
        the end. Ends with SystemExit(128 + number) on SIGINT and SIGTERM. Raises ConfigError for wrong options.
        """
        from .handover import hand_over
        from .running.backend import running_loop

        if running_loop():
            raise ConfigError("serve() starts an event loop, and one is running here: use await server.serve_async()")
        options = _serve_options(config, keywords)
        self._check_finished()
        if hand_over(self, options):  # to the command line, which serves it itself
            return
        import anyio

        from .transports.stdio import claim_stdio

        with claim_stdio() as claim:  # before the loop opens descriptors of its own
            anyio.run(self._serve_stdio, options, claim, backend=self._app.options.backend)

    async def serve_async(self, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
        """`serve` inside a running event loop, asyncio or trio."""
        from .handover import hand_over

        options = _serve_options(config, keywords)
        self._check_finished()
        if not hand_over(self, options):
            await self._serve_stdio(options)

    async def _serve_stdio(self, options: Mapping[str, Any], claim: Claim | None = None) -> None:
        from .running.connection import Connection
        from .transports.stdio import serve_stdio

        async with self._open() as runtime:
            await serve_stdio(lambda wire: Connection(runtime, wire), claim=claim, **options)

    # ------------------------------------------------------------ HTTP

    def asgi(self, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> HttpApp:
        """The server as an ASGI application, for uvicorn, hypercorn or granian, or to mount in another application.

        Options: `path` ("/mcp"), `allowedHosts`, `allowedOrigins`, `cors`, `sessions`, `maxSessions`,
        `sessionIdleSeconds`, `eventStore`, `maxBodyBytes` (4 MiB). Raises ConfigError for wrong ones.
        """
        from .transports.http import http_app

        self._check_finished()
        return http_app(self._app, self, config, keywords)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """The server is itself an ASGI application, with the default options: `uvicorn app:server`."""
        if self._asgi is None:
            self._asgi = self.asgi()
        await self._asgi(scope, receive, send)

    def _open(self) -> AbstractAsyncContextManager[Runtime]:
        from .running.runtime import open_runtime

        self._check_finished()
        return open_runtime(self._app, self)

    def _check_finished(self) -> None:
        if self._unfinished:
            name, where = next(iter(self._unfinished.items()))
            raise ConfigError(
                f'tool "{name}" at {where} has no "run": add "run" to its config, or put '
                f'@server.tool("{name}", ...) above a function'
            )


def _serve_options(config: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> dict[str, Any]:
    where = "serve()"
    spelled = {"max_message_bytes": "maxMessageBytes", "drain_seconds": "drainSeconds"}
    check_keys(where, config or {}, SERVE_KEYS)
    check_keys(where, keywords, spelled)
    given = {**(config or {}), **{spelled[k]: v for k, v in keywords.items()}}
    check_count(where, given, "maxMessageBytes", 1024)
    check_type(where, given, "drainSeconds", (int, float), "a number of seconds")
    names = {"maxMessageBytes": "max_line", "drainSeconds": "drain_seconds"}
    return {names[k]: v for k, v in given.items() if v is not None}
