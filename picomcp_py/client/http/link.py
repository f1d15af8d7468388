"""Streamable HTTP as a link: each message is a POST of its own, in a task of its own.

Rules:
1. Which era a message belongs to, it says itself: with the envelope it is stateless, without it is the session's.
2. Cancelling: at 2026-07-28 the response's stream is closed, and that is all; before, the notification is posted once
   the request was, and only then its stream is let go.
3. The session's messages wait until the server has taken `notifications/initialized`; then its GET stream is opened,
   in the background. Servers that have none answer 405, and that is fine, unless somebody listens for changes.
4. The end: pending requests are cancelled, then the session is ended with DELETE; this takes PATIENCE seconds at most.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
from anyio.abc import TaskGroup

from ...errors import ConfigError
from ..channel import LISTEN, Channel
from ..groups import background
from . import faults
from .outgoing import Outgoing, ParamHeaders, read_outgoing, stateless_headers
from .post import STREAM, Peer, Post, read_events
from .session import Position

log = logging.getLogger("picomcp_py")

CONNECT = 30.0
"""Seconds for a connection to be made. Answers may take as long as they like: `timeout` is for them."""

MAX_IN_FLIGHT = 500
"""Requests at a time. Each takes a connection, and processes may have about 1,000 open files."""

IDLE = 4.0
"""Seconds that an unused connection is kept. Many servers close theirs after 5: a request just sent would be lost."""

LASTING = 10.0
"""Seconds after which the end of a quiet GET stream is no fault of the server: proxies cut what is silent."""

PATIENCE = 2.0
"""Seconds for the end."""


def check_url(url: str, headers: Mapping[str, str] | None) -> None:
    """ConfigError for what can't be connected to."""
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise ConfigError(f'Client: "{url:.200}" is not a URL: {error}') from None
    if not parsed.host:
        raise ConfigError(f'Client: "{url:.200}" names no host: write it as "http://localhost:3000/mcp"')
    for name, value in (headers or {}).items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise ConfigError("Client: headers must be a dict of strings")
        if not value.isprintable() or not value.isascii():
            raise ConfigError(f"Client: the value of the header {name!r:.60} has characters that headers can't hold")


@asynccontextmanager
async def open_http(
    url: str, channel: Channel, *, headers: Mapping[str, str] | None, max_bytes: int
) -> AsyncIterator[HttpLink]:
    """Connect to a URL. Nothing is sent before the first message."""
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=IDLE)
    timeout = httpx2.Timeout(None, connect=CONNECT)
    async with httpx2.AsyncClient(headers=dict(headers or {}), limits=limits, timeout=timeout) as http:
        async with background() as group:
            link = HttpLink(Peer(http, httpx2.URL(url), channel, max_bytes), group)
            try:
                yield link
            finally:
                await link.stop()


