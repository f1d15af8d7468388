"""The handshake era, 2024-11-05 to 2025-11-25: what `initialize` agreed on, for one connection or session.

`initialize` is answered with the revision asked for if it is served, else with the newest of this era; it is never an
error to ask for another (https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation).
Before it only `ping` is served. A request between its answer and `notifications/initialized` is served: over HTTP the
order of two POSTs is not sure. A second `initialize` starts over.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from ..errors import INVALID_PARAMS, INVALID_REQUEST, McpError
from ..jsonrpc import Refusal, RequestMessage
from ..offered.config import ServerOptions
from ..revisions import HANDSHAKE, LATEST_HANDSHAKE, keep
from .methods import LOG_LEVELS, InitializeParams
from .shaping import capabilities, implementation

ALWAYS = ("initialize", "ping")

MAX_FOLLOWED = 1024
"""Resources that one client follows."""
MAX_FOLLOWED_TEXT = 128 * MAX_FOLLOWED
"""Characters of their URIs, all together: they are kept for as long as the client follows them."""


class Session(Struct, eq=False):
    """State of one connection. `revision` is "" until `initialize`."""

    revision: str = ""
    pushes: bool = True
    """Whether the client can be told what it didn't ask for at that moment."""
    client_info: dict[str, Any] = {}
    client_capabilities: dict[str, Any] = {}
    log_level: str = LOG_LEVELS[0]
    """Until the client sets one, it gets every level."""
    followed: set[str] = set()
    """The resources that the client has subscribed to."""
    promised: frozenset[str] = frozenset()
    """The features that `initialize` told of: changes of others would mean nothing to the client."""

    def gate(self, message: RequestMessage) -> Refusal | None:
        """The error for a request that came before `initialize`."""
        if self.revision or message.method in ALWAYS:
            return None
        text = (
            f"{message.method} came before initialize: send initialize first, or put the protocol revision into "
            "params._meta (2026-07-28)"
        )
        return Refusal(INVALID_REQUEST, text, message.id)

    def initialize(self, params: InitializeParams, options: ServerOptions, features: Collection[str]) -> dict[str, Any]:
        """Agree on a revision; gives the InitializeResult."""
        self.revision = params.version if params.version in HANDSHAKE else LATEST_HANDSHAKE
        self.client_info = params.client_info
        self.client_capabilities = params.capabilities
        self.log_level = LOG_LEVELS[0]
        self.promised = frozenset(features)
        result: dict[str, Any] = {
            "protocolVersion": self.revision,
            "capabilities": keep(self.revision, "capabilities", capabilities(features, pushes=self.pushes)),
            "serverInfo": implementation(options, self.revision),
        }
        if options.instructions:
            result["instructions"] = options.instructions
        return result

    def follow(self, uri: str) -> None:
        """`resources/subscribe`. Raises McpError -32602 for one too many."""
        if uri in self.followed:
            return
        if len(self.followed) >= MAX_FOLLOWED:
            raise McpError(INVALID_PARAMS, f"{MAX_FOLLOWED} resources are subscribed to: unsubscribe from others first")
        if sum(map(len, self.followed)) + len(uri) > MAX_FOLLOWED_TEXT:
            text = f"The URIs subscribed to have more than {MAX_FOLLOWED_TEXT} characters"
            raise McpError(INVALID_PARAMS, f"{text}: unsubscribe from others first")
        self.followed.add(uri)

    def set_level(self, level: str) -> None:
        """`logging/setLevel`. Raises McpError -32602 for a level that doesn't exist."""
        if level not in LOG_LEVELS:
            levels = ", ".join(LOG_LEVELS)
            raise McpError(INVALID_PARAMS, f"Invalid params for logging/setLevel: unknown level, use one of {levels}")
        self.log_level = level
