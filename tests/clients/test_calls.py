"""The official Python and TypeScript clients, in both eras, against a server on stdio and over HTTP.

A client does all its steps in one connection, once: starting two programs takes far longer than all the calls.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

from tests.clients.drivers import CLIENTS, ERAS, TRANSPORTS, drive

SERVER = Path(__file__).parent / "server.py"

STEPS: dict[str, dict[str, Any]] = {
    "list": {"do": "list"},
    "good": {"do": "call", "name": "add", "arguments": {"a": 2, "b": 3}},
    "not an object": {"do": "call", "name": "squares", "arguments": {}},
    "bad": {"do": "call", "name": "add", "arguments": {"a": "x", "b": 101}},
    "fails": {"do": "call", "name": "fail", "arguments": {}},
    "refuses": {"do": "call", "name": "refuse", "arguments": {}},
    "unknown": {"do": "call", "name": "nope", "arguments": {}},
    "reports": {"do": "call", "name": "count", "arguments": {}, "at_progress": "go_on"},
    "cancelled": {"do": "call", "name": "stuck", "arguments": {}, "at_progress": "cancel"},
    "after that": {"do": "call", "name": "was_cancelled", "arguments": {}},
}


@functools.cache
def connection(client: str, era: str, transport: str) -> dict[str, Any]:
    """What `drive` reports of all STEPS, with the outcomes by name."""
    report = drive(client, era, SERVER, list(STEPS.values()), transport)
    return {**report, "outcomes": dict(zip(STEPS, report["outcomes"], strict=True))}


@pytest.fixture(
    params=[f"{client}-{era}-{transport}" for client in CLIENTS for era in ERAS for transport in TRANSPORTS]
)
def report(request: pytest.FixtureRequest) -> dict[str, Any]:
    return connection(*request.param.split("-"))


@pytest.fixture
def outcomes(report: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = report["outcomes"]
    return found


def texts(outcome: dict[str, Any]) -> list[str]:
    return [block["text"] for block in outcome["result"]["content"]]


def test_the_client_learns_who_the_server_is(report: dict[str, Any]) -> None:
    assert (report["server"]["name"], report["server"]["version"]) == ("for-clients", "1.2.3")


def test_the_tools_are_listed_in_the_order_of_registration(outcomes: dict[str, Any]) -> None:
    tools = {tool["name"]: tool for tool in outcomes["list"]["tools"]}
    assert list(tools) == ["add", "squares", "count", "go_on", "stuck", "was_cancelled", "refuse", "fail"]
    assert tools["add"]["description"] == "Add two numbers."
    assert tools["add"]["inputSchema"]["required"] == ["a", "b"]
    assert tools["add"]["outputSchema"]["required"] == ["sum"]


def test_structured_results_pass_the_clients_own_validation(report: dict[str, Any], outcomes: dict[str, Any]) -> None:
    """Both clients check structuredContent against the outputSchema that they listed before."""
    assert outcomes["good"]["result"]["structuredContent"] == {"sum": 5}
    assert texts(outcomes["good"]) == ['{"sum":5}']
    natural = [1, 4, 9]
    shown = outcomes["not an object"]["result"]["structuredContent"]
    assert shown == (natural if report["revision"] == ERAS["stateless"] else {"result": natural})
    assert texts(outcomes["not an object"]) == ["[1,4,9]"]


def test_wrong_arguments_come_back_as_a_tool_error_with_every_fault(outcomes: dict[str, Any]) -> None:
    assert outcomes["bad"]["result"]["isError"] is True
    assert texts(outcomes["bad"]) == [
        'Invalid arguments for tool "add":\n'
        "a: Invalid input: expected number, received string\n"
        "b: Too big: expected number to be <=100"
    ]


def test_what_a_handler_raises_is_a_tool_error(outcomes: dict[str, Any]) -> None:
    assert outcomes["fails"]["result"]["isError"] is True
    assert texts(outcomes["fails"]) == ["no such file: try another name"]


def test_protocol_errors_arrive_as_such(outcomes: dict[str, Any]) -> None:
    assert outcomes["refuses"]["error"]["code"] == -1
    assert "not today" in outcomes["refuses"]["error"]["message"]
    assert outcomes["unknown"]["error"]["code"] == -32602
    assert "nope" in outcomes["unknown"]["error"]["message"]


def test_progress_and_logs_arrive_while_the_call_runs(report: dict[str, Any], outcomes: dict[str, Any]) -> None:
    """Each count waits for another call, which the client makes when it sees the progress."""
    assert texts(outcomes["reports"]) == ["counted"]
    assert outcomes["reports"]["progress"] == [
        {"progress": number, "total": 3, "message": f"{number} of 3"} for number in (1, 2, 3)
    ]
    assert report["logs"] == [{"level": "info", "data": {"at": number}} for number in (1, 2, 3)]


def test_a_cancelled_call_ends_in_the_server_and_the_next_is_served(outcomes: dict[str, Any]) -> None:
    assert outcomes["cancelled"]["cancelled"] is True
    assert [one["progress"] for one in outcomes["cancelled"]["progress"]] == [1]
    assert texts(outcomes["after that"]) == ["yes"]
