"""Every line that a server writes, at every revision, against the published schema: see session.Session.receive."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.wire import kitchen_sink
from tests.wire.session import LOG_LEVEL, SERVER_INFO, Session

IDS = [1, 0, -3, 9007199254740993, "1", "", "text", "✓ é", "9007199254740993"]


def logging_from(session: Session, level: str) -> dict[str, str]:
    """Ask for logs from that level on: the `_meta` that a request needs for it."""
    if session.stateless:
        return {LOG_LEVEL: level}
    session.request("logging/setLevel", {"level": level})
    return {}


@pytest.mark.parametrize("id", IDS)
def test_an_id_comes_back_as_it_was(session: Session, id: int | str) -> None:
    session.request("tools/list", id=id)
    session.call("barest", id=id)
    session.call("raise", {"what": "protocol"}, id=id)
    session.request("no/such/method", id=id)


def test_the_server_says_who_it_is(session: Session) -> None:
    if session.initialized is None:
        found = session.request("server/discover").result
        assert found["supportedVersions"] == [session.revision]
        info = found["_meta"][SERVER_INFO]
    else:
        found = session.initialized.result
        assert found["protocolVersion"] == session.revision
        info = found["serverInfo"]
        assert session.request("ping").result == {}
    assert (info["name"], info["version"]) == ("kitchen-sink", "1.0.0")
    assert found["instructions"] == "Call whatever you like."


def test_all_tools_are_listed(session: Session) -> None:
    listed = session.request("tools/list").result
    assert [tool["name"] for tool in listed["tools"]] == [tool["name"] for tool in kitchen_sink.server.list_tools()]
    assert "nextCursor" not in listed
    by_name = {tool["name"]: tool for tool in listed["tools"]}
    assert by_name["barest"].keys() == {"name", "inputSchema"}
    assert by_name["barest"]["inputSchema"]["type"] == "object"


@pytest.mark.parametrize("what", kitchen_sink.VALUES)
def test_what_a_handler_may_return(session: Session, what: str) -> None:
    found = session.call("give", {"what": what}).result
    failed = what in ("not encodable", "bad block", "whole result")
    assert found.get("isError", False) is failed
    structured = what in ("object", "empty object", "struct", "not a number") and session.revision >= "2025-06-18"
    assert ("structuredContent" in found) is structured
    if structured:
        assert json.loads(found["content"][0]["text"]) == found["structuredContent"]


@pytest.mark.parametrize("tool", ["blocks", "blocks_as_dicts", "explicit", "explicit_error", "meta"])
def test_blocks_and_whole_results(session: Session, tool: str) -> None:
    assert session.call(tool).result.get("isError", False) is (tool == "explicit_error")


@pytest.mark.parametrize("tool", kitchen_sink.OUTPUTS)
def test_structured_output_of_every_kind(session: Session, tool: str) -> None:
    found = session.call(tool).result
    failed = tool in ("output_broken", "output_missing")
    assert found.get("isError", False) is failed
    if not failed and session.revision >= "2025-06-18":
        assert "structuredContent" in found
    assert len(found["content"]) == 1


def test_arguments_and_results_of_a_typed_tool(session: Session) -> None:
    order: dict[str, Any] = {"items": [{"name": "pen", "amount": 2, "note": None}], "day": "2026-07-28"}
    found = session.call("fullest", order).result
    assert json.loads(found["content"][0]["text"]) == order
    wrong = session.call("fullest", {"items": [{"amount": -1}], "day": 5}).result
    assert wrong["isError"] is True


def test_progress_and_logs(session: Session) -> None:
    meta = {"progressToken": 0, **logging_from(session, "debug")}
    exchange = session.call("report", {}, meta=meta)
    assert exchange.result["content"] == [{"type": "text", "text": "reported"}]
    params = [one["params"] for one in exchange.notifications]
    progress = [one for one in params if "progressToken" in one]
    assert [one["progress"] for one in progress] == [0, 0.5, 2]
    assert all(type(one["progressToken"]) is int for one in progress)
    logs = [one for one in params if "level" in one]
    assert [one["level"] for one in logs[:8]] == [
        "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
    ]  # fmt: skip
    assert logs[8] == {"level": "info", "data": "with a name", "logger": "some.logger"}
    logging_from(session, "error")


@pytest.mark.parametrize("token", ["", "a", 0, 9007199254740993])
def test_a_progress_token_comes_back_as_it_was(session: Session, token: int | str) -> None:
    exchange = session.call("report", meta={"progressToken": token, **logging_from(session, "emergency")})
    found = [one["params"]["progressToken"] for one in exchange.notifications if "progressToken" in one["params"]]
    assert [(type(one), one) for one in found] == [(type(token), token)] * 3


@pytest.mark.parametrize("what", ["error", "no message", "tool error", "exit"])
def test_failures_of_a_handler(session: Session, what: str) -> None:
    found = session.call("raise", {"what": what}).result
    assert found["isError"] is True
    assert found["content"][0]["text"]


@pytest.mark.parametrize("what", ["protocol", "protocol with data"])
def test_protocol_errors_of_a_handler(session: Session, what: str) -> None:
    error = session.call("raise", {"what": what}).error
    assert (error["code"], error["message"]) == (-1, "not today")
    assert ("data" in error) is (what == "protocol with data")


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no/such/method", None, -32601),
        ("tools/call", {"name": "nope"}, -32602),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": "barest", "arguments": []}, -32602),
        ("tools/list", {"cursor": "zzz"}, -32602),
    ],
)
def test_refusals(session: Session, method: str, params: dict[str, Any] | None, code: int) -> None:
    assert session.request(method, params).error["code"] == code


def test_an_unreadable_line_is_answered_without_an_id(session: Session) -> None:
    session.send(b"{not json}")
    reply = session.receive()
    assert reply["error"]["code"] == -32700
    assert "id" not in reply


def test_a_cancelled_call_is_never_answered(session: Session) -> None:
    """That nothing comes later either is seen when the server ends: see the fixture."""
    id = session.ask("tools/call", {"name": "stuck"}, meta={"progressToken": "t"})
    assert session.receive()["params"]["progress"] == 1
    session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    session.request("tools/list")
