"""The client at a URL: what it sends in each era, and what it makes of what comes back."""

from __future__ import annotations

import base64
import subprocess
import sys
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import SocketAttribute, SocketStream

from picomcp_py import ConfigError, McpError
from picomcp_py.client import BadAnswer, Client, HttpError, ServerUnavailable, SessionLost
from tests.client.http_script import (
    END,
    RESULT,
    Answer,
    Request,
    event,
    handshake,
    message,
    reply,
    response,
    scripted,
    stateless,
    stream_head,
)

pytestmark = pytest.mark.anyio


async def done(request: Request) -> None:
    await request.send(reply(request, RESULT))


# ---------------------------------------------------------------- what is sent


async def test_stateless_requests_repeat_in_headers_what_their_body_says() -> None:
    async with scripted(stateless(done)) as script:
        async with Client(script.url, headers={"Authorization": "Bearer t"}) as client:
            await client.call_tool("hé ", {"a": 1})
            await client.call_tool("plain")
        first, call, plain = (request.headers for request in script.requests)
    assert script.said == ["server/discover", "tools/call", "tools/call"]
    for headers in (first, call, plain):
        assert headers["mcp-protocol-version"] == "2026-07-28"
        assert headers["authorization"] == "Bearer t"
        assert headers["content-type"] == "application/json"
        assert headers["accept"] == "application/json, text/event-stream"
        assert "mcp-session-id" not in headers
    assert (first["mcp-method"], call["mcp-method"]) == ("server/discover", "tools/call")
    assert "mcp-name" not in first
    assert call["mcp-name"] == f"=?base64?{base64.b64encode('hé '.encode()).decode()}?="
    assert plain["mcp-name"] == "plain"


async def test_a_tool_whose_header_annotation_breaks_a_rule_is_left_out() -> None:
    def tool(name: str, **property: Any) -> dict[str, Any]:
        return {"name": name, "inputSchema": {"type": "object", "properties": {"a": property}}}

    good, bad = tool("good", type="string"), tool("bad", type="number", **{"x-mcp-header": "A"})

    async def tools(request: Request) -> None:
        page = {"resultType": "complete", "tools": [good, bad], "ttlMs": 0, "cacheScope": "private"}
        await request.send(reply(request, page))

    async with scripted(stateless(tools)) as script, Client(script.url) as client:
        assert await client.list_tools() == [good]
    async with scripted(handshake(tools)) as script, Client(script.url) as client:
        assert await client.list_tools() == [good, bad]  # no headers there: nothing is wrong with it


async def test_a_session_is_kept_and_ended() -> None:
    listening = anyio.Event()

    async def listen(request: Request) -> None:
        await request.send(stream_head())
        listening.set()
        await anyio.sleep_forever()

    async with scripted(handshake(done, listen=listen)) as script:
        async with Client(script.url, headers={"X-Key": "k"}) as client:
            assert client.revision == "2025-11-25"
            await client.call_tool("any")
            await listening.wait()
    said = script.said
    assert said[:3] == ["server/discover", "initialize", "notifications/initialized"]
    assert sorted(said[3:5]) == ["GET", "tools/call"]
    assert said[5:] == ["DELETE"]
    assert "mcp-session-id" not in script.of("initialize")[0].headers
    assert "mcp-method" not in script.of("initialize")[0].headers
    for request in script.requests[2:]:
        assert request.headers["mcp-session-id"] == "s-1"
        assert request.headers["mcp-protocol-version"] == "2025-11-25"
        assert request.headers["x-key"] == "k"


async def test_requests_wait_until_initialized_was_taken() -> None:
    taken = anyio.Event()
    seen: list[str] = []
    normal = handshake(done)

    async def answer(request: Request) -> None:
        seen.append(request.says)
        if request.says == "notifications/initialized":
            await taken.wait()
        await normal(request)

    async with scripted(answer) as script, Client(script.url) as client, anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "any")
        await anyio.wait_all_tasks_blocked()
        assert "tools/call" not in seen
        taken.set()
    assert "tools/call" in seen


