"""The rules of Streamable HTTP as pure decisions: headers and a message in, a refusal or nothing out.

Rules: nothing here awaits, reads a body or knows of a session. Header names are lower-case bytes, as ASGI gives them.
What is asked of whole headers is remembered for some: clients send the same ones over and over.
Sources: MCP 2026-07-28, basic/transports#streamable-http; MCP 2025-11-25, basic/transports; RFC 9110.
"""

from __future__ import annotations

import base64
import binascii
import re
import sys
from decimal import Decimal
from functools import lru_cache
from typing import Any

from msgspec import Struct, UnsetType

from ...errors import HEADER_MISMATCH, METHOD_NOT_FOUND
from ...jsonrpc import Id, Refusal, RequestMessage
from ...jsontext import decode_json
from ...protocol.methods import METHODS, Meta, Params, Request
from ...revisions import HANDSHAKE
from .asgi import Headers

VERSION = b"mcp-protocol-version"
METHOD = b"mcp-method"
NAME = b"mcp-name"
SESSION = b"mcp-session-id"
PARAM = b"mcp-param-"

ROUTING = (VERSION, METHOD, NAME)
NAMED_BY = {method: row.named for method, row in METHODS.items() if row.named}
"""method -> the member of params that Mcp-Name repeats."""

ASSUMED = "2025-03-26"
"""The revision of a request that names none and has no session (MCP 2025-11-25, basic/transports)."""

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")

ONCE = (b"host", b"origin", b"content-type", b"content-length", SESSION, b"last-event-id")
"""Headers that decide something without regard to the body: twice, they decide nothing."""

MAX_HEADERS = 128
MAX_HEADER_BYTES = 64 * 1024
"""Values of all headers together. ASGI servers differ, and some have no limit of their own."""

MAX_KNOWN = 512
MAX_KNOWN_BYTES = 4096
"""Lists of headers remembered, of requests that were let in, and the size of one. A client's differ in their lengths
and in the names of tools.
"""

SECRETS = (b"authorization", b"proxy-authorization", b"cookie")
"""With one of these nothing is remembered: credentials are to be gone with their request."""

_REFUSED = re.compile(rb"(?:^|;)[ \t]*q=0(?:\.0*)?[ \t]*(?:;|$)")  # a quality of zero, RFC 9110 section 12.4.2
_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?")
_SPACE = b" \t"  # OWS, RFC 9110 section 5.6.3
_BEGIN, _END = b"=?base64?", b"?="


class Malformed(ValueError):
    """A header value that claims to be encoded and isn't, properly."""


def status_of(code: int) -> int:
    """The status of an error before dispatch, and of a missing capability. Any other that comes after is a 200 with the
    error in its body: a client of both eras takes a 4xx it can't read for a server of the handshake era.
    """
    return 404 if code == METHOD_NOT_FOUND else 400


def _duplicate(pairs: list[tuple[bytes, bytes]]) -> str | None:
    """The first routing header that is there twice."""
    seen: set[bytes] = set()
    for name, _ in pairs:
        if name in ROUTING or name.startswith(PARAM):
            if name in seen:
                return name.decode("latin-1")
            seen.add(name)
    return None


def refuse_headers(pairs: list[tuple[bytes, bytes]], headers: Headers) -> tuple[int, str] | None:
    """The status and the reason for headers that are too many, too long, or twice what may be once."""
    if len(pairs) > MAX_HEADERS or len(b"".join(headers.values())) > MAX_HEADER_BYTES:
        return 431, f"There are more than {MAX_HEADERS} headers, or they are longer than {MAX_HEADER_BYTES} bytes"
    if len(headers) != len(pairs):
        names = [name for name, _ in pairs]
        for name in ONCE:
            if names.count(name) > 1:
                return 400, f"The header {name.decode()} was sent twice"
    return None


def duplicate_refusal(name: str, id: Id | UnsetType) -> Refusal:
    return Refusal(HEADER_MISMATCH, f"Header mismatch: {name} was sent twice", id)


def decode_value(value: bytes) -> str:
    """A header value, out of its base64 wrapping if it has one. Raises Malformed."""
    value = value.strip(_SPACE)
    if value.startswith(_BEGIN) and value.endswith(_END) and len(value) >= len(_BEGIN) + len(_END):
        inner = value[len(_BEGIN) : -len(_END)]
        try:
            raw = base64.b64decode(inner, validate=True)
            if base64.b64encode(raw) != inner:
                raise Malformed("its base64 is not canonical")
            return raw.decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            raise Malformed("its base64 is malformed" if isinstance(error, binascii.Error) else "not UTF-8") from None
    return value.decode("latin-1")


def encode_value(text: str) -> str:
    """A header value for `text`, wrapped in base64 where a header can't hold it as it is."""
    plain = text.isascii() and text.isprintable() and text == text.strip() and not text.startswith(_BEGIN.decode())
    return text if plain else f"{_BEGIN.decode()}{base64.b64encode(text.encode()).decode()}{_END.decode()}"


