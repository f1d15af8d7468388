"""`pico(config)` and the Server: registration, calling in process, serving.

A Server holds what it offers, its options, and nothing of an event loop: it works in successive and parallel ones.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Literal, overload

from .errors import ConfigError
from .offered.app import App
from .offered.config import server_options
from .registration import Prompts, Resources, Tools

if TYPE_CHECKING:
    from .bus import Bus
    from .offered.config import Lifespan
    from .offered.tool_types import Icon, ServeConfig, ServerConfig
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
    caching: Mapping[str, Mapping[str, Any]] = ...,
    bus: Bus = ...,
    mask_errors: bool = ...,
    backend: Literal["asyncio", "trio"] = ...,
) -> Server: ...
def pico(config: Mapping[str, Any] | None = None, /, **keywords: Any) -> Server:
    """Make a server: `pico({"name": "weather"})` or `pico(name="weather")`. Raises ConfigError."""
    return Server(config, **keywords)


class Server(Tools, Resources, Prompts):
    """An MCP server: what it offers, and the ways to serve it."""

    def __init__(self, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> None:
        super().__init__(App(server_options(config, keywords)))
        self._asgi: HttpApp | None = None

    @property
    def name(self) -> str:
        return self._app.options.name

    async def call(
        self, name: str, arguments: Any = None, /, *, meta: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run a tool in process, along the same path as a client's call.

        Gives the plain result: `content`, and `structuredContent`, `isError`, `_meta` where there are any. `meta` is
        what a client would send as `_meta`. Raises McpError where a client would get a JSON-RPC error.
        """
        arguments = {} if arguments is None else arguments
        return await self._in_process(lambda runtime: runtime.call(name, arguments, dict(meta or {})))

    async def read(self, uri: str, /, *, meta: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Read a resource in process: the plain result, `{"contents": [...]}`. Raises McpError, ResourceNotFound for a
        URI that nothing has.
        """
        return await self._in_process(lambda runtime: runtime.read(uri, dict(meta or {})))

    async def get_prompt(
        self, name: str, arguments: Mapping[str, str] | None = None, /, *, meta: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run a prompt in process: the plain result, `messages` and `description` if there is one. Raises McpError."""
        arguments = arguments or {}
        return await self._in_process(lambda runtime: runtime.get_prompt(name, arguments, dict(meta or {})))

    async def _in_process(self, do: Callable[[Runtime], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        from .running.runtime import open_here, open_runtime

        self._check_finished()
        runtime = open_here(self._app)
        if runtime is not None:
            return await do(runtime)
        async with open_runtime(self._app, self, shared=False) as runtime:
            return await do(runtime)

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