async def test_leaving_cancels_what_is_pending_before_the_session_ends() -> None:
    started = anyio.Event()

    async def stuck(request: Request) -> None:
        started.set()
        await anyio.sleep_forever()

    async def call(client: Client) -> None:
        with pytest.raises(ConnectionError, match="The client was left"):
            await client.call_tool("any")

    async with scripted(handshake(stuck)) as script, anyio.create_task_group() as group:
        async with Client(script.url) as client:
            group.start_soon(call, client)
            await started.wait()
    assert script.said[-2:] == ["notifications/cancelled", "DELETE"]
    assert script.of("notifications/cancelled")[0].body["params"]["requestId"] == script.of("tools/call")[0].body["id"]


async def test_a_stateless_call_is_cancelled_by_closing_its_stream_alone() -> None:
    closed = anyio.Event()

    async def stuck(request: Request) -> None:
        await request.send(stream_head())
        progress = {"progressToken": request.body["params"]["_meta"]["progressToken"], "progress": 1}
        try:
            while True:
                await request.send(event({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}))
                await anyio.lowlevel.checkpoint()
        finally:
            closed.set()

    async with scripted(stateless(stuck)) as script, Client(script.url) as client:
        with anyio.CancelScope() as scope:
            await client.call_tool("any", on_progress=lambda *report: scope.cancel())
        assert scope.cancelled_caught
        await closed.wait()
    assert script.said == ["server/discover", "tools/call"]


# ---------------------------------------------------------------- which era


def refusal(code: int, status: int, data: Any = None, **more: Any) -> Answer:
    async def answer(request: Request) -> None:
        await request.send(reply(request, error={"code": code, "message": "no", "data": data}, status=status))

    return answer


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Missing session ID"}}', "application/json"),
        (400, "Bad Request", "text/plain"),
        (404, "<html>Not Found</html>", "text/html"),
        (405, "", "text/plain"),
        (406, "{}", "application/json"),
        (200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}', "application/json"),
    ],
)
async def test_a_refused_probe_that_is_no_error_of_2026_07_28_means_the_handshake(
    status: int, body: str, kind: str
) -> None:
    normal = handshake(done)

    async def answer(request: Request) -> None:
        if request.says == "server/discover":
            await request.send(response(status, body, kind))
        else:
            await normal(request)

    async with scripted(answer) as script, Client(script.url) as client:
        assert client.revision == "2025-11-25"
        assert (await client.call_tool("any")).text == "done"


async def test_an_error_of_2026_07_28_is_no_reason_for_a_handshake() -> None:
    async with scripted(refusal(-32022, 400, {"supported": ["2099-01-01"]})) as script:
        with pytest.raises(McpError) as caught:
            async with Client(script.url):
                pass
    assert caught.value.code == -32022
    assert script.said == ["server/discover"]


# ---------------------------------------------------------------- what comes back


async def test_an_error_with_another_status_or_without_an_id_is_the_answer() -> None:
    async def answer(request: Request) -> None:
        await request.send(response(400, '{"jsonrpc":"2.0","error":{"code":-32602,"message":"Unknown tool"}}'))

    async with scripted(stateless(answer)) as script, Client(script.url) as client:
        with pytest.raises(McpError, match="Unknown tool"):
            await client.call_tool("any")


