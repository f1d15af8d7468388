"""`serve({"port": ...})`: the ASGI application on uvicorn, from the first socket to the last answer.

Rules:
1. The sockets are bound before anything else: a port in use is an error in words, and port 0 is known when it is told.
2. One line on stderr tells the URL. There is no access log, and logging is left as the program has set it up.
3. SIGINT and SIGTERM end it in order: no new connections, GET streams and listens end at once, calls have
   DRAIN_SECONDS, then the lifespan ends; then SystemExit(128 + number), as on stdio. A second SIGINT doesn't wait.
4. Cancelling `serve_http` ends it at once.

Non-goals: TLS, workers, proxies. Who needs them runs `uvicorn app:server` with its options.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import signal
import socket
import sys
from contextlib import ExitStack
from functools import partial
from types import FrameType
from typing import Any

import anyio
from msgspec.structs import replace

from ...errors import ConfigError
from ...offered.app import App
from ...running.backend import running_loop
from ...running.changes import Hub
from ...running.owner import owners_of
from .app import HttpApp
from .asgi import Receive, Scope, Send
from .options import HttpOptions
from .rules import LOOPBACK

DRAIN_SECONDS = 3
"""What a call has left after a signal. Process managers kill after 10 seconds or more."""

KEEP_ALIVE = 75
"""Seconds that an idle connection is kept, longer than clients keep theirs: a request just sent would be lost."""

BACKLOG = 2048
ANYWHERE = ("", "0.0.0.0", "::", "*")
"""Hosts that mean every address of this machine."""


def check_backend(backend: str | None) -> None:
    """ConfigError where uvicorn can't serve: it is not installed, or the loop isn't asyncio's."""
    if backend == "trio":
        raise ConfigError(
            "serve(): uvicorn, which serves HTTP, runs on asyncio only, not on trio: use asyncio, or start hypercorn "
            "with the server as its application: hypercorn -k trio app:server"
        )
    if importlib.util.find_spec("uvicorn") is None:
        raise ConfigError("serve(): HTTP needs uvicorn: pip install 'picomcp-py[http]'")


def loop_options() -> dict[str, Any]:
    """`backend_options` for anyio.run: uvloop where it is installed."""
    return {"use_uvloop": importlib.util.find_spec("uvloop") is not None}


async def serve_http(app: App, server: Any, options: HttpOptions) -> None:
    """Serve until a signal. Raises ConfigError, what the lifespan raises, and SystemExit(128 + signal)."""
    check_backend(running_loop())
    options = _open_to_its_host(options)
    owners = owners_of(app, server)
    door = _Door(HttpApp(owners, options))
    with ExitStack() as stack:
        sockets = _listen(options.host, options.port or 0)
        for one in sockets:
            stack.callback(one.close)
        await owners.hold()  # raises what the lifespan raises
        try:
            door.hub = (await owners.runtime()).hub
            await _run(door, sockets, lambda: _tell(app.options.name, options, sockets))
        finally:
            with anyio.CancelScope(shield=True):
                await owners.release()
    if door.signal is not None:
        raise SystemExit(128 + door.signal)


class _Door:
    """The application, and what is closing it."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._closing = anyio.Event()
        self.hub: Hub | None = None
        self.signal: int | None = None

    def close(self) -> None:
        """Nobody waits for the end of the streams that never end."""
        self._closing.set()
        if self.hub is not None:
            self.hub.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET" and not _resumes(scope):
            receive = partial(self._first, receive)
        try:
            await self._app(scope, receive, send)
        except anyio.get_cancelled_exc_class():
            if not self._closing.is_set():
                raise
            # The drain is over. uvicorn says so in a line, and would add a traceback for each request.

    async def _first(self, receive: Receive) -> dict[str, Any]:
        """What comes first, the next event or the closing, which looks like a client that has gone."""
        event: dict[str, Any] = {"type": "http.disconnect"}

        async def take() -> None:
            nonlocal event
            event = await receive()
            tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(take)
            await self._closing.wait()
            tasks.cancel_scope.cancel()
        return event


def _resumes(scope: Scope) -> bool:
    """Such a stream may carry a call's answer."""
    return any(name == b"last-event-id" for name, _ in scope["headers"])


async def _run(door: _Door, sockets: list[socket.socket], started: Any) -> None:
    """uvicorn, from its start to its end."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started()

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            # Not uvicorn's own: it raises the signal again at the end, which for SIGTERM skips all clean-up.
            if door.signal is not None and sig == signal.SIGINT:
                self.force_exit = True
            door.signal = sig
            self.should_exit = True

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            self.started = False
            door.close()
            await super().shutdown(sockets)

    config = uvicorn.Config(
        door,
        access_log=False,
        log_config=None,
        lifespan="off",  # it has begun
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    server = Server(config)
    try:
        await server.serve(sockets)
    finally:
        if server.started:  # cancelled: uvicorn leaves all as it is
            config.timeout_graceful_shutdown = 0 if server.server_state.tasks else 1
            with anyio.CancelScope(shield=True):
                await server.shutdown(sockets)


def _listen(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of the host. Raises ConfigError."""
    if port > 65535:
        raise ConfigError(f'serve(): "port" must be at most 65535, not {port}')
    wanted = None if host in ("", "*") else host
    try:
        found = socket.getaddrinfo(wanted, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise ConfigError(f'serve(): "host" {host!r:.100} is not known: {error.strerror}') from None
    sockets: list[socket.socket] = []
    failure: OSError | None = None
    for family, kind, protocol, _, address in dict.fromkeys(found):
        if port == 0 and sockets:  # of one host all addresses have the same
            address = (address[0], sockets[0].getsockname()[1], *address[2:])
        try:
            sockets.append(_bound(family, kind, protocol, address))
        except OSError as error:  # such as of ::1 where there is no IPv6
            failure = error
    if sockets:
        return sockets
    reason = os.strerror(failure.errno) if failure is not None and failure.errno else str(failure)
    raise ConfigError(
        f"serve(): can't listen on port {port} of {host or 'all addresses'}: {reason}. "
        'Choose another "port", or 0 for any that is free'
    )


def _bound(family: int, kind: int, protocol: int, address: Any) -> socket.socket:
    # With its protocol said: asyncio turns Nagle's algorithm off only for sockets that say TCP.
    one = socket.socket(family, kind, protocol or socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two programs listen on one port
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        one.bind(address)
        one.listen(BACKLOG)
    except OSError:
        one.close()
        raise
    return one


def _open_to_its_host(options: HttpOptions) -> HttpOptions:
    """Requests that name the very host that is listened on are let in."""
    if options.allowed_hosts is None and options.host not in ANYWHERE and not _is_loopback(options.host):
        return replace(options, allowed_hosts=[*LOOPBACK, _in_url(options.host)])
    return options


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _tell(name: str, options: HttpOptions, sockets: list[socket.socket]) -> None:
    port = sockets[0].getsockname()[1]
    host = "0.0.0.0" if options.host in ("", "*") else options.host
    text = f"{name} is served at http://{_in_url(host)}:{port}{options.path} (Ctrl-C ends it)"
    if options.host in ANYWHERE and options.allowed_hosts is None:
        text += '. Only requests to localhost are taken: name the hosts that clients use in "allowedHosts"'
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)
