"""The methods a client may call: in which era each exists, what a server offers with it, and the shape of its params.

The structs hold no cycles, so the collector needn't look at them (`gc=False`).
Unknown members of params are ignored, a null `_meta` or cursor is an absent one: clients send both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar, Literal, Union

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from ..jsonrpc import Id, MetaOnly
from ..jsontext import decode_json

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""RFC 5424 severities, from least to most."""

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"


class Meta(Struct, gc=False):
    """The keys of a request's `_meta` that mean something to the server.

    With a revision it is an envelope, a stateless request's own account of who sent it: opened, it has capabilities.
    """

    revision: str | UnsetType = field(default=UNSET, name=VERSION_KEY)
    client_capabilities: dict[str, Any] | UnsetType = field(default=UNSET, name=CAPABILITIES_KEY)
    info: Raw | UnsetType = field(default=UNSET, name=CLIENT_INFO_KEY)
    log_level: str | None = field(default=None, name=LOG_LEVEL_KEY)
    """None or "": the request asked for no log messages."""
    progress_token: Id | UnsetType | None = field(default=UNSET, name="progressToken")

    @property
    def client_info(self) -> dict[str, Any]:
        info = decode_json(bytes(self.info)) if self.info else {}
        return info if isinstance(info, dict) else {}


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


class UriParams(Params, kw_only=True, gc=False):
    """resources/read, resources/subscribe, resources/unsubscribe."""

    uri: str


class PromptParams(Params, kw_only=True, gc=False):
    name: str
    arguments: Raw = Raw()


class Reference(Struct, gc=False):
    """What a completion is for: a prompt's argument, or a variable of a resource template."""

    type: Literal["ref/prompt", "ref/resource"]
    name: str | UnsetType = UNSET
    uri: str | UnsetType = UNSET


class Argument(Struct, gc=False):
    name: str
    value: str


class Chosen(Struct):
    """The other arguments, as far as they were chosen."""

    arguments: dict[str, str] | None = None


class CompleteParams(Params, kw_only=True):
    ref: Reference
    argument: Argument
    context: Chosen | None = None


class Wanted(Struct, rename="camel"):
    """The changes that a subscriptions/listen asks for."""

    tools_list_changed: bool | None = None
    prompts_list_changed: bool | None = None
    resources_list_changed: bool | None = None
    resource_subscriptions: list[str] | None = None


class ListenParams(Params, kw_only=True):
    notifications: Wanted


class Request(Struct, gc=False):
    """A request with its params read. `text` is the whole message, for what nobody has read of it yet."""

    jsonrpc: Literal["2.0"]
    id: Id
    params: Params
    text: bytes = b""
    method: ClassVar[str]
    row: ClassVar[Method]

    def meta_text(self) -> Raw:
        """See `jsonrpc.WithMeta`."""
        return _decode_meta(self.text).params.meta


class _ParamsOnly(Struct):
    params: MetaOnly


_decode_meta = msgspec.json.Decoder(_ParamsOnly).decode


class CancelParams(Struct):
    id: Id | float | None = field(default=None, name="requestId")
    reason: Any = None


class Method:
    """One row: the decoder of its params, the eras it exists in, the feature that it needs, whether it makes sense only
    where the server can send what nobody asked for at that moment, and the member of its params that says which tool,
    prompt or resource it is about.
    """

    __slots__ = ("decode", "handshake", "named", "needs", "params", "pushed", "stateless")

    def __init__(
        self, params: type[Params], *eras: str, needs: str = "", pushed: bool = False, named: str = ""
    ) -> None:
        self.params = params
        self.decode = msgspec.json.Decoder(params).decode
        self.handshake = HANDSHAKE in eras
        self.stateless = STATELESS in eras
        self.needs = needs
        self.pushed = pushed
        self.named = named

    def is_served(self, features: Collection[str], *, pushes: bool = True) -> bool:
        """By a server that offers `features`, to a client that it can push notifications to, or not. What needs no
        feature always is.
        """
        return not self.needs or (self.needs in features and (pushes or not self.pushed))


HANDSHAKE, STATELESS = "handshake", "stateless"

METHODS = {
    "initialize": Method(InitializeParams, HANDSHAKE),
    "ping": Method(Params, HANDSHAKE),
    "logging/setLevel": Method(LevelParams, HANDSHAKE),
    "server/discover": Method(Params, STATELESS),
    "subscriptions/listen": Method(ListenParams, STATELESS),
    "tools/list": Method(ListParams, HANDSHAKE, STATELESS),
    "tools/call": Method(CallParams, HANDSHAKE, STATELESS, named="name"),
    "prompts/list": Method(ListParams, HANDSHAKE, STATELESS, needs="prompts"),
    "prompts/get": Method(PromptParams, HANDSHAKE, STATELESS, needs="prompts", named="name"),
    "resources/list": Method(ListParams, HANDSHAKE, STATELESS, needs="resources"),
    "resources/templates/list": Method(ListParams, HANDSHAKE, STATELESS, needs="resources"),
    "resources/read": Method(UriParams, HANDSHAKE, STATELESS, needs="resources", named="uri"),
    "resources/subscribe": Method(UriParams, HANDSHAKE, needs="resources", pushed=True),
    "resources/unsubscribe": Method(UriParams, HANDSHAKE, needs="resources", pushed=True),
    "completion/complete": Method(CompleteParams, HANDSHAKE, STATELESS, needs="completions"),
}
UNKNOWN = Method(Params)


def _request_type(name: str, method: Method) -> type[Request]:
    return msgspec.defstruct(  # type: ignore[return-value]  # one of its bases
        "Request",
        [("params", method.params)],
        bases=(Request,),
        namespace={"method": name, "row": method},
        tag_field="method",
        tag=name,
        gc=False,
    )


decode_request: Callable[[bytes], Request] = msgspec.json.Decoder(
    Union[tuple(_request_type(name, method) for name, method in METHODS.items())]  # noqa: UP007  # made of values
).decode
"""A request of any of the methods, in one pass; DecodeError for all else."""
decode_params = msgspec.json.Decoder(Params).decode
decode_cancel = msgspec.json.Decoder(CancelParams).decode