@pytest.mark.parametrize(
    ("answered", "kind", "text"),
    [
        (response(401, "who?", "text/plain"), HttpError, r"401 Unauthorized \(who\?\): give credentials"),
        (response(500, "<html>", "text/html"), HttpError, "tools/call with 500 Internal Server Error$"),
        (response(307, location="http://127.0.0.1:1/other"), HttpError, "the server meant: http://127.0.0.1:1/other"),
        (response(200, "<html>", "text/html"), BadAnswer, "200 with 'text/html', which holds no answer"),
        (response(202, kind=""), BadAnswer, "202 without content"),
        (response(200, "{"), BadAnswer, "holds no answer"),
        (response(200, '{"jsonrpc":"2.0","id":77,"result":{}}'), BadAnswer, "holds no answer"),
        (response(200, " " * 5000), BadAnswer, "longer than 2000 bytes: raise max_message_bytes"),
        (stream_head() + END, ServerUnavailable, "ended its stream before tools/call was answered"),
        (stream_head() + event(), ServerUnavailable, "broke before tools/call was answered"),
        (b"", ServerUnavailable, "broke before tools/call was answered"),
        (b"SSH-2.0\r\n", ServerUnavailable, "broke before tools/call was answered"),
    ],
)
async def test_what_is_no_answer_ends_the_call_in_words(answered: bytes, kind: type[Exception], text: str) -> None:
    async def answer(request: Request) -> None:
        if request.body["params"]["name"] == "good":
            await request.send(reply(request, RESULT))
        else:
            await request.send(answered)

    async with scripted(stateless(answer)) as script, Client(script.url, max_message_bytes=2000) as client:
        with pytest.raises(kind, match=text) as caught:
            await client.call_tool("any")
        assert type(caught.value) is kind
        assert (await client.call_tool("good")).text == "done"  # one request is one request


@pytest.mark.filterwarnings("ignore:Exception ignored in")  # httpx2 leaves its generators to trio's garbage collection
async def test_an_event_that_is_too_long_ends_the_call() -> None:
    async def answer(request: Request) -> None:
        await request.send(stream_head() + event("x" * 5000))

    async with scripted(stateless(answer)) as script, Client(script.url, max_message_bytes=2000) as client:
        with pytest.raises(BadAnswer, match="longer than 2000 bytes: raise max_message_bytes"):
            await client.call_tool("any")


async def test_the_status_of_an_error_is_there_and_denied_access_is_not_tried_again() -> None:
    async def denied(request: Request) -> None:
        await request.send(response(401))

    async with scripted(denied) as script:
        with pytest.raises(HttpError) as caught:
            async with Client(script.url):
                pass
    assert caught.value.status == 401
    assert script.said == ["server/discover"]


async def test_errors_show_no_secrets_of_the_url() -> None:
    async with scripted(stateless(done)) as script:
        url = script.url.replace("http://", "http://me:hush@") + "?key=hush"
    with pytest.raises(ServerUnavailable, match=r"can't be reached \(Connection refused\)") as caught:
        async with Client(url):
            pass
    assert "hush" not in str(caught.value)
    assert script.url in str(caught.value)


async def test_a_request_that_is_not_taken_to_its_end_says_so() -> None:
    """Such servers answer 413 and close at once, and the answer is lost with the connection."""

    async def serve(stream: SocketStream) -> None:
        async with stream:
            await stream.receive()

    async with await anyio.create_tcp_listener(local_host="127.0.0.1") as listener, anyio.create_task_group() as group:
        group.start_soon(listener.serve, serve)
        url = f"http://127.0.0.1:{listener.extra(SocketAttribute.local_port)}/mcp"
        with pytest.raises(ServerUnavailable, match="broke while server/discover was sent"):
            async with Client(url, info={"name": "x" * 10_000_000, "version": "1"}):
                pass
        group.cancel_scope.cancel()


async def test_a_lost_session_ends_the_client() -> None:
    async def gone(request: Request) -> None:
        await request.send(reply(request, error={"code": -32600, "message": "no such session"}, status=404))

    async with scripted(handshake(gone)) as script:
        async with Client(script.url) as client:
            for _ in range(2):
                with pytest.raises(SessionLost, match="no longer knows this client's session"):
                    await client.call_tool("any")
    assert script.said.count("tools/call") == 1
    assert "DELETE" not in script.said


# ---------------------------------------------------------------- streams


