"""Listening for the changes of a program: what is sent, what is taken, and every way it can end."""

from __future__ import annotations

import pytest

from picomcp_py import McpError
from picomcp_py.client import BadAnswer, Change, Client, ServerUnavailable, changes
from tests.client.programs import script

pytestmark = pytest.mark.anyio

KEY = "io.modelcontextprotocol/subscriptionId"

# ---------------------------------------------------------------- 2026-07-28, a program

PRELUDE = f"""
KEY = {KEY!r}

def tell(method, id=None, **params):
    if id is not None:
        params["_meta"] = {{KEY: id}}
    send({{"jsonrpc": "2.0", "method": "notifications/" + method, "params": params}})

def acknowledge(listen, **granted):
    tell("subscriptions/acknowledged", listen["id"], notifications=granted)

reply(read(), resultType="complete", supportedVersions=["2026-07-28"], capabilities={{"tools": {{}}}})
"""


def stateless(body: str) -> list[str]:
    return script(PRELUDE + body)


async def test_what_is_asked_for_and_granted_is_said() -> None:
    body = """
listen = read()
wanted = listen["params"]["notifications"]
assert listen["method"] == "subscriptions/listen"
assert wanted == {"toolsListChanged": True, "promptsListChanged": True, "resourceSubscriptions": ["a:1", "a:2"]}, wanted
assert listen["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
acknowledge(listen, toolsListChanged=True, promptsListChanged=False, resourceSubscriptions=["a:2", "a:3"])
read()
"""
    async with Client(stateless(body)) as client:
        async with client.listen(tools=True, prompts=True, uris=["a:1", "a:2"]) as found:
            assert [found.kinds, found.uris] == [{"tools"}, {"a:2"}]


async def test_only_what_carries_the_subscriptions_id_is_taken_for_it() -> None:
    said: list[str] = []
    body = """
first = read()
acknowledge(first, toolsListChanged=True, promptsListChanged=True)
second = read()
tell("tools/list_changed", first["id"])
acknowledge(second, toolsListChanged=True)
tell("prompts/list_changed", first["id"])
tell("resources/list_changed", first["id"])
tell("whatever", first["id"])
tell("whatever")
tell("tools/list_changed", second["id"])
tell("resources/updated", second["id"], uri="a:b")
reply(first)
reply(second)
read()
"""
    async with Client(stateless(body), on_message=lambda method, params: said.append(method)) as client:
        async with (
            client.listen(tools=True, prompts=True) as first,
            client.listen(tools=True, prompts=True, uris=["a:b"]) as second,
        ):
            assert [change async for change in second] == [Change("tools"), Change("resource", "a:b")]
            assert [change async for change in first] == [Change("tools"), Change("prompts")]
            assert (first.failure, second.failure) == (None, None)
    assert said == ["notifications/whatever"]  # the one that is nobody's


async def test_leaving_cancels_on_stdio_and_the_iteration_ends() -> None:
    body = """
listen = read()
acknowledge(listen, toolsListChanged=True)
cancelled = read()
assert cancelled["method"] == "notifications/cancelled" and cancelled["params"]["requestId"] == listen["id"], cancelled
call = read()
tell("tools/list_changed", listen["id"])
reply(call, resultType="complete", content=[])
read()
"""
    async with Client(stateless(body)) as client:
        async with client.listen(tools=True) as found:
            pass
        await client.call_tool("t")
        assert [change async for change in found] == []


