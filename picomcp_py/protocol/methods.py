"""The methods a client may call: in which era each exists, and the shape of its params.

The structs hold no cycles, so the collector needn't look at them (`gc=False`).
Unknown members of params are ignored, a null `_meta` or cursor is an absent one: clients send both.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from ..jsonrpc import Id

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""RFC 5424 severities, from least to most."""

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"


class Meta(Struct, gc=False):
    """The keys of a request's `_meta` that mean something to the server."""

    version: str | UnsetType = field(default=UNSET, name=VERSION_KEY)
    capabilities: dict[str, Any] | UnsetType = field(default=UNSET, name=CAPABILITIES_KEY)
    client_info: Raw | UnsetType = field(default=UNSET, name=CLIENT_INFO_KEY)
    log_level: str | UnsetType | None = field(default=UNSET, name=LOG_LEVEL_KEY)
    progress_token: Id | UnsetType | None = field(default=UNSET, name="progressToken")


class Params(Struct, gc=False):
    meta: Meta | UnsetType | None = field(default=UNSET, name="_meta")


class ListParams(Params, gc=False):
    cursor: str | None = None


class CallParams(Params, kw_only=True, gc=False):
    name: str
    arguments: Raw = Raw()


class InitializeParams(Params, kw_only=True, gc=False):
    version: str = field(name="protocolVersion")
    capabilities: dict[str, Any] = {}
    client_info: dict[str, Any] = field(default_factory=dict, name="clientInfo")


class LevelParams(Params, kw_only=True, gc=False):
    level: str


class CancelParams(Struct):
    id: Id | float | None = field(default=None, name="requestId")
    reason: Any = None


class Method:
    """One row: the decoder of its params, and the eras it exists in."""

    __slots__ = ("decode", "handshake", "stateless")

    def __init__(self, params: type[Params], *, handshake: bool = False, stateless: bool = False) -> None:
        self.decode = msgspec.json.Decoder(params).decode
        self.handshake = handshake
        self.stateless = stateless


METHODS = {
    "initialize": Method(InitializeParams, handshake=True),
    "ping": Method(Params, handshake=True),
    "logging/setLevel": Method(LevelParams, handshake=True),
    "server/discover": Method(Params, stateless=True),
    "tools/list": Method(ListParams, handshake=True, stateless=True),
    "tools/call": Method(CallParams, handshake=True, stateless=True),
}
UNKNOWN = Method(Params)

decode_params = msgspec.json.Decoder(Params).decode
decode_cancel = msgspec.json.Decoder(CancelParams).decode