async def test_a_broken_stream_is_taken_up_again_after_its_last_event() -> None:
    call: list[Request] = []
    heard: list[Any] = []

    def news(number: int) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "method": "notifications/x", "params": {"n": number}}

    async def answer(request: Request) -> None:
        if request.says == "tools/call":
            call.append(request)
            await request.send(stream_head() + event(id="e-0", retry=1))
            await request.send(event(news(1), id="e-1"))
        elif request.headers["last-event-id"] == "e-1":
            await request.send(stream_head())
            await request.send(event(news(2), id="e-2") + END)
        else:
            await request.send(stream_head() + event(message(call[0], RESULT), id="e-3") + END)

    async with scripted(handshake(answer)) as script:
        async with Client(script.url, on_message=lambda method, params: heard.append(params["n"])) as client:
            assert (await client.call_tool("any")).text == "done"
    resumed = [request for request in script.of("GET") if "last-event-id" in request.headers]
    assert [request.headers["last-event-id"] for request in resumed] == ["e-1", "e-2"]
    assert all(request.headers["mcp-session-id"] == "s-1" for request in resumed)
    assert heard == [1, 2]
    assert script.said.count("tools/call") == 1


async def test_a_stream_that_brings_nothing_is_given_up() -> None:
    async def answer(request: Request) -> None:
        if request.says == "tools/call":
            await request.send(stream_head() + event(id="e-0", retry=1) + END)
        else:
            await request.send(stream_head() + END)

    async with scripted(handshake(answer)) as script, Client(script.url) as client:
        with pytest.raises(ServerUnavailable, match="ended its stream before tools/call was answered"):
            await client.call_tool("any")


async def test_a_stream_that_can_not_be_taken_up_says_why() -> None:
    async def answer(request: Request) -> None:
        if request.says == "tools/call":
            await request.send(stream_head() + event(id="e-0", retry=1) + END)
        else:
            error = '{"jsonrpc":"2.0","error":{"code":-32600,"message":"that event is not kept"}}'
            await request.send(response(400, error))

    async with scripted(handshake(answer)) as script, Client(script.url) as client:
        with pytest.raises(McpError, match="that event is not kept"):
            await client.call_tool("any")


async def test_the_get_stream_brings_news_and_requests_and_is_opened_again() -> None:
    heard: list[str] = []
    twice = anyio.Event()

    def on_message(method: str, params: dict[str, Any]) -> None:
        heard.append(method)
        if len(heard) == 2:
            twice.set()

    opened = 0

    async def listen(request: Request) -> None:
        nonlocal opened
        opened += 1
        news = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        await request.send(
            stream_head()
            + event({"jsonrpc": "2.0", "id": "q", "method": "ping"}, retry=1)
            + event(news, name="message")
        )
        if opened == 1:
            return
        await anyio.sleep_forever()

    normal = handshake(done, listen=listen)

    async def answer(request: Request) -> None:
        if request.body is not None and "method" not in request.body:
            request.body["method"] = "a reply"
            await request.send(response(202))
        else:
            await normal(request)

    async with scripted(answer) as script, Client(script.url, on_message=on_message) as client:
        await twice.wait()
        await client.call_tool("any")
        assert heard == ["notifications/tools/list_changed"] * 2
    assert script.of("a reply")[0].body["id"] == "q"
    assert script.of("a reply")[0].headers["mcp-session-id"] == "s-1"


async def test_events_of_other_kinds_and_comments_are_passed_over() -> None:
    async def answer(request: Request) -> None:
        comment = b": keep-alive\n\n"
        await request.send(stream_head() + b"%x\r\n%b\r\n" % (len(comment), comment))
        await request.send(event({"any": "thing"}, name="ping"))
        await request.send(event(message(request, RESULT)) + END)

    async with scripted(stateless(answer)) as script, Client(script.url) as client:
        assert (await client.call_tool("any")).text == "done"
        assert client.noise == 0


def test_without_httpx2_a_url_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['httpx2'] = None\n"
        "from picomcp_py import ConfigError\nfrom picomcp_py.client import Client\n"
        "try: Client('http://localhost/mcp')\nexcept ConfigError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "Client: a URL needs httpx2: pip install 'picomcp-py[client]'"
    assert ConfigError.__name__ not in done.stderr
