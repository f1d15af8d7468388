"""JSON-RPC 2.0 messages: bytes -> Message or Refusal, and the bytes of replies and notifications.

Rules:
1. `decode` never raises: what is no message becomes a Refusal, the error to answer with.
2. `params`, `result` and `error` stay raw JSON: who knows their type decodes them, once.
3. An id goes back as it came, number or string. Where it can't be read, the reply has no id: MCP's schemas forbid
   `null` (https://modelcontextprotocol.io/specification/2026-07-28/basic/index#responses).
4. The encoders never fail on text: a lone surrogate becomes U+FFFD rather than costing the reply.

msgspec doesn't check raw JSON for UTF-8, so `decode` does.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Any, Protocol, TypeGuard

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from .errors import INVALID_REQUEST, PARSE_ERROR
from .jsontext import decode_json, encode_json

Id = int | str

MAX_DEPTH = 128
"""Nesting of a message. Validators walk a value with some six Python frames a level, and CPython stops at 1,000."""

SHALLOW = 2 * MAX_DEPTH
"""Bytes that can't be nested deeper: a level takes two."""


class Message(Struct, gc=False):
    """A request (method and id), a notification (method), or a response (result or error)."""

    jsonrpc: str
    id: Id | UnsetType = UNSET
    method: str | UnsetType = UNSET
    params: Raw = Raw()
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET

    def meta_text(self) -> Raw:
        """See `WithMeta`."""
        return _decode_meta(self.params).meta if self.params else Raw()


class WithMeta(Protocol):
    """What asks for something."""

    def meta_text(self) -> Raw:
        """The JSON text of `params._meta`; empty where there is none."""
        ...


class RequestMessage(WithMeta, Protocol):
    """A message that asks for an answer."""

    id: Id

    @property
    def method(self) -> str: ...


class UnopenedRequest(RequestMessage, Protocol):
    """One whose params weren't read yet."""

    params: Raw


def is_request(message: Message) -> TypeGuard[UnopenedRequest]:
    """Whether a message asks for an answer."""
    return message.method is not UNSET and message.id is not UNSET


class MetaOnly(Struct):
    """Params of which nothing but `_meta` is read, as JSON text."""

    meta: Raw = msgspec.field(default=Raw(), name="_meta")


_decode_meta = msgspec.json.Decoder(MetaOnly).decode


class Refusal(Struct):
    """The error that answers what could not be served."""

    code: int
    message: str
    id: Id | UnsetType = UNSET
    data: Any = UNSET


class Batch(Struct):
    """A JSON array: each item one message, still raw."""

    items: list[bytes]


class Success(Struct, tag_field="jsonrpc", tag="2.0", gc=False):
    id: Id
    result: Any


class ErrorBody(Struct, omit_defaults=True):
    code: int
    message: str
    data: Any = UNSET


class Failure(Struct, tag_field="jsonrpc", tag="2.0", gc=False):
    error: ErrorBody
    id: Id | UnsetType = UNSET


class Notification(Struct, tag_field="jsonrpc", tag="2.0", gc=False):
    method: str
    params: Any = UNSET


class Request(Struct, tag_field="jsonrpc", tag="2.0", gc=False):
    id: Id
    method: str
    params: Any = UNSET


_decode = msgspec.json.Decoder(Message).decode
_encode = msgspec.json.Encoder().encode
BOM = b"\xef\xbb\xbf"
# Possessive, and a string may lack its end: otherwise broken text costs time in the square of its length.
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = [(byte in b"[{") - (byte in b"]}") for byte in range(256)]


def may_be_deep(data: bytes) -> bool:
    """Whether a message has brackets enough to be nested too deeply."""
    size = len(data)
    if size <= SHALLOW:
        return False
    arrays = data.count(b"[") if 91 in data else 0  # counting costs more than looking for one
    # A level of objects takes five bytes.
    return arrays + size // 5 > MAX_DEPTH and arrays + data.count(b"{") > MAX_DEPTH


def decode(data: bytes) -> Message | Batch | Refusal:
    """One message from its JSON text."""
    if may_be_deep(data) and _too_deep(data):
        return _refuse_depth(data)
    try:
        message = _decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode_slowly(data)
    if not is_utf8(data):  # what is skipped or stays raw was not looked at
        return Refusal(PARSE_ERROR, "Parse error: the message is not valid UTF-8", message.id)
    if message.jsonrpc != "2.0" or message.method is UNSET:
        return _check_response(message)
    return message