class HttpLink:
    """What a client sends to a URL."""

    def __init__(self, peer: Peer, group: TaskGroup) -> None:
        self._peer = peer
        self._group = group
        self._posts: dict[Any, Post] = {}
        self._cancelling = 0
        self._params = ParamHeaders()
        self._room = anyio.Event()
        self._confirmed: anyio.Event | None = None
        self._listening: anyio.CancelScope | None = None
        self._heard = anyio.Event()
        """The GET stream is open, or there is none and `_deaf` says why."""
        self._deaf: faults.Failure | None = None

    def keep_tools(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return tools if self._peer.session.revision is not None else self._params.keep(tools)

    def knows_tool(self, name: str) -> bool:
        return self._peer.session.revision is not None or self._params.knows(name)

    async def hears(self) -> None:
        while not self._heard.is_set():
            await self._heard.wait()
        if self._deaf is not None:
            raise self._deaf(LISTEN)

    async def room(self) -> None:
        while len(self._posts) >= MAX_IN_FLIGHT:
            if self._room.is_set():
                self._room = anyio.Event()
            await self._room.wait()

    def send(self, data: bytes) -> None:
        message = read_outgoing(data)
        post = Post(self._peer, message, data)
        if message.method == "notifications/cancelled":
            self._cancel(post)
            return
        if message.is_request:
            self._posts[message.id] = post
        elif message.method == "notifications/initialized":
            self._confirmed = anyio.Event()
        self._group.start_soon(self._carry, post)

    # ------------------------------------------------------------ cancelling

    def _cancel(self, notice: Post) -> None:
        target = self._posts.get(notice.message.cancels)
        if target is None:
            return  # it has ended
        if target.stateless:
            target.scope.cancel()
        else:
            self._cancelling += 1
            self._group.start_soon(self._cancel_in_session, notice, target)

    async def _cancel_in_session(self, notice: Post, target: Post) -> None:
        try:
            with anyio.move_on_after(PATIENCE):
                await target.sent.wait()
            if target.sent.is_set():
                await self._carry(notice)
        finally:
            target.scope.cancel()
            self._cancelling -= 1
            self._room.set()

    # ------------------------------------------------------------ the tasks

    async def _carry(self, post: Post) -> None:
        """A POST from its beginning to its end. Raises nothing."""
        confirms = post.message.method == "notifications/initialized"
        try:
            with post.scope:
                if not post.stateless and not confirms and self._confirmed is not None:
                    await self._confirmed.wait()
                await post.carry(self._headers(post.message))
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            if post.message.is_request:
                post.fail(post.broken(error))
            else:
                log.warning("a message to %s was lost: %s", self._peer.name, error)
        except Exception as error:
            log.exception("a message could not be sent: this is a fault of picomcp_py")
            post.fail(post.broken(error))
        finally:
            if post.message.is_request:
                self._posts.pop(post.message.id, None)
                self._room.set()
            if confirms and self._confirmed is not None:
                self._confirmed.set()
        if confirms and not self._peer.session.lost:
            self._group.start_soon(self._listen)
        elif confirms:
            self._deafen(faults.session_lost(self._peer.name))

    def _headers(self, message: Outgoing) -> dict[str, str]:
        session = self._peer.session
        if message.version is None and (session.revision is not None or message.method == "initialize"):
            return session.headers()
        return stateless_headers(message, self._params)

    async def _listen(self) -> None:
        """The session's GET stream: what belongs to no request. In the end nobody may go on waiting for it."""
        position = Position()
        failure = faults.no_stream(self._peer.name)
        with anyio.CancelScope() as self._listening:
            while position.connecting():
                try:
                    refused = await self._listen_once(position)
                    if refused is not None:
                        failure = refused
                        break
                except httpx2.SSEError:
                    log.warning("the server sent a message longer than %d bytes", self._peer.max_bytes)
                except httpx2.HTTPError as error:
                    log.debug("the GET stream of %s broke: %s", self._peer.name, error)
                except Exception:
                    log.exception("the GET stream could not be read: this is a fault of picomcp_py")
                    break
                if self._heard.is_set():
                    self._heard = anyio.Event()
                await anyio.sleep(position.pause)
            else:
                log.warning("the GET stream of %s is given up: it breaks again and again", self._peer.name)
        self._deafen(failure)

    def _deafen(self, failure: faults.Failure) -> None:
        """There is no GET stream, and there will be none."""
        self._deaf = failure
        self._heard.set()
        self._peer.channel.deafen(failure)

    async def _listen_once(self, position: Position) -> faults.Failure | None:
        """One connection, to its end. Gives what it was refused with if another one makes no sense."""
        peer = self._peer
        headers = {"Accept": STREAM, **peer.session.headers(), **position.headers()}
        async with peer.http.stream("GET", peer.url, headers=headers) as response:
            if response.is_success:
                self._heard.set()
                since = anyio.current_time()
                try:
                    await read_events(response, position, peer.max_bytes, peer.channel.receive)
                finally:
                    if anyio.current_time() - since >= LASTING:
                        position.lasted()
                return None
            if response.status_code == 404 and peer.session.id is not None:
                peer.lost()
                return faults.session_lost(peer.name)
            if response.status_code == 409:  # the server has not noticed yet that the last one ended
                return None
            return faults.no_stream(peer.name, response.status_code)

    # ------------------------------------------------------------ the end

    async def stop(self) -> None:
        """Everything pending was cancelled by the channel: let that arrive, then end the session."""
        with anyio.move_on_after(PATIENCE, shield=True):
            if self._listening is not None:
                self._listening.cancel()
            if self._peer.session.id is None:
                for post in list(self._posts.values()):
                    post.scope.cancel()
            while self._cancelling or (self._posts and self._peer.session.id is None):
                if self._room.is_set():
                    self._room = anyio.Event()
                await self._room.wait()
            if self._peer.session.id is not None and not self._peer.session.lost:
                await self._end_session()

    async def _end_session(self) -> None:
        try:
            await self._peer.http.delete(self._peer.url, headers=self._peer.session.headers())
        except httpx2.HTTPError as error:
            log.debug("the session at %s could not be ended: %s", self._peer.name, error)
