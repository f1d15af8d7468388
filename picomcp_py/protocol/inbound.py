"""Opening a request: which era it is of, whether it may be served at all, and its params as a value.

The one signal of the era is `params._meta["io.modelcontextprotocol/protocolVersion"]`: with it the request is served
statelessly, without it in the handshake era. The checks come in this order, and the first failure answers:

1. the envelope: `_meta` and its required keys                        -32602
2. the revision is served                                             -32022
3. the method exists in that era                                      -32601
4. the params fit the method                                          -32602
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Protocol, TypeGuard

import msgspec
from msgspec import UNSET, Raw

from ..errors import INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION
from ..jsonrpc import Message, Refusal, RequestMessage, UnopenedRequest, is_utf8, may_be_deep
from ..jsontext import decode_json, encode_json
from ..revisions import LATEST, STATELESS
from .methods import (
    CAPABILITIES_KEY,
    LOG_LEVELS,
    METHODS,
    UNKNOWN,
    VERSION_KEY,
    Meta,
    Method,
    Params,
    Request,
    decode_params,
    decode_request,
)

MAX_SHOWN = 128
"""Characters of a name that the client made up, in an error."""

Mirror = Callable[[RequestMessage, Params, Meta], Refusal | None]
"""A transport's own check of a stateless request, after the first and before the second of the above."""


def open_quickly(data: bytes) -> Request | None:
    """A request, from its JSON text in one pass: nearly always. `Method.is_served` is left to the caller.

    None for what is no request, and for all that could be wrong with one: `decode` and `open_request` tell what.
    """
    if not is_utf8(data) or may_be_deep(data):
        return None
    try:
        request = decode_request(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    method = request.row
    meta = request.params.meta
    if meta and meta.revision is not UNSET:
        if not (
            meta.revision == LATEST
            and method.stateless
            and meta.client_capabilities is not UNSET
            and (not meta.log_level or meta.log_level in LOG_LEVELS)
        ):
            return None
    elif not method.handshake:
        return None
    request.text = data
    return request


def open_request(
    message: UnopenedRequest, features: Collection[str], mirror: Mirror | None = None, *, pushes: bool = True
) -> Params | Refusal:
    """The params of a request that may be served, else the error to answer with. See `Method.is_served`."""
    method = METHODS.get(message.method, UNKNOWN)
    return _open(message, method if method.is_served(features, pushes=pushes) else UNKNOWN, mirror)


def _open(message: UnopenedRequest, method: Method, mirror: Mirror | None) -> Params | Refusal:
    try:
        params = method.decode(message.params or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _open_faulty(message, method, str(error), mirror)
    return _check(message, method, params, mirror) or params


class Envelope(Protocol):
    """A Meta that says who sent the request."""

    revision: str
    log_level: str | None
    client_capabilities: dict[str, Any]

    @property
    def client_info(self) -> dict[str, Any]: ...


class StatelessParams(Protocol):
    """Params with an envelope."""

    meta: Envelope


def is_stateless(params: Params) -> TypeGuard[StatelessParams]:
    """Whether the request is of the stateless era."""
    meta = params.meta
    return isinstance(meta, Meta) and meta.revision is not UNSET


_VERSION_BYTES = VERSION_KEY.encode()


def carries_envelope(message: Message | UnopenedRequest) -> bool:
    """Whether a message is of the stateless era, be its envelope good or bad."""
    raw = bytes(message.params)
    if _VERSION_BYTES not in raw and b"\\" not in raw:  # some encoders write "\\/"
        return False
    try:
        params = decode_json(raw)
    except ValueError:
        return True
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and VERSION_KEY in meta


def _check(message: RequestMessage, method: Method, params: Params, mirror: Mirror | None) -> Refusal | None:
    meta = params.meta
    if isinstance(meta, Meta) and meta.revision is not UNSET:
        return _check_stateless(message, method, params, meta, mirror)
    if method.handshake:
        return None
    if method.stateless:
        return _refuse_envelope(message, f'"{VERSION_KEY}" is missing: {message.method} exists in 2026-07-28 and later')
    return _refuse_method(message)


def _check_stateless(
    message: RequestMessage, method: Method, params: Params, meta: Meta, mirror: Mirror | None
) -> Refusal | None:
    if meta.client_capabilities is UNSET:
        return _refuse_envelope(message, f'"{CAPABILITIES_KEY}" is missing: send an object, {{}} for none')
    if meta.log_level and meta.log_level not in LOG_LEVELS:
        return _refuse_envelope(message, f"unknown log level, use one of {', '.join(LOG_LEVELS)}")
    if mirror is not None and (refusal := mirror(message, params, meta)) is not None:
        return refusal
    if meta.revision not in STATELESS:
        data = {"supported": list(STATELESS), "requested": _shown(str(meta.revision))}
        return Refusal(UNSUPPORTED_VERSION, "Unsupported protocol version", message.id, data)
    if not method.stateless:
        return _refuse_method(message)
    return None


def _open_faulty(message: UnopenedRequest, method: Method, fault: str, mirror: Mirror | None) -> Params | Refusal:
    """The params don't fit: the first failing check in the order above, down to what the decoder said."""
    mended = Raw(b"{}") if bytes(message.params) == b"null" else _mend_token(message.params)  # null is absent
    if mended:
        message.params = mended
        return _open(message, method, mirror)
    try:
        params = decode_params(message.params)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if "_meta" in str(error):
            return _refuse_envelope(message, _reword(str(error)))
        return _refuse_params(message, str(error))
    return _check(message, method, params, mirror) or _refuse_params(message, fault)


def _mend_token(raw: Raw) -> Raw | None:
    """The params with a progress token written as 1.0 made the integer that it is; None if that isn't the fault."""
    try:
        params = decode_json(bytes(raw))
    except ValueError:
        return None
    meta = params.get("_meta") if isinstance(params, dict) else None
    if not isinstance(meta, dict):
        return None
    token = meta.get("progressToken")
    if not isinstance(token, float) or not token.is_integer():
        return None
    return Raw(encode_json({**params, "_meta": {**meta, "progressToken": int(token)}}))


def _refuse_method(message: RequestMessage) -> Refusal:
    return Refusal(METHOD_NOT_FOUND, f"Method not found: {_shown(message.method)}", message.id)


def _refuse_envelope(message: RequestMessage, fault: str) -> Refusal:
    return Refusal(INVALID_PARAMS, f"Invalid params._meta: {fault}", message.id)


def _refuse_params(message: RequestMessage, fault: str) -> Refusal:
    return Refusal(INVALID_PARAMS, f"Invalid params for {_shown(message.method)}: {_reword(fault)}", message.id)


def _shown(text: str) -> str:
    """What a client sent, in an error: not more than a line of it."""
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


def _reword(fault: str) -> str:
    """msgspec's "Expected `str`, got `int` - at `$.name`" as "expected str, got int at params.name"."""
    text = fault.replace(" - at `$", " at `params").replace("`", "")
    return text[:1].lower() + text[1:]
