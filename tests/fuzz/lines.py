"""Strategies for what may arrive on stdin: messages of both eras, the same damaged, other JSON, and mere bytes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

# Few: so that several messages have one id.
IDS = st.sampled_from([1, 2, 3, 0, -1, "1", "", "ä", 2**70, 9007199254740993]) | st.integers() | st.text(max_size=5)
BAD_IDS: st.SearchStrategy[Any] = st.sampled_from([None, True, 1.5, 1.0, -0.0, 1e30, [], {}, "\ud800"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from([10**30, -(10**25), 1e308, 5e-324, "\ud800", "\udfffx", "\x00", "\u2028", "true", "5", "é😀"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(
    ["dict", "msgspec", "pydantic", "none", "raises", "thread", "later", "structured", "nope", "", 5]
)
ARGUMENTS = (
    st.fixed_dictionaries(
        {},
        optional={"n": st.sampled_from([1, 5.0, 10**20, "5", True, None]) | JSON, "s": JSON, "tags": JSON, "x": JSON},
    )
    | JSON
)
VERSIONS = st.sampled_from(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "1.0", "", None, 5])
META = st.fixed_dictionaries(
    {},
    optional={
        VERSION: st.sampled_from(["2026-07-28"] * 8 + ["2025-06-18", "x", "", 5, None]),
        CAPABILITIES: st.sampled_from([{}] * 6 + [{"sampling": {}}, None, [], 5]),
        "progressToken": st.sampled_from([0, 1, "", "a", None, 1.5, {}]),
        "io.modelcontextprotocol/clientInfo": st.sampled_from([{"name": "x", "version": "1"}, {}, None, 5]),
        "io.modelcontextprotocol/logLevel": st.sampled_from(["debug", "error", "loud", None, 5]),
        "vendor/x": JSON,
    },
)
MODERN_META = META.map(lambda meta: {**meta, VERSION: "2026-07-28", CAPABILITIES: {}})


def _params(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional={"_meta": META | MODERN_META | JSON, "extra": JSON, **members})


METHODS: dict[str, st.SearchStrategy[Any]] = {
    "tools/call": _params(name=NAMES, arguments=ARGUMENTS),
    "tools/list": _params(cursor=st.sampled_from([None, "", "zzz", 5])),
    "ping": _params(),
    "initialize": _params(protocolVersion=VERSIONS, capabilities=st.just({}) | JSON, clientInfo=JSON),
    "logging/setLevel": _params(level=st.sampled_from(["debug", "loud", None, 5])),
    "server/discover": _params(),
    "notifications/cancelled": _params(requestId=IDS | BAD_IDS | JSON, reason=JSON),
    "notifications/initialized": _params(),
    "notifications/xyz": _params(),
    "prompts/list": _params(),
    "": _params(),
}


@st.composite
def _messages(draw: st.DrawFn) -> dict[str, Any]:
    """A request or notification, mostly well made."""
    # Calls are most of what there is to go wrong.
    method = draw(st.sampled_from(["tools/call"] * 5 + list(METHODS)))
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if not method.startswith("notifications/") or draw(st.integers(0, 9)) == 0:
        message["id"] = draw(IDS if draw(st.integers(0, 9)) else BAD_IDS)
    message["method"] = method
    params = draw(METHODS[method])
    if method == "tools/call" and draw(st.integers(0, 2)):
        params = {"name": "dict", **params}
    if draw(st.integers(0, 9)):
        message["params"] = params
    elif draw(st.booleans()):
        message["params"] = draw(JSON)
    return message


MESSAGES = _messages()
RESPONSES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": IDS | BAD_IDS}, optional={"result": JSON, "error": JSON}
)


@st.composite
def _odd_messages(draw: st.DrawFn) -> Any:
    """A message with a member taken away, replaced or added."""
    message = dict(draw(MESSAGES | RESPONSES))
    member = draw(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "x"]))
    if draw(st.booleans()):
        message.pop(member, None)
    else:
        message[member] = draw(JSON)
    return message


def dump(value: Any, *, ascii_only: bool = True) -> bytes:
    return json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":")).encode("utf-8", "surrogatepass")


@st.composite
def _damaged(draw: st.DrawFn) -> bytes:
    """The bytes of a message, with a few of them cut out, replaced or repeated."""
    data = dump(draw(MESSAGES), ascii_only=draw(st.booleans()))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 8)))
        middle = draw(st.binary(max_size=4) | st.just(data[at:end] * 2) | st.sampled_from(BITS))
        data = data[:at] + middle + data[end:]
    return data


BITS = [
    b"\xff", b"\x00", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\r", b"\t", b'"', b"\\",
    b"{", b"}", b"[", b"]", b",", b":", b"NaN", b"Infinity", b"1e999", b"-", b"01", b"9" * 5000, b"\\ud800", b"\\u0000",
    b'"id":7,', b'"id":null,', b'"jsonrpc":"1.0",', b'"method":"ping",',
]  # fmt: skip


@st.composite
def _deep(draw: st.DrawFn) -> bytes:
    """A message nested around the limit, around the interpreter's, and far beyond."""
    levels = draw(st.sampled_from([100, 124, 125, 126, 127, 128, 129, 150, 500, 1000, 3000, 20_000]))
    start, end = draw(st.sampled_from([(b"[", b"]"), (b'{"a":', b"}"), (b'[{"b":[', b"]}]")]))
    inner = (
        start * levels
        + draw(st.sampled_from([b"1", b"", b'"["']))
        + end * draw(st.sampled_from([levels] * 4 + [levels - 1]))
    )
    if start != b"[" and inner.startswith(start * levels + end):
        inner = inner.replace(start + end, start + b"2" + end)
    where = draw(st.integers(0, 3))
    if where == 0:
        return inner
    if where == 1:
        return b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":%b}}' % inner
    if where == 2:
        return b'{"id":"d","params":{"name":"none","arguments":{"x":%b}},"jsonrpc":"2.0","method":"tools/call"}' % inner
    return b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"dict","arguments":{"x":%b}}}' % inner


