"""Whatever comes, the answer is one of the known kinds, and the next request is served."""

from __future__ import annotations

import json
from typing import Any

import anyio
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.profiles import examples
from tests.peer import HANDSHAKE, MODERN, envelope
from tests.transports.http.driver import ask, call
from tests.transports.http.servers import make

STATUSES = {200, 202, 204, 400, 403, 404, 405, 406, 409, 413, 415, 421, 431}

NAMES = ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Last-Event-ID", "Accept", "Content-Type"]
NAMES += ["Content-Length", "Content-Encoding", "Origin", "Host", "Mcp-Param-Region"]
TEXT = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\0"), max_size=20)
VALUES = TEXT | st.sampled_from(
    [MODERN, *HANDSHAKE, "tools/call", "region", "*/*", "application/json", "localhost", "0"]
)
VALUES |= st.builds("=?base64?{}?=".format, TEXT)
HEADERS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
METHODS = st.sampled_from(["tools/call", "tools/list", "ping", "initialize", "server/discover", "notifications/x", ""])
PARAMS = JSON | st.fixed_dictionaries(
    {},
    optional={
        "_meta": JSON | st.just(envelope()),
        "name": JSON | st.sampled_from(["region", "echo", "steps"]),
        "arguments": JSON | st.fixed_dictionaries({"region": JSON}),
        "protocolVersion": TEXT | st.sampled_from(HANDSHAKE),
    },
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | JSON},
    optional={"id": st.integers() | TEXT | JSON, "method": METHODS | JSON, "params": PARAMS, "result": JSON},
)
BODIES = st.binary(max_size=40) | (MESSAGES | JSON | st.lists(MESSAGES, max_size=3)).map(
    lambda value: json.dumps(value).encode()
)
VERBS = st.sampled_from(["POST"] * 6 + ["GET", "DELETE", "PUT", "OPTIONS"])


@examples(60)
@given(requests=st.lists(st.tuples(VERBS, HEADERS, BODIES), min_size=1, max_size=8))
def test_any_request_has_an_answer_of_a_known_kind(requests: list[tuple[str, dict[str, str], bytes]]) -> None:
    async def main() -> None:
        app = make().asgi()
        for method, headers, body in requests:
            answered = await ask(app, body, method=method, headers=dict(headers))
            assert answered.status in STATUSES, (answered.status, answered.body)
            if answered.body and answered.headers["content-type"] == "application/json":
                check(json.loads(answered.body))
        assert (await ask(app, **call("echo", {"a": 1}))).json["result"]

    anyio.run(main)


def check(reply: Any) -> None:
    for one in reply if isinstance(reply, list) else [reply]:
        assert one["jsonrpc"] == "2.0"
        assert one.get("id", "") is not None
        assert ("result" in one) is not ("error" in one)