def is_mirrored(terms: Terms, request: Request, revision: str | UnsetType) -> bool:
    """Whether the routing headers plainly repeat what the body says. If not, `mirror` has the last word."""
    named = request.row.named
    return terms.routing == (revision, request.method, getattr(request.params, named) if named else None)


def _name_in(message: RequestMessage, params: Any) -> Any:
    """What Mcp-Name repeats; None where it isn't asked for."""
    member = NAMED_BY.get(message.method)
    return None if member is None else getattr(params, member, None)


def _routing(headers: Headers) -> tuple[str, str, str | None] | None:
    """What the routing headers say, if they are there and plain: ASCII without space around it, and not wrapped. The
    name only where one is asked for.
    """
    version, method, name = headers.get(VERSION), headers.get(METHOD), headers.get(NAME)
    if version is None or method is None or (name is not None and name.startswith(_BEGIN)):
        return None
    if not all(value.isascii() and value == value.strip(_SPACE) for value in (version, method, name or b"")):
        return None
    asked = name is not None and method.decode() in NAMED_BY
    return version.decode(), method.decode(), name.decode() if asked and name is not None else None


def mirror(headers: Headers, message: RequestMessage, params: Params, meta: Meta) -> Refusal | None:
    """-32020 unless the routing headers repeat what the body says."""
    return (
        _differs(headers, VERSION, "MCP-Protocol-Version", meta.revision, message)
        or _differs(headers, METHOD, "Mcp-Method", message.method, message)
        or _differs(headers, NAME, "Mcp-Name", _name_in(message, params), message)
    )


def _differs(headers: Headers, key: bytes, title: str, body: Any, message: RequestMessage) -> Refusal | None:
    if not isinstance(body, str):  # the body doesn't say: its own error is the better answer
        return None
    found = headers.get(key)
    if found is None:
        return _mismatch(message, f"{title} is missing; the body says {body!r:.80}")
    try:
        value = decode_value(found) if key == NAME else found.strip(_SPACE).decode("latin-1")
    except Malformed as error:
        return _mismatch(message, f"{title}: {error}")
    if value != body:
        return _mismatch(message, f"{title} header value {value!r:.80} does not match body value {body!r:.80}")
    return None


def mirror_params(
    headers: Headers, message: RequestMessage, annotated: dict[str, tuple[str, ...]], arguments: bytes
) -> Refusal | None:
    """-32020 unless the Mcp-Param-* headers repeat the arguments that a tool's schema annotates."""
    try:
        values = decode_json(arguments)
    except ValueError:
        return None  # the call itself says what is wrong with them
    for title, path in annotated.items():
        key = PARAM + title.lower().encode()
        value: Any = values
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        found = headers.get(key)
        where = ".".join(path)
        if value is None:
            if found is not None:
                return _mismatch(message, f"Mcp-Param-{title} was sent, but the argument {where} was not")
            continue
        if found is None:
            return _mismatch(message, f"Mcp-Param-{title} is missing; it repeats the argument {where}")
        try:
            text = decode_value(found)
        except Malformed as error:
            return _mismatch(message, f"Mcp-Param-{title}: {error}")
        if not _same(text, value):
            return _mismatch(message, f"Mcp-Param-{title} does not match the argument {where}")
    return None


def _same(text: str, value: Any) -> bool:
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if isinstance(value, int | float):
        if not _NUMBER.fullmatch(text):
            return False
        return int(text) == value if "." not in text else Decimal(text) == value
    return text == value if isinstance(value, str) else True  # another type: the schema's error is the better answer


def _mismatch(message: RequestMessage, fault: str) -> Refusal:
    return Refusal(HEADER_MISMATCH, f"Header mismatch: {fault}", message.id)


@lru_cache(64)
def takes(accept: bytes | None) -> tuple[bool, bool]:
    """Whether a client takes (JSON, an event stream). No Accept header means anything (RFC 9110 section 12.5.1)."""
    if accept is None:
        return True, True
    json = stream = False
    for part in accept.lower().split(b","):
        kind, _, parameters = part.partition(b";")
        if _REFUSED.search(parameters):
            continue
        kind = kind.strip()
        json = json or kind in (b"*/*", b"application/*", b"application/json")
        stream = stream or kind in (b"*/*", b"text/*", b"text/event-stream")
    return json, stream


@lru_cache(64)
def is_json(content_type: bytes | None) -> bool:
    return content_type is not None and content_type.partition(b";")[0].strip().lower() == b"application/json"


@lru_cache(64)
def _is_modern(version: bytes | None) -> bool:
    """Whether a version header speaks for the stateless era: any that isn't one of the handshake era's."""
    return version is not None and version.strip(_SPACE).decode("latin-1") not in HANDSHAKE


