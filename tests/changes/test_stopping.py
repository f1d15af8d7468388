"""Real processes: what listeners get when the server is stopped, and that they don't hold its exit."""

from __future__ import annotations

import http.client
import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.changes.listening import ACKNOWLEDGED, KEY, PROMPTS, RESOURCES, TOOLS, UPDATED
from tests.peer import envelope
from tests.serving import Program, our_server, running
from tests.transports.http.driver import BOTH, JSON, call, initialize, modern, request
from tests.wire.session import Session

PROGRAM = Path(__file__).parents[1] / "wire" / "kitchen_sink.py"
WANTED = {"toolsListChanged": True, "resourceSubscriptions": ["shelf://fullest"]}
SAID = [TOOLS, RESOURCES, PROMPTS, TOOLS, RESOURCES, PROMPTS, UPDATED]


# ------------------------------------------------------------ stdio


def ends(id: Any) -> list[dict[str, Any]]:
    return [
        {"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "_meta": {KEY: id}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}},
    ]


@contextmanager
def listening_process(revision: str) -> Iterator[Session]:
    session = Session(PROGRAM, revision)
    with session.process:  # in the end its pipes are closed
        for id in ("a", 1):
            session.asked[id] = "subscriptions/listen"
            params = {"_meta": envelope(), "notifications": WANTED}
            session.send({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})
            assert session.receive()["params"] == {"_meta": {KEY: id}, "notifications": WANTED}
        try:
            yield session
        finally:
            session.process.kill()


def test_the_end_of_stdin_ends_listens_with_their_result() -> None:
    with listening_process("2026-07-28") as session:
        assert session.close() == [*ends("a"), *ends(1)]


def test_a_signal_ends_listens_with_their_result() -> None:
    with listening_process("2026-07-28") as session:
        session.process.send_signal(signal.SIGTERM)
        assert session.process.stdout
        assert [json.loads(line) for line in session.process.stdout] == [*ends("a"), *ends(1)]
        assert session.process.wait() == 128 + signal.SIGTERM


def test_a_session_is_told_on_stdout() -> None:
    session = Session(PROGRAM, "2025-11-25")
    with session.process:
        session.request("resources/subscribe", {"uri": "shelf://fullest"})
        session.ask("tools/call", {"name": "change"})
        found = [session.receive().get("method") for _ in range(8)]
        found.remove(None)  # the reply
        assert found == SAID
        assert session.close() == []


# ------------------------------------------------------------ HTTP


class Stream:
    """A stream of events over a real connection, event by event."""

    def __init__(self, program: Program, method: str, body: Any = None, headers: Any = None) -> None:
        url = urlsplit(program.url)
        self._connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=30)
        usual = {"Accept": BOTH, **({"Content-Type": JSON} if body else {})}
        data = json.dumps(body) if body else None
        self._connection.request(method, url.path, data, {**usual, **(headers or {})})
        self.response = self._connection.getresponse()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.response.close()
        self._connection.close()

    def next(self) -> Any:
        """The next message; None at the end."""
        for line in self.response:
            if line.startswith(b"data: {"):
                return json.loads(line.removeprefix(b"data: "))
        return None

    @property
    def json(self) -> Any:
        return json.loads(self.response.read())


def stream(program: Program, id: Any) -> Stream:
    return Stream(program, "POST", **modern("subscriptions/listen", {"notifications": WANTED}, id=id))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_streams_with_their_result_and_the_process(number: signal.Signals) -> None:
    with running(sys.executable, *our_server(PROGRAM)) as program:
        with stream(program, "a") as one, stream(program, 1) as other:
            for listener in (one, other):
                assert listener.next()["method"] == ACKNOWLEDGED
            with Stream(program, "POST", **call("change")) as called:
                assert called.json["result"]["content"][0]["text"] == "changed"
            for listener in (one, other):
                assert [listener.next()["method"] for _ in range(3)] == [TOOLS, TOOLS, UPDATED]
            program.process.send_signal(number)
            for listener, id in ((one, "a"), (other, 1)):
                assert listener.next() == ends(id)[0]
                assert listener.next() is None
        assert program.wait() == 128 + number
    assert "Traceback" not in program.said
    assert "Cancel" not in program.said  # uvicorn's word for requests that it had to end


def test_a_signal_ends_a_session_and_its_stream() -> None:
    with running(sys.executable, *our_server(PROGRAM)) as program:
        with Stream(program, "POST", initialize()) as opened:
            session = {"Mcp-Session-Id": opened.response.headers["mcp-session-id"]}
            assert opened.json["result"]["capabilities"]["resources"] == {"listChanged": True, "subscribe": True}
        for body in (
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            request("resources/subscribe", {"uri": "shelf://fullest"}),
        ):
            with Stream(program, "POST", body, session) as answered:
                assert answered.response.status in (200, 202)
        with Stream(program, "GET", headers=session) as one:
            with Stream(program, "POST", request("tools/call", {"name": "change"}), session) as called:
                assert called.json["result"]["content"][0]["text"] == "changed"
            assert [one.next()["method"] for _ in SAID] == SAID
            program.process.send_signal(signal.SIGTERM)
            assert one.next() is None
        assert program.wait() == 128 + signal.SIGTERM
    assert "Traceback" not in program.said
    assert "Cancel" not in program.said


def test_a_listener_that_does_not_read_holds_the_exit_no_longer_than_a_call_may() -> None:
    with running(sys.executable, *our_server(PROGRAM)) as program:
        with stream(program, 1) as one:
            assert one.next()["method"] == ACKNOWLEDGED
            for _ in range(30):
                with Stream(program, "POST", **call("change_much")) as called:
                    assert called.json["result"]["content"][0]["text"] == "changed"
            program.process.terminate()
            assert program.wait() == 128 + signal.SIGTERM
    assert "Traceback" not in program.said