@pytest.mark.parametrize("end", ["reply(listen, resultType='complete')", "tell('cancelled', requestId=listen['id'])"])
async def test_the_server_ends_it_in_order(end: str) -> None:
    body = f"""
listen = read()
acknowledge(listen, toolsListChanged=True)
tell("tools/list_changed", listen["id"])
{end}
call = read()
assert call["method"] == "tools/call", call
reply(call, resultType="complete", content=[])
read()
"""
    async with Client(stateless(body)) as client:
        async with client.listen(tools=True) as found:
            assert [change async for change in found] == [Change("tools")]  # what came before the end is not lost
            assert found.failure is None
        await client.call_tool("t")  # nothing was cancelled before it


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        ("refuse(listen, -32601, 'Method not found')", McpError, "Method not found"),
        ("reply(listen, resultType='complete')", BadAnswer, "ended subscriptions/listen without having acknowledged"),
        ("tell('subscriptions/acknowledged', listen['id'])", BadAnswer, "doesn't say for which notifications"),
        ("tell('subscriptions/acknowledged', listen['id'], notifications=[])", BadAnswer, "doesn't say for which"),
        ("sys.exit(3)", ServerUnavailable, "exit code 3"),
    ],
)
async def test_no_confirmation_is_raised(answer: str, error: type[Exception], text: str) -> None:
    async with Client(stateless(f"listen = read()\n{answer}\nread()")) as client:
        with pytest.raises(error, match=text):
            async with client.listen(tools=True):
                pytest.fail("it was entered")


async def test_a_confirmation_that_does_not_come_in_time_is_cancelled() -> None:
    body = """
listen = read()
assert read()["params"]["requestId"] == listen["id"]
reply(read(), resultType="complete", content=[])
"""
    async with Client(stateless(body)) as client:
        with pytest.raises(TimeoutError, match=r"did not confirm in 0\.05 s"):
            async with client.listen(tools=True, timeout=0.05):
                pytest.fail("it was entered")
        await client.call_tool("t")


async def test_a_server_that_dies_ends_the_iteration_with_what_is_known() -> None:
    async with Client(stateless("acknowledge(read(), toolsListChanged=True)\nread()\nsys.exit(7)")) as client:
        async with client.listen(tools=True) as found:
            assert found.failure is None
            await client.notify("notifications/whatever")
            assert [change async for change in found] == []
            assert isinstance(found.failure, ServerUnavailable)
            assert "exit code 7" in str(found.failure)


async def test_a_reader_that_is_behind_reads_each_change_once() -> None:
    body = """
listen = read()
acknowledge(listen)
for _ in range(500):
    tell("tools/list_changed", listen["id"])
    tell("resources/updated", listen["id"], uri="a:b")
call = read()
reply(call, resultType="complete", content=[])
read()
tell("tools/list_changed", listen["id"])
reply(listen)
read()
"""
    async with Client(stateless(body)) as client:
        async with client.listen(tools=True, uris=["a:b"]) as found:
            await client.call_tool("t")
            assert [await anext(found), await anext(found)] == [Change("tools"), Change("resource", "a:b")]
            await client.notify("notifications/whatever")
            assert [change async for change in found] == [Change("tools")]


async def test_many_parts_of_a_resource_become_the_resource_and_no_kind_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(changes, "MAX_PARTS", 10)
    body = """
listen = read()
acknowledge(listen)
tell("tools/list_changed", listen["id"])
for number in range(50):
    tell("resources/updated", listen["id"], uri=f"a:b/{number}")
tell("prompts/list_changed", listen["id"])
reply(read(), resultType="complete", content=[])
reply(listen)
read()
"""
    async with Client(stateless(body)) as client:
        async with client.listen(tools=True, prompts=True, uris=["a:b", "a:c"]) as found:
            await client.call_tool("t")
            seen = [change async for change in found]
    assert len(seen) <= 10 + 2 + 4
    whole = [Change("resource", "a:b"), Change("resource", "a:c")]
    assert seen[:3] == [Change("tools"), *whole]
    assert seen[-1] == Change("prompts")


async def test_what_can_not_work_is_refused_at_once() -> None:
    client = Client(stateless("read()"))
    with pytest.raises(TypeError, match="say for which changes"):
        client.listen()
    with pytest.raises(TypeError, match="a list of URIs, not one"):
        client.listen(uris="a:b")
    with pytest.raises(RuntimeError, match="not connected"):
        client.listen(tools=True)


# ---------------------------------------------------------------- handshake era, a program