@st.composite
def _repeated_keys(draw: st.DrawFn) -> bytes:
    """An object whose members come more than once: the last counts."""
    pairs = [*draw(MESSAGES).items(), *draw(MESSAGES | _odd_messages()).items()]
    pairs = draw(st.permutations(pairs))
    return b"{" + b",".join(dump(key) + b":" + dump(value) for key, value in pairs) + b"}"


@st.composite
def _spaced(draw: st.DrawFn) -> bytes:
    """A message with white space, a mark or a CR around it."""
    data = json.dumps(draw(MESSAGES), indent=draw(st.sampled_from([None, 1]))).replace("\n", " ").encode()
    before = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b" ", b"\t \r", b"\xef\xbb\xbf "]))
    return before + data + draw(st.sampled_from([b"", b"\r", b" ", b"\r\r", b" \t", b"\x00", b" x"]))


BATCHES = st.lists(MESSAGES | RESPONSES | _odd_messages() | JSON, max_size=4)

LINES: st.SearchStrategy[bytes] = st.one_of(
    MESSAGES.map(dump),
    MESSAGES.map(lambda message: dump(message, ascii_only=False)),
    MESSAGES.map(dump),
    _odd_messages().map(dump),
    RESPONSES.map(dump),
    _damaged(),
    _damaged(),
    _repeated_keys(),
    _spaced(),
    _deep(),
    BATCHES.map(dump),
    JSON.map(dump),
    st.binary(max_size=40),
    st.sampled_from([b"", b"\r", b" ", b"\xef\xbb\xbf", b"\x00", b"null", b"{}", b"[]", b"[[]]"]),
).map(lambda line: line.replace(b"\n", b" "))


@st.composite
def cut(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """The bytes in pieces, cut anywhere."""
    points = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return [data[a:b] for a, b in zip([0, *points], [*points, len(data)], strict=True) if a < b]
