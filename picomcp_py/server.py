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
from .offered.config import server_options
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
    from .offered.tool_types import (
        Handler,
        Icon,
        In,
        JsonSchema,
        Out,
        SchemaSource,
        ServeConfig,
        ServerConfig,
        ToolAnnotations,
    )
    from .running.runtime import Runtime
    from .transports.http import EventStore, HttpApp
    from .transports.http.options import HttpOptions
    from .transports.stdio.claim import Claim


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
        """Register a tool: `server.tool("name", {...})`, or the same keys as keywords.

        With `run`, a function of (input, ctx), it returns the server, so that calls chain; without, a decorator for
        that function. The other keys, all optional: `input` and `output`, schemas (a msgspec or pydantic type, a JSON
        Schema dict, or an object with `__standard_schema__`); `title`, `description`, `annotations` (readOnlyHint,
        destructiveHint, idempotentHint, openWorldHint, title), `icons`, `meta`: what clients are shown; `tags`, your
        own labels; `timeout` in seconds; `thread`, False runs a def handler in the event loop; `coerce`, the lenient
        mode. Names have 1 to 128 characters of A-Z a-z 0-9 _ . -

        Raises ConfigError for whatever can't work: a bad or duplicate name, an unknown key, a wrong value, a schema or
        handler that can't be used.
        """
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
        from copy import deepcopy

        return [deepcopy(tool.entry) for tool in self._app.tools]

    async def call(
        self, name: str, arguments: Any = None, /, *, meta: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run a tool in process, along the same path as a client's call.

        Gives the plain result: `content`, and `structuredContent`, `isError`, `_meta` where there are any. `meta` is
        what a client would send as `_meta`. Raises McpError where a client would get a JSON-RPC error.
        """
        from .running.runtime import open_here, open_runtime

        self._check_finished()
        arguments = {} if arguments is None else arguments
        runtime = open_here(self._app)
        if runtime is not None:
            return await runtime.call(name, arguments, dict(meta or {}))
        async with open_runtime(self._app, self, shared=False) as runtime:
            return await runtime.call(name, arguments, dict(meta or {}))

    # `serve` on stdio or over HTTP, with a dict or keywords; see ServeConfig for the options.
    if TYPE_CHECKING:

        @overload
        def serve(self, config: ServeConfig, /) -> None: ...
        @overload
        def serve(self, /, *, max_message_bytes: int = ..., drain_seconds: float = ...) -> None: ...
        @overload
        def serve(
            self,
            /,
            *,
            port: int,
            host: str = ...,
            path: str = ...,
            allowed_hosts: Sequence[str] = ...,
            allowed_origins: Sequence[str] = ...,
            cors: Sequence[str] = ...,
            sessions: bool = ...,
            sse: bool = ...,
            max_sessions: int = ...,
            session_idle_seconds: float = ...,
            event_store: Callable[[], EventStore] | None = ...,
            max_body_bytes: int | None = ...,
            keep_alive_seconds: float | None = ...,
        ) -> None: ...

    def serve(self, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
        """Serve on stdio until the client closes its end, or with `port` over HTTP until it is stopped.

        On stdio: `maxMessageBytes` (64 MiB) and `drainSeconds` (3), how long accepted calls may still be answered after
        the end. Over HTTP: `port` (0 takes any that is free), `host` ("127.0.0.1"), and the options of `asgi`; it needs
        the extra `http`, and one line on stderr tells the URL. Ends with SystemExit(128 + number) on SIGINT and
        SIGTERM. Raises ConfigError for wrong options. Not for use inside a running event loop: see serve_async.
        """
        from .handover import hand_over
        from .running.backend import running_loop

        if running_loop():
            raise ConfigError("serve() starts an event loop, and one is running here: use await server.serve_async()")
        from .transports.serve_options import serve_options

        options = serve_options(config, keywords)
        self._check_finished()
        if not hand_over(self, options):  # to the command line, which serves it itself
            self._run(options)

    if TYPE_CHECKING:

        @overload
        async def serve_async(self, config: ServeConfig, /) -> None: ...
        @overload
        async def serve_async(self, /, *, max_message_bytes: int = ..., drain_seconds: float = ...) -> None: ...
        @overload
        async def serve_async(
            self,
            /,
            *,
            port: int,
            host: str = ...,
            path: str = ...,
            allowed_hosts: Sequence[str] = ...,
            allowed_origins: Sequence[str] = ...,
            cors: Sequence[str] = ...,
            sessions: bool = ...,
            sse: bool = ...,
            max_sessions: int = ...,
            session_idle_seconds: float = ...,
            event_store: Callable[[], EventStore] | None = ...,
            max_body_bytes: int | None = ...,
            keep_alive_seconds: float | None = ...,
        ) -> None: ...

    async def serve_async(self, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
        """`serve` inside a running event loop: asyncio or trio on stdio, asyncio over HTTP."""
        from .handover import hand_over
        from .transports.serve_options import serve_options

        options = serve_options(config, keywords)
        self._check_finished()
        if hand_over(self, options):
            return
        if isinstance(options, dict):
            await self._serve_stdio(options)
        else:
            await self._serve_http(options)

    def _run(self, options: Any) -> None:
        """Serve in an event loop of its own, with the result of `serve_options`."""
        import anyio

        backend = self._app.options.backend
        if isinstance(options, dict):
            from .transports.stdio import claim_stdio

            with claim_stdio() as claim:  # before the loop opens descriptors of its own
                anyio.run(self._serve_stdio, options, claim, backend=backend)
        else:
            from .transports.http.serve import check_backend, loop_options

            check_backend(backend)
            anyio.run(self._serve_http, options, backend=backend, backend_options=loop_options())

    async def _serve_stdio(self, options: Mapping[str, Any], claim: Claim | None = None) -> None:
        from .running.connection import Connection
        from .transports.stdio import serve_stdio

        async with self._open() as runtime:
            await serve_stdio(lambda wire: Connection(runtime, wire), claim=claim, **options)

    async def _serve_http(self, options: HttpOptions) -> None:
        from .transports.http.serve import serve_http

        self._check_finished()
        await serve_http(self._app, self, options)

    # ------------------------------------------------------------ HTTP

    def asgi(self, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> HttpApp:
        """The server as an ASGI application, for uvicorn, hypercorn or granian, or to mount in another application.

        Options: `path` ("/mcp"), `allowedHosts`, `allowedOrigins`, `cors`, `sessions`, `sse`, `maxSessions`,
        `sessionIdleSeconds`, `eventStore`, `maxBodyBytes` (4 MiB), `keepAliveSeconds`. Raises ConfigError for wrong
        ones.
        """
        from .transports.http import http_app

        self._check_finished()
        return http_app(self._app, self, "asgi()", config, keywords)

    def routes(self, path: str = "/mcp", config: Mapping[str, Any] | None = None, /, **keywords: Any) -> list[Any]:
        """Routes for a Starlette or FastAPI application: `app.routes.extend(server.routes("/mcp"))`.

        The path is served with and without a slash at its end, never redirected. Options are those of `asgi`. Raises
        ConfigError for wrong ones, or without Starlette.
        """
        from .transports.http import http_app
        from .transports.http.routes import routes

        self._check_finished()
        return routes(path, http_app(self._app, self, "routes()", config, keywords))

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