SUBSCRIBES = """
initialize = None
while True:
    message = read()
    if message["method"] == "initialize":
        capabilities = {"tools": {"listChanged": True}, "prompts": {}, "resources": {"subscribe": True}}
        reply(message, protocolVersion="2025-11-25", capabilities=capabilities)
    elif message["method"] == "notifications/initialized":
        break
    else:
        refuse(message, -32601, "Method not found")

def tell(method, **params):
    send({"jsonrpc": "2.0", "method": "notifications/" + method, "params": params})

def expect(method, uri):
    message = read()
    assert (message["method"], message["params"]) == (method, {"uri": uri}), message
    return message
"""


async def test_resources_are_subscribed_to_once_and_the_lists_are_filtered() -> None:
    said: list[str] = []
    body = """
reply(expect("resources/subscribe", "a:1"))
reply(expect("resources/subscribe", "a:2"))
tell("tools/list_changed")
tell("prompts/list_changed")
for uri in ("a:1", "a:1/part", "a:1#x", "a:12", "a:2", "b"):
    tell("resources/updated", uri=uri)
tell("resources/updated")
reply(read(), content=[])
reply(expect("resources/unsubscribe", "a:2"))
reply(expect("resources/unsubscribe", "a:1"))
reply(read(), content=[])
"""
    async with Client(script(SUBSCRIBES + body), on_message=lambda method, params: said.append(method)) as client:
        async with client.listen(tools=True, prompts=True, uris=["a:1", "a:1"]) as first:
            assert [first.kinds, first.uris] == [{"tools"}, {"a:1"}]
            async with client.listen(resources=True, uris=["a:1", "a:2"]) as second:
                await client.call_tool("t")
                one = [Change("resource", uri) for uri in ("a:1", "a:1/part", "a:1#x")]
                assert [await anext(first) for _ in range(5)] == [Change("tools"), Change("prompts"), *one]
                assert [await anext(second) for _ in range(4)] == [*one, Change("resource", "a:2")]
        await client.call_tool("t")
    assert len(said) == 9  # they belong to the connection, and so to everybody


async def test_a_resource_that_is_refused_undoes_the_others() -> None:
    body = """
reply(expect("resources/subscribe", "a:1"))
refuse(expect("resources/subscribe", "a:2"), -32002, "Resource not found")
reply(expect("resources/unsubscribe", "a:1"))
reply(expect("resources/subscribe", "a:2"))
refuse(expect("resources/unsubscribe", "a:2"), -32603, "no")
reply(read(), content=[])
"""
    async with Client(script(SUBSCRIBES + body)) as client:
        with pytest.raises(McpError, match="Resource not found"):
            async with client.listen(uris=["a:1", "a:2"]):
                pytest.fail("it was entered")
        async with client.listen(uris=["a:2"]) as found:
            assert found.uris == {"a:2"}
        await client.call_tool("t")


async def test_a_subscription_whose_confirmation_is_late_is_undone() -> None:
    body = """
late = expect("resources/subscribe", "a:1")
assert read()["method"] == "notifications/cancelled"
reply(expect("resources/unsubscribe", "a:1"))
reply(expect("resources/subscribe", "a:1"))
reply(expect("resources/unsubscribe", "a:1"))
read()
"""
    async with Client(script(SUBSCRIBES + body)) as client:
        with pytest.raises(TimeoutError, match="did not confirm"):
            async with client.listen(uris=["a:1"], timeout=0.05):
                pytest.fail("it was entered")
        async with client.listen(uris=["a:1"]):
            pass


async def test_a_server_without_subscriptions_is_not_asked_for_them() -> None:
    async with Client(script("initialize()\nreply(read(), content=[])\nread()")) as client:
        async with client.listen(tools=True, uris=["a:1"]) as found:
            assert [found.kinds, found.uris] == [set(), set()]
            await client.call_tool("t")


async def test_the_end_of_an_old_server_ends_the_iteration() -> None:
    async with Client(script(SUBSCRIBES + "read()\ntell('tools/list_changed')\nsys.exit(7)")) as client:
        async with client.listen(tools=True) as found:
            await client.notify("notifications/whatever")
            assert [change async for change in found] == [Change("tools")]
            assert "exit code 7" in str(found.failure)
        with pytest.raises(ServerUnavailable, match="exit code 7"):
            async with client.listen(tools=True):
                pytest.fail("it was entered")
