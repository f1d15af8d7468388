"""Section B, JSON-RPC envelope and life cycle: what tests/protocol doesn't have."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from picomcp_py import Context, pico, result
from tests.peer import EVERY, HANDSHAKE, MODERN, connected, text_of

pytestmark = pytest.mark.anyio
METHOD, PARAMS = -32601, -32602


def server() -> Any:
    return pico({"name": "test"}).tool("t", {"input": {"type": "object"}, "run": lambda input: input, "thread": False})


@pytest.mark.parametrize("revision", EVERY)
async def test_b23_methods_of_what_is_not_offered_are_not_found(revision: str) -> None:
    async with connected(server(), revision) as peer:
        for method in ("totally/bogus", "prompts/list", "resources/list", "resources/subscribe", "completion/complete"):
            assert (await peer.request(method))["error"]["code"] == METHOD
        # logging is always offered, where the revision has it
        reply = await peer.request("logging/setLevel", {"level": "info"})
        assert reply["error"]["code"] == METHOD if revision == MODERN else reply["result"] == {}


async def test_b30_cancelling_a_call_that_has_ended_is_ignored() -> None:
    async with connected(server(), "2025-11-25") as peer:
        await peer.request("tools/call", {"name": "t"}, id=7)
        before = len(peer.messages)
        peer.cancel(7)
        assert (await peer.request("ping"))["result"] == {}
        assert len(peer.messages) == before + 1


async def test_b30_a_reason_with_a_lone_surrogate_does_not_keep_a_call_alive() -> None:
    async with connected(pico({"name": "test"}).tool("slow", {"run": anyio.sleep_forever}), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "slow"}, id=7)
        peer.send(
            b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"cut \\ud83d"}}'
        )
        assert (await peer.request("ping"))["result"] == {}
        assert peer.connection.calls == {}


@pytest.mark.parametrize("revision", HANDSHAKE)
async def test_b33_tools_are_listed_before_notifications_initialized(revision: str) -> None:
    async with connected(server(), revision, initialize=False) as peer:
        info = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        await peer.request("initialize", info)
        assert (await peer.request("tools/list", id=2))["result"]["tools"][0]["name"] == "t"


@pytest.mark.parametrize("revision", EVERY)
async def test_b35_what_is_absent_is_left_out(revision: str) -> None:
    s = pico({"name": "test"}).tool("bare", {"run": lambda: None})
    s.tool("hint", {"run": lambda: {"x": 1}, "annotations": {"readOnlyHint": True}})
    s.tool("empty", {"run": lambda: "x", "title": None, "description": None, "annotations": {"idempotentHint": None}})
    async with connected(s, revision) as peer:
        await peer.request("server/discover" if revision == MODERN else "tools/list")
        await peer.request("tools/list")
        for tool in ("bare", "hint", "empty"):
            assert "result" in await peer.request("tools/call", {"name": tool})
        assert not [line for line in peer.raw if b"null" in line]


@pytest.mark.parametrize("revision", EVERY)
async def test_b36_a_null_cursor_is_none_and_a_bad_one_invalid(revision: str) -> None:
    async with connected(server(), revision) as peer:
        for params in ({"cursor": None}, {}):
            assert (await peer.request("tools/list", params))["result"]["tools"]
        for cursor in ("zzz", 5, [], True):
            assert (await peer.request("tools/list", {"cursor": cursor}))["error"]["code"] == PARAMS


@pytest.mark.parametrize("revision", EVERY)
async def test_b38_meta_reaches_the_tool_and_comes_back_from_it(revision: str) -> None:
    def run(input: Any, ctx: Context) -> Any:
        return result("ok", meta={"trace": ctx.meta["trace"], "vendor/x": ctx.meta["vendor/x"]})

    def plain(input: Any, ctx: Context) -> Any:
        return {"content": [{"type": "text", "text": "ok"}], "_meta": {"trace": ctx.meta["trace"]}}

    async with connected(pico({"name": "test"}).tool("a", {"run": run}).tool("b", {"run": plain}), revision) as peer:
        got = await peer.call("a", _meta={"trace": "abc", "vendor/x": {"n": 1}})
        assert got["_meta"].items() >= {"trace": "abc", "vendor/x": {"n": 1}}.items()
        got = await peer.call("b", _meta={"trace": "abc"})
        assert got["_meta"].items() >= {"trace": "abc"}.items()


@pytest.mark.parametrize("token", [0, "", "a", 2**60])
@pytest.mark.parametrize("revision", ["2024-11-05", "2025-11-25", MODERN])
async def test_b39_every_token_is_a_token(token: Any, revision: str) -> None:
    async def run(input: Any, ctx: Context) -> None:
        await ctx.progress(1)
        await ctx.progress(2, 2)

    async with connected(pico({"name": "test"}).tool("t", {"run": run}), revision) as peer:
        await peer.call("t", _meta={"progressToken": token})
        sent = peer.notifications("notifications/progress")
        assert sent == [{"progressToken": token, "progress": 1}, {"progressToken": token, "progress": 2, "total": 2}]
        assert {type(params["progressToken"]) for params in sent} == {type(token)}


@pytest.mark.parametrize("kind", ["loop", "thread"])
async def test_b41_progress_rises_and_ends_with_the_reply(kind: str) -> None:
    contexts: list[Any] = []

    async def run(input: Any, ctx: Context) -> None:
        contexts.append(ctx)
        for number in (1, 1, 0.5, 2):
            await ctx.progress(number)

    def run_in_thread(input: Any, ctx: Context) -> None:
        contexts.append(ctx)
        for number in (1, 1, 0.5, 2):
            ctx.progress(number)

    s = pico({"name": "test"}).tool("t", {"run": run if kind == "loop" else run_in_thread})
    async with connected(s, "2025-11-25") as peer:
        assert (await peer.call("t", _meta={"progressToken": 1}))["content"] == []
        contexts[0].progress(3)
        await anyio.to_thread.run_sync(contexts[0].progress, 4)
        await peer.request("ping")
        assert [p["progress"] for p in peer.notifications("notifications/progress")] == [1, 2]


async def test_b37_a_call_with_meta_and_members_of_other_revisions_works() -> None:
    async with connected(server(), "2025-11-25") as peer:
        got = await peer.call("t", {"a": 1}, _meta={"progressToken": 1, "vendor/x": "y"}, task={})
        assert text_of(got) == '{"a":1}'