def reply(id: Id, result: Any) -> bytes:
    """The success response. `result` may hold Structs, Raw and plain JSON values."""
    message = Success(id, result)
    try:
        data = _encode(message)
    except (TypeError, ValueError, RecursionError):
        return encode_json(message)
    return encode_json(message) if 10 in data else data  # a line break comes only out of a Raw


def failure(id: Id | UnsetType, code: int, message: str, data: Any = UNSET) -> bytes:
    """The error response; data is left out when UNSET or None."""
    body = ErrorBody(code, message, UNSET if data is None else data)
    try:
        return encode(Failure(body, id))
    except (TypeError, ValueError) as error:
        # The data came from a handler and is no JSON: the error itself must not be lost for it.
        text = f"{message} (its data could not be encoded: {error})"
        return encode(Failure(ErrorBody(code, text), id))


def notification(method: str, params: Any = UNSET) -> bytes:
    return encode(Notification(method, params))


def request(id: Id, method: str, params: Any = UNSET) -> bytes:
    return encode(Request(id, method, params))


def encode(message: Struct) -> bytes:
    """JSON text of a message. Raises TypeError or ValueError for values that have no JSON form."""
    try:
        data = _encode(message)
    except (TypeError, ValueError, RecursionError):
        return encode_json(message)
    return encode_json(message) if 10 in data else data  # a line break, as in `reply`


def is_utf8(data: bytes) -> bool:
    """Whether all of it is UTF-8: msgspec doesn't look at what it skips or leaves raw."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _too_deep(data: bytes) -> bool:
    """Exact nesting: take strings away and count brackets up and down. Unbalanced ones are left to the parser."""
    left = _STRINGS.sub(b"", data).translate(None, _NOT_BRACKETS)
    if left.count(b"[") + left.count(b"{") != left.count(b"]") + left.count(b"}"):
        return False
    return MAX_DEPTH + 1 in accumulate(map(_STEP.__getitem__, left))  # it goes up by one: none is jumped over


def _refuse_depth(data: bytes) -> Message | Refusal:
    """The error for a request. A notification is never answered, so it goes on without what is in it."""
    id: Id | UnsetType = UNSET
    try:
        message = _decode(data)
        if message.method is not UNSET and message.id is UNSET:
            return Message("2.0", UNSET, message.method)
        id = message.id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    return Refusal(INVALID_REQUEST, f"The message is nested deeper than {MAX_DEPTH} levels", id)


def _check_response(message: Message) -> Message | Refusal:
    if message.jsonrpc != "2.0":
        return Refusal(INVALID_REQUEST, 'The message needs "jsonrpc": "2.0"', message.id)
    if message.result is UNSET and message.error is UNSET:
        return Refusal(INVALID_REQUEST, "The message has neither a method nor a result or error", message.id)
    return message


def _decode_slowly(data: bytes) -> Message | Batch | Refusal:
    """What the strict decoder refused: broken JSON, JSON that is no message, or a message written unusually."""
    try:
        value = decode_json(data.removeprefix(BOM))
    except ValueError as error:
        return Refusal(PARSE_ERROR, f"Parse error: the message is not valid JSON: {error}")
    if isinstance(value, list):
        return Batch([encode_json(item) for item in value])
    if not isinstance(value, dict):
        return Refusal(INVALID_REQUEST, "A message is a JSON object with jsonrpc, method and id")
    return _from_dict(value)


def _from_dict(value: dict[str, Any]) -> Message | Refusal:
    id = value.get("id", UNSET)
    if id is None and "method" not in value and ("result" in value or "error" in value):
        id = UNSET  # a response to a request that the peer could not read
    if isinstance(id, float) and id.is_integer():  # 1.0 is the integer 1
        id = int(id)
    if isinstance(id, bool) or not isinstance(id, int | str | UnsetType):
        return Refusal(INVALID_REQUEST, "id must be a string or an integer")
    if value.get("jsonrpc") != "2.0":
        return Refusal(INVALID_REQUEST, 'The message needs "jsonrpc": "2.0"', id)
    method = value.get("method", UNSET)
    if not isinstance(method, str | UnsetType):
        return Refusal(INVALID_REQUEST, "method must be a string", id)
    raw = {k: Raw(encode_json(value[k])) for k in ("params", "result", "error") if k in value}
    message = Message("2.0", id, method, **raw)
    return _check_response(message) if method is UNSET else message
