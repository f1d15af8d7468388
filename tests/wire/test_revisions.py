"""What differs between revisions: an old client isn't sent what came later, the newest gets all it must have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.wire.session import LOG_LEVEL, SERVER_INFO, VERSION, Session

SINCE = {"annotations": "2025-03-26", "title": "2025-06-18", "outputSchema": "2025-06-18", "icons": "2025-11-25"}
BLOCKS = {
    "2024-11-05": {"text", "image", "resource"},
    "2025-03-26": {"text", "image", "resource", "audio"},
}
ALL_BLOCKS = {"text", "image", "resource", "audio", "resource_link"}
WRAPPING = ("2025-06-18", "2025-11-25")


@pytest.mark.parametrize(("member", "revision"), SINCE.items())
def test_members_of_a_tool_appear_with_their_revision(session: Session, member: str, revision: str) -> None:
    tools = {tool["name"]: tool for tool in session.request("tools/list").result["tools"]}
    assert (member in tools["fullest"]) is (session.revision >= revision)
    assert tools["fullest"].get("_meta") == (
        {"example.com/key": {"any": ["value", 1]}} if session.revision >= "2025-06-18" else None
    )


@pytest.mark.parametrize(
    ("member", "revision"), {"title": "2025-06-18", "icons": "2025-11-25", "websiteUrl": "2025-11-25"}.items()
)
def test_members_of_the_server_appear_with_their_revision(session: Session, member: str, revision: str) -> None:
    if session.initialized is None:
        info = session.request("server/discover").result["_meta"][SERVER_INFO]
    else:
        info = session.initialized.result["serverInfo"]
    assert (member in info) is (session.revision >= revision)


@pytest.mark.parametrize("tool", ["blocks", "blocks_as_dicts"])
def test_a_client_gets_only_blocks_that_it_knows(session: Session, tool: str) -> None:
    """And as many: a block that a client doesn't know is replaced by one that says the same."""
    content = session.call(tool).result["content"]
    assert {block["type"] for block in content} == BLOCKS.get(session.revision, ALL_BLOCKS)
    assert len(content) == (12 if tool == "blocks" else 5)
    if session.revision < "2025-06-18" and tool == "blocks_as_dicts":
        assert content[3] == {"type": "text", "text": "a.txt: file:///a.txt"}
    if session.revision < "2025-03-26" and tool == "blocks_as_dicts":
        assert content[2]["resource"]["mimeType"] == "audio/wav"


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("output_list", [1, 2]),
        ("output_text", "just text"),
        ("output_number", 1.5),
        ("output_null", None),
        ("output_ref", 7),
        ("output_structs", [{"name": "pen", "amount": 1, "note": None}, {"name": "ink", "amount": 2, "note": "blue"}]),
    ],
)
def test_structured_output_that_is_no_object(session: Session, tool: str, value: Any) -> None:
    """As it is at 2026-07-28, wrapped for the two revisions that want an object, text alone before."""
    found = session.call(tool).result
    wanted = {"result": value} if session.revision in WRAPPING else value
    if session.revision < "2025-06-18":
        assert "structuredContent" not in found
    else:
        assert found["structuredContent"] == wanted
    assert json.loads(found["content"][0]["text"]) == value or tool == "output_text"
    schema = {one["name"]: one for one in session.request("tools/list").result["tools"]}[tool].get("outputSchema")
    if session.revision in WRAPPING:
        assert schema["type"] == "object"
        assert schema["required"] == ["result"]
    elif session.stateless:
        assert schema.get("type") != "object"


def test_only_the_newest_results_are_stamped(session: Session) -> None:
    results = {
        "tools/list": session.request("tools/list").result,
        "tools/call": session.call("barest").result,
        "explicit": session.call("explicit").result,
    }
    if not session.stateless:
        assert results["tools/call"] == {"content": []}
        assert results["tools/list"].keys() == {"tools"}
        assert SERVER_INFO not in results["explicit"]["_meta"]
        return
    results["server/discover"] = session.request("server/discover").result
    for result in results.values():
        assert result["resultType"] == "complete"
        assert result["_meta"][SERVER_INFO]["name"] == "kitchen-sink"
    assert results["explicit"]["_meta"]["example.com/key"] == {"any": ["value", 1]}
    for method in ("tools/list", "server/discover"):
        assert (results[method]["ttlMs"], results[method]["cacheScope"]) == (0, "private")
    assert "ttlMs" not in results["tools/call"]


def test_the_meta_of_a_request_reaches_the_tool(session: Session) -> None:
    seen = session.call("meta", meta={"example.com/trace": "t"}).result["content"][0]["text"].split()
    assert "example.com/trace" in seen


def test_logs_come_unasked_in_the_handshake_era_only(session: Session) -> None:
    levels = [one["params"]["level"] for one in session.call("report").notifications if "level" in one["params"]]
    assert len(levels) == (0 if session.stateless else 9)
    asked = session.call("report", meta={LOG_LEVEL: "alert"}).notifications if session.stateless else []
    assert [one["params"]["level"] for one in asked] == (["alert", "emergency"] if session.stateless else [])


def test_the_message_of_progress_came_later(session: Session) -> None:
    notifications = session.call("report", meta={"progressToken": "p"}).notifications
    progress = [one["params"] for one in notifications if "progressToken" in one["params"]]
    assert progress[-1].get("message") == ("all of it" if session.revision >= "2025-03-26" else None)


def test_batches_exist_at_one_revision(session: Session) -> None:
    method = "tools/list" if session.stateless else "ping"
    session.asked.update({"a": method, "b": method})
    session.send([{"jsonrpc": "2.0", "id": id, "method": method} for id in ("a", "b")])
    reply = session.receive()
    if session.revision == "2025-03-26":
        assert sorted(one["id"] for one in reply) == ["a", "b"]
    else:
        assert reply["error"]["code"] == -32600


def test_methods_of_the_other_era_are_refused(session: Session) -> None:
    if session.stateless:
        foreign = ["initialize", "ping", "logging/setLevel"]
        assert [session.request(method, {}).error["code"] for method in foreign] == [-32601] * 3
    else:  # it would be served with the envelope of its era, and the error says so
        error = session.request("server/discover").error
        assert error["code"] == -32602
        assert VERSION in error["message"]