def _length(headers: Headers) -> int:
    length = headers.get(b"content-length", b"")
    if not length.isdigit():
        return 0
    return int(length) if len(length) <= 18 else sys.maxsize


def _assumed(version: bytes | None) -> str:
    named = (version or b"").decode("latin-1").strip()
    return named if named in HANDSHAKE else ASSUMED


class Terms(Struct, frozen=True):
    """The headers of a request, and what they say whatever its body is."""

    headers: Headers
    barred: tuple[int, str] | None
    """A status and the reason, if it isn't let in."""
    refused: tuple[int, str] | None
    """The same for a POST whose body or answer would be none of ours."""
    takes: tuple[bool, bool]
    """Whether the client takes (JSON, an event stream)."""
    modern: bool
    """Whether its version header speaks for the stateless era."""
    routing: tuple[str, str, str | None] | None
    """Revision, method and name by the headers that repeat them; None where they aren't plain."""
    assumed: str
    """The revision of a request of the handshake era that has no session."""
    length: int
    """Of the body, by its Content-Length; 0 where there is none."""
    twice: str | None
    """The first routing header that is there twice: its refusal carries the id of the message."""


class Guard:
    """Which headers are let in. Host and Origin: against DNS rebinding and foreign pages (MCP, transports#security).

    `hosts` are names with or without port, "*" lets all in; `origins` are whole origins. An origin on one of the hosts
    is let in, too: who knows the name of the host is no foreigner to it. No Origin is no browser.
    """

    def __init__(self, hosts: list[str] | None, origins: list[str] | None) -> None:
        self._hosts = {h.lower() for h in (LOOPBACK if hosts is None else hosts)}
        self._origins = {o.lower().rstrip("/") for o in origins or ()}
        self._any_host = "*" in self._hosts
        self._any_origin = "*" in self._origins
        self._known: dict[tuple[Any, ...], Terms] = {}
        self._last: tuple[tuple[Any, ...], Terms] = ((), self._look([], ()))
        """A list of headers and its terms: the last of those known that was looked up, at first the empty one."""

    def terms(self, pairs: list[tuple[bytes, bytes]]) -> Terms:
        """Of a request's headers. Clients send the same ones over and over."""
        key = tuple(pairs)
        if key == self._last[0]:  # comparing costs less than hashing
            return self._last[1]
        try:
            known = self._known.get(key)
        except TypeError:  # pairs may be lists, says ASGI
            return self.terms([(bytes(name), bytes(value)) for name, value in pairs])
        if known is None:
            return self._look(pairs, key)
        self._last = key, known
        return known

    def _look(self, pairs: list[tuple[bytes, bytes]], key: tuple[Any, ...]) -> Terms:
        headers = dict(pairs)
        get = headers.get
        forms = takes(get(b"accept"))
        refused: tuple[int, str] | None = None
        if not is_json(get(b"content-type")):
            refused = 415, "Content-Type must be application/json"
        elif get(b"content-encoding", b"identity").strip().lower() not in (b"", b"identity"):
            refused = 415, "Content-Encoding is not supported"
        elif not any(forms):
            refused = 406, "Accept must allow application/json or text/event-stream"
        barred = refuse_headers(pairs, headers) or self._bar(get(b"host"), get(b"origin"))
        twice = None if len(headers) == len(pairs) else _duplicate(pairs)
        terms = Terms(
            headers,
            barred,
            refused,
            forms,
            modern=_is_modern(get(VERSION)),
            assumed=_assumed(get(VERSION)),
            routing=_routing(headers),
            length=_length(headers),
            twice=twice,
        )
        secret = any(name in headers for name in SECRETS)
        if barred is None and not secret and sum(len(name) + len(value) for name, value in pairs) <= MAX_KNOWN_BYTES:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = terms
        return terms

    def _bar(self, host: bytes | None, origin: bytes | None) -> tuple[int, str] | None:
        if not self._any_host and not self._good_host(host):
            shown = (host or b"").decode("latin-1")[:100]
            return 421, f'Host "{shown}" is not allowed: add it to "allowedHosts"'
        if origin is not None and not self._any_origin and not self._good_origin(origin):
            return 403, f'Origin "{origin.decode("latin-1")[:100]}" is not allowed: add it to "allowedOrigins"'
        return None

    def _good_host(self, host: bytes | None) -> bool:
        if host is None:
            return False
        text = host.decode("latin-1").strip().lower()
        return text in self._hosts or _without_port(text) in self._hosts

    def _good_origin(self, origin: bytes) -> bool:
        text = origin.decode("latin-1").strip().lower()
        if text in self._origins:
            return True
        scheme, _, host = text.partition("://")
        return scheme in ("http", "https") and (host in self._hosts or _without_port(host) in self._hosts)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host
