"""The checks of schemas.py see what is wrong: a good message has no fault, each of the bad ones has."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.schemas import REVISIONS, STATELESS, faults


def reply(result: Any, **members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "result": result, **members}


def stamped(revision: str, result: dict[str, Any]) -> dict[str, Any]:
    return {**result, "resultType": "complete"} if revision == STATELESS else result


TEXT = {"type": "text", "text": "t"}


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_good_message_has_no_fault(revision: str) -> None:
    assert faults(revision, reply(stamped(revision, {"content": [TEXT]})), "tools/call") == []
    assert faults(revision, {"jsonrpc": "2.0", "id": "x", "error": {"code": -32600, "message": "no"}}, "ping") == []
    progress = {"progressToken": 0, "progress": 0.5, "total": 1}
    notification = {"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}
    assert faults(revision, notification, None) == []


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("method", "result", "members"),
    [
        ("tools/call", {}, {}),
        ("tools/call", {"content": [{"type": "video"}]}, {}),
        ("tools/call", {"content": [TEXT], "isError": "yes"}, {}),
        ("tools/call", {"content": [TEXT], "_meta": None}, {}),
        ("tools/call", {"content": [TEXT], "surprise": 1}, {}),
        ("tools/call", {"content": [TEXT]}, {"id": None}),
        ("tools/call", {"content": [TEXT]}, {"id": 1.5}),
        ("tools/list", {"tools": [{"name": "t"}]}, {}),
        ("tools/list", {"tools": [{"name": "t", "inputSchema": {"type": "array"}}]}, {}),
        ("tools/list", {"tools": [], "nextCursor": None}, {}),
        ("prompts/list", {"prompts": [{"title": "t"}]}, {}),
        ("prompts/list", {"prompts": [{"name": "p", "arguments": [{"title": "t"}]}]}, {}),
        ("prompts/get", {"messages": [{"role": "system", "content": TEXT}]}, {}),
        ("prompts/get", {"messages": [{"role": "user", "content": "t"}]}, {}),
        ("resources/list", {"resources": [{"uri": "a:b"}]}, {}),
        ("resources/list", {"resources": [{"uri": "a:b", "name": "n", "uriTemplate": "a:{b}"}]}, {}),
        ("resources/templates/list", {"resourceTemplates": [{"uri": "a:b", "name": "n"}]}, {}),
        ("resources/read", {"contents": [{"uri": "a:b"}]}, {}),
        ("resources/read", {"contents": [{"text": "t"}]}, {}),
        ("completion/complete", {"completion": {"values": "abc"}}, {}),
    ],
)
def test_a_bad_message_has_one(revision: str, method: str, result: dict[str, Any], members: dict[str, Any]) -> None:
    cached = revision == STATELESS and (method.endswith("/list") or method == "resources/read")
    caching = {"ttlMs": 0, "cacheScope": "private"} if cached else {}
    assert faults(revision, reply(stamped(revision, {**result, **caching}), **members), method)


def test_what_the_newest_results_must_carry_is_missed_there_and_a_fault_before() -> None:
    plain: dict[str, Any] = {"content": [TEXT]}
    assert faults(STATELESS, reply(plain), "tools/call")
    for revision in REVISIONS[:-1]:
        assert faults(revision, reply(stamped(STATELESS, plain)), "tools/call")
        assert bool(faults(revision, reply({**plain, "structuredContent": {}}), "tools/call")) is (
            revision < "2025-06-18"
        )
