"""The two eras, as a client sees them: what was agreed on with the server, and how a request is dressed.

Handshake era (up to 2025-11-25): a request goes out as it is; what both sides are was said in `initialize`.
Stateless era (2026-07-28): every request carries the revision, the client's capabilities and info in `params._meta`
(https://modelcontextprotocol.io/specification/2026-07-28/basic/index#_meta).
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ..protocol.methods import (
    CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    LOG_LEVEL_KEY,
    LOG_LEVELS,
    SERVER_INFO_KEY,
    VERSION_KEY,
)
from .errors import BadAnswer


class Self(Struct):
    """What this client says of itself."""

    info: dict[str, Any]
    capabilities: dict[str, Any]
    log_level: str | None = None
    """The least level of log messages to ask for; None: none in the stateless era, what the server likes before."""


class Agreement(Struct, kw_only=True):
    """What both sides agreed on, and what the server said of itself."""

    revision: str
    stateless: bool
    server_info: dict[str, Any]
    capabilities: dict[str, Any]
    instructions: str | None = None

    def dress(self, params: dict[str, Any], me: Self) -> dict[str, Any]:
        """The params as they go out."""
        return dress_stateless(params, me, self.revision) if self.stateless else params


def dress_stateless(params: dict[str, Any], me: Self, revision: str) -> dict[str, Any]:
    """The params with the envelope. Keys of `_meta` that aren't the envelope's stay."""
    envelope: dict[str, Any] = {
        VERSION_KEY: revision,
        CAPABILITIES_KEY: me.capabilities,
        CLIENT_INFO_KEY: me.info,
    }
    if me.log_level is not None:
        envelope[LOG_LEVEL_KEY] = me.log_level
    return {**params, "_meta": {**(params.get("_meta") or {}), **envelope}}


def read_discover(result: dict[str, Any], revision: str) -> Agreement:
    """The Agreement of a DiscoverResult."""
    meta = result.get("_meta")
    info = meta.get(SERVER_INFO_KEY) if isinstance(meta, dict) else None
    return Agreement(
        revision=revision,
        stateless=True,
        server_info=_dict(info),
        capabilities=_dict(result.get("capabilities")),
        instructions=_text(result.get("instructions")),
    )


def read_initialize(result: dict[str, Any], revision: str) -> Agreement:
    """The Agreement of an InitializeResult."""
    return Agreement(
        revision=revision,
        stateless=False,
        server_info=_dict(result.get("serverInfo")),
        capabilities=_dict(result.get("capabilities")),
        instructions=_text(result.get("instructions")),
    )


def check_level(level: str) -> str:
    """The level itself. Raises ValueError, naming the levels there are."""
    if level not in LOG_LEVELS:
        raise ValueError(f"Unknown log level {level!r:.40}: use one of {', '.join(LOG_LEVELS)}")
    return level


def check_complete(method: str, result: dict[str, Any]) -> dict[str, Any]:
    """The result itself. Raises BadAnswer for an interim one (2026-07-28, multi round-trip requests)."""
    kind = result.get("resultType", "complete")
    if kind == "complete":
        return result
    asked = result.get("inputRequests")
    wanted = sorted({str(_dict(r).get("method")) for r in asked.values()}) if isinstance(asked, dict) else []
    what = f"asks for {', '.join(wanted)}" if wanted else "asks for another round"
    raise BadAnswer(
        f'The answer to {method} is not complete (resultType "{kind}"): the server {what}, for which this '
        "client has no handler"
    )


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
