"""The options of serving over HTTP, checked. One row an option, as for the server's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from ...errors import ConfigError
from ...offered.config import check_count, check_keys, check_type
from .event_store import EventStore, MemoryEventStore

MAX_SESSIONS = 10_000
"""A session costs some 5 KB, without its events."""

IDLE_SECONDS = 30 * 60.0
"""A person may well leave a chat for a quarter of an hour."""

KEEP_ALIVE_SECONDS = 15.0
"""Proxies commonly cut a silent connection after 60 seconds, some after 30."""

MAX_BODY_BYTES = 4 * 1024 * 1024
"""What the official SDKs take, too: a base64 image or two. Who takes files raises it."""

KEYS = {
    "host": "host",
    "port": "port",
    "path": "path",
    "allowedHosts": "allowed_hosts",
    "allowedOrigins": "allowed_origins",
    "cors": "cors",
    "sessions": "sessions",
    "sse": "sse",
    "maxSessions": "max_sessions",
    "sessionIdleSeconds": "session_idle_seconds",
    "eventStore": "event_store",
    "maxBodyBytes": "max_body_bytes",
    "keepAliveSeconds": "keep_alive_seconds",
}


OFF_BY_NONE = ("eventStore", "maxBodyBytes", "keepAliveSeconds")


class HttpOptions(Struct, frozen=True, kw_only=True):
    """What `server.serve({"port": ...})`, `server.asgi({...})` and `server.routes(...)` take."""

    host: str = "127.0.0.1"
    port: int | None = None
    path: str = "/mcp"
    allowed_hosts: list[str] | None = None
    """Host headers let in, with or without port; "*" for all. Without it, loopback names only."""
    allowed_origins: list[str] | None = None
    """Origins let in besides those on the allowed hosts; "*" for all."""
    cors: list[str] | None = None
    """Origins whose pages may call the server from a browser; they are let in, too. "*" for all."""
    sessions: bool = True
    """False serves the handshake era without sessions: any worker can answer any request."""
    sse: bool = False
    """Serve the HTTP+SSE transport of 2024-11-05 too, at /sse and /messages."""
    max_sessions: int = MAX_SESSIONS
    session_idle_seconds: float = IDLE_SECONDS
    event_store: Callable[[], EventStore] | None = MemoryEventStore
    """Makes the event store of a session; None turns resuming off."""
    max_body_bytes: int | None = MAX_BODY_BYTES
    """Bytes; None for no limit."""
    keep_alive_seconds: float | None = KEEP_ALIVE_SECONDS
    """Seconds between comments in a silent event stream; None for no comments."""

    def is_endpoint(self, scope: Mapping[str, Any]) -> bool:
        """Whether a path is the endpoint's, with or without a slash at its end. Under a mount, the mount's root is."""
        path: str = scope["path"]
        if path == self.path:
            return True
        root = scope.get("root_path", "")
        if root and path.startswith(root):
            path = path[len(root) :]
            if path in ("", "/"):
                return True
        return path.rstrip("/") == self.path.rstrip("/")


def http_options(where: str, config: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> HttpOptions:
    """The options from a dict in the wire's spelling and keywords in snake_case. Raises ConfigError."""
    by_keyword = {keyword: key for key, keyword in KEYS.items()}
    check_keys(where, config or {}, KEYS)
    check_keys(where, keywords, by_keyword)
    given = {**(config or {}), **{by_keyword[k]: v for k, v in keywords.items()}}
    check_type(where, given, "host", str, "a string")
    check_type(where, given, "path", str, 'a string such as "/mcp"')
    for key in ("sessions", "sse"):
        check_type(where, given, key, bool, "True or False")
    for key in ("sessionIdleSeconds", "keepAliveSeconds"):
        check_type(where, given, key, (int, float), "a number of seconds")
        if given.get(key) is not None and not given[key] > 0:
            raise ConfigError(f'{where}: "{key}" must be above 0, not {given[key]!r:.40}')
    check_count(where, given, "port", 0)
    check_count(where, given, "maxSessions", 1)
    check_count(where, given, "maxBodyBytes", 1)
    for key in ("allowedHosts", "allowedOrigins", "cors"):
        value = given.get(key)
        if value is not None and not (isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)):
            raise ConfigError(f'{where}: "{key}" must be a list of strings, or ["*"]')
    if given.get("sse") and where == "routes()":
        raise ConfigError('routes(): "sse" needs two more paths: mount server.asgi({"sse": True}) instead')
    if not given.get("path", "/").startswith("/"):
        raise ConfigError(f'{where}: "path" must begin with "/": "/{given["path"]}"')
    if given.get("eventStore") is not None and not callable(given["eventStore"]):
        raise ConfigError(f'{where}: "eventStore" must be a function that makes an event store for one session')
    if given.get("cors"):
        given["allowedOrigins"] = [*(given.get("allowedOrigins") or ()), *given["cors"]]
    return HttpOptions(**{KEYS[k]: v for k, v in given.items() if v is not None or k in OFF_BY_NONE})
