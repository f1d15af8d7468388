"""Finding out which era a server speaks, and agreeing on a revision.

Without a wish, `server/discover` goes first: a DiscoverResult, or an error that only the stateless era has, says that
era; any other error says the other (https://modelcontextprotocol.io/specification/2026-07-28/basic/lifecycle). When
nothing comes for PROBE seconds, `initialize` follows, and then the first of the two that succeeds decides: a server
that was only slow to start is not taken for an old one, nor an old one that ignores what it doesn't know for a dead
one.
"""

from __future__ import annotations

from typing import Any

import anyio

from ..errors import HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION, ConfigError, McpError
from ..revisions import HANDSHAKE, LATEST, LATEST_HANDSHAKE, REVISIONS, STATELESS
from .bell import Bell
from .channel import Channel, Pending
from .eras import Agreement, Self, check_complete, dress_stateless, read_discover, read_initialize
from .errors import BadAnswer, HttpError

PROBE = 5.0
"""Seconds until `initialize` follows. Old servers answer what they don't know; few programs take longer to start."""

DENIED = (401, 403, 407)
"""HTTP statuses that are about who asks, not about what."""

STATELESS_ERRORS = (HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION)


def check_revision(revision: str | None) -> None:
    if revision is not None and revision not in REVISIONS:
        raise ConfigError(
            f"revision {revision!r:.40} is not known: use one of {', '.join(REVISIONS)}, or None to find out"
        )


async def negotiate(channel: Channel, me: Self, revision: str | None) -> Agreement:
    """Agree on `revision`, or on the newest that both sides speak. Raises BadAnswer when there is none."""
    if revision is None:
        return await _find_out(channel, me)
    if revision in STATELESS:
        result = await channel.request("server/discover", dress_stateless({}, me, revision))
        return _agree_discover(result, revision)
    agreement = _agree_initialize(await channel.request("initialize", _initialize_params(me, revision)), revision)
    _confirm(channel)
    return agreement


async def _find_out(channel: Channel, me: Self) -> Agreement:
    bell = Bell()
    await channel.room()
    discover = channel.begin("server/discover", dress_stateless({}, me, LATEST), bell=bell)
    with anyio.move_on_after(PROBE):
        await _ended(bell, discover)
    if discover.done:
        agreement = _read_probe(discover)
        if agreement is not None:
            return agreement
    initialize = channel.begin("initialize", _initialize_params(me, LATEST_HANDSHAKE), bell=bell)
    try:
        agreement = await _first(bell, discover, initialize)
    finally:
        channel.forget(discover)
        channel.forget(initialize)
    if not agreement.stateless:
        _confirm(channel)
    return agreement


async def _first(bell: Bell, discover: Pending, initialize: Pending) -> Agreement:
    """The first of the two to succeed, or the failure of `initialize`."""
    if not discover.done:
        await _ended(bell, discover, initialize)
        if isinstance(initialize.answer, McpError):  # as one does that only speaks the other era
            with anyio.move_on_after(PROBE):
                await _ended(bell, discover)
        if discover.done:
            agreement = _read_probe(discover)
            if agreement is not None:
                return agreement
    await _ended(bell, initialize)
    return _agree_initialize(initialize.result(), None)


async def _ended(bell: Bell, *pending: Pending) -> None:
    """One of them has."""
    while not any(one.done for one in pending):
        await bell.heard()


def _read_probe(discover: Pending) -> Agreement | None:
    """None: the server speaks the handshake era. Raises what says that there is no agreement at all."""
    answer = discover.answer
    if isinstance(answer, dict):
        supported = answer.get("supportedVersions")
        knows = isinstance(supported, list) and (_serves(supported, STATELESS) or not _serves(supported, HANDSHAKE))
        return _agree_discover(answer, None) if knows else None
    if isinstance(answer, HttpError) and 400 <= answer.status < 500 and answer.status not in DENIED:
        return None
    if not isinstance(answer, McpError):
        discover.result()  # raises: there is no connection
        return None
    if answer.code == UNSUPPORTED_VERSION:
        supported = answer.data.get("supported") if isinstance(answer.data, dict) else None
        if isinstance(supported, list) and _serves(supported, HANDSHAKE):
            return None
    if answer.code in STATELESS_ERRORS:
        raise answer
    return None


def _serves(supported: list[Any], revisions: tuple[str, ...]) -> bool:
    return any(revision in revisions for revision in supported)


def _agree_discover(result: dict[str, Any], wanted: str | None) -> Agreement:
    check_complete("server/discover", result)
    supported = result.get("supportedVersions")
    if not isinstance(supported, list):
        raise BadAnswer("The answer to server/discover has no list supportedVersions")
    common = [revision for revision in reversed(STATELESS) if revision in supported and wanted in (None, revision)]
    if common:
        return read_discover(result, common[0])
    raise BadAnswer(
        f"No revision in common: the server serves {_names(supported)}, this client {wanted or ', '.join(REVISIONS)}"
    )


def _agree_initialize(result: dict[str, Any], wanted: str | None) -> Agreement:
    answered = result.get("protocolVersion")
    if answered in HANDSHAKE and wanted in (None, answered):
        return read_initialize(result, str(answered))
    raise BadAnswer(
        f"No revision in common: the server answered initialize with {answered!r:.40}, "
        f"this client wants {wanted or ' or '.join(HANDSHAKE)}"
    )


def _initialize_params(me: Self, revision: str) -> dict[str, Any]:
    return {"protocolVersion": revision, "capabilities": me.capabilities, "clientInfo": me.info}


def _confirm(channel: Channel) -> None:
    channel.notify("notifications/initialized", {})


def _names(revisions: list[Any]) -> str:
    return ", ".join(str(revision)[:40] for revision in revisions[:10]) or "none"
