"""How calls run and end: awaitables, order, errors, on asyncio and trio."""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from picomcp_py import McpError, ToolError, pico
from tests.peer import EVERY, MODERN, connected, text_of

pytestmark = pytest.mark.anyio


def server(**options: Any) -> Any:
    return pico({"name": "test", **options})


# ------------------------------------------------------------ awaitables


class Awaitable:
    def __await__(self) -> Any:
        yield from anyio.lowlevel.checkpoint().__await__()
        return "awaited"


class AsyncCallable:
    async def __call__(self) -> str:
        return "awaited"


class Holder:
    async def method(self) -> str:
        return "awaited"

    @staticmethod
    async def static() -> str:
        return "awaited"


async def plain() -> str:
    return "awaited"


@pytest.mark.parametrize(
    "run",
    [
        plain,
        AsyncCallable(),
        functools.partial(plain),
        functools.partial(functools.partial(plain)),
        lambda: plain(),
        lambda: Awaitable(),
        Holder().method,
        Holder.static,
    ],
)
@pytest.mark.parametrize("thread", [True, False])
async def test_whatever_gives_an_awaitable_is_awaited(run: Any, thread: bool) -> None:
    result = await server().tool("t", {"run": run, "thread": thread}).call("t")
    assert text_of(result) == "awaited"


# ------------------------------------------------------------ order


@pytest.mark.parametrize("revision", ["2025-11-25", MODERN])
async def test_replies_come_in_the_order_of_completion(revision: str) -> None:
    go = anyio.Event()

    async def slow() -> str:
        await go.wait()
        return "slow"

    async def fast() -> str:
        return "fast"

    s = server().tool("slow", {"run": slow}).tool("fast", {"run": fast})
    async with connected(s, revision) as peer:
        first = peer.start("tools/call", {"name": "slow"})
        assert text_of(await peer.call("fast")) == "fast"
        go.set()
        assert text_of((await peer.reply(first))["result"]) == "slow"


async def test_blocking_handlers_run_side_by_side_and_freeze_nothing() -> None:
    together = threading.Barrier(3, timeout=20)  # passes only if two handlers and the test are at it at once

    def wait() -> str:
        together.wait()
        return "done"

    async with connected(server().tool("wait", {"run": wait}), "2025-11-25") as peer:
        first = peer.start("tools/call", {"name": "wait"})
        second = peer.start("tools/call", {"name": "wait"})
        assert (await peer.request("ping"))["result"] == {}
        await anyio.to_thread.run_sync(together.wait)
        assert text_of((await peer.reply(first))["result"]) == "done"
        assert text_of((await peer.reply(second))["result"]) == "done"


async def test_a_second_request_with_an_id_in_flight_is_refused_and_the_first_is_answered() -> None:
    go = anyio.Event()

    async def slow(input: Any) -> str:
        await go.wait()
        return "A"

    async with connected(server().tool("slow", {"run": slow}), "2025-11-25") as peer:
        peer.start("tools/call", {"name": "slow"}, id=5)
        peer.start("tools/call", {"name": "slow"}, id=5)
        refusal = await peer.reply(5)
        assert refusal["error"]["code"] == -32600
        peer.messages.remove(refusal)
        peer.start("tools/call", {"name": "slow"}, id="5")  # another id: ids keep their type
        go.set()
        assert text_of((await peer.reply(5))["result"]) == "A"
        assert text_of((await peer.reply("5"))["result"]) == "A"
        peer.messages.clear()
        assert text_of((await peer.request("tools/call", {"name": "slow"}, id=5))["result"]) == "A"


async def test_the_number_of_calls_in_flight_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("picomcp_py.running.connection.MAX_IN_FLIGHT", 2)
    go = anyio.Event()
    async with connected(server().tool("slow", {"run": go.wait}), "2025-11-25") as peer:
        ids = [peer.start("tools/call", {"name": "slow"}) for _ in range(3)]
        assert "wait for their answers" in (await peer.reply(ids[2]))["error"]["message"]
        go.set()
        assert "result" in await peer.reply(ids[0])
        assert "result" in await peer.request("tools/call", {"name": "slow"})


# ------------------------------------------------------------ errors


class Silent(Exception):
    pass


class Broken(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("No user with id 5. Call list_users."), "No user with id 5. Call list_users."),
        (ToolError("Try again."), "Try again."),
        (TimeoutError(), "TimeoutError"),
        (KeyError("id"), "KeyError: 'id'"),
        (AssertionError(), "AssertionError"),
        (Silent("  "), "Silent"),
        (Broken(), "Broken"),
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit(), "GeneratorExit"),
        (asyncio.CancelledError(), "CancelledError"),
        (StopAsyncIteration(), "StopAsyncIteration"),
        (ExceptionGroup("g", [ValueError("inner")]), "inner"),
        (ExceptionGroup("g", [ValueError("one"), OSError("two")]), "one\ntwo"),
    ],
)
@pytest.mark.parametrize("kind", ["async", "thread", "inline"])
async def test_whatever_a_handler_raises_is_its_answer(error: BaseException, text: str, kind: str) -> None:
    def fail() -> None:
        raise error

    async def fail_later() -> None:
        raise error

    s = server().tool("t", {"run": fail_later if kind == "async" else fail, "thread": kind != "inline"})
    async with connected(s) as peer:
        result = await peer.call("t")
        assert result["isError"] is True
        assert text_of(result) == text
        assert (await peer.request("tools/list"))["result"], "still alive"


@pytest.mark.parametrize("thread", [True, False])
async def test_stop_iteration_too(thread: bool) -> None:
    def fail() -> None:
        raise StopIteration

    assert "StopIteration" in text_of(await server().tool("t", {"run": fail, "thread": thread}).call("t"))


async def test_the_traceback_goes_to_the_log_and_not_to_the_client(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("visible")

    result = await server().tool("t", {"run": fail}).call("t")
    assert "Traceback" not in str(result)
    (record,) = [r for r in caplog.records if r.name == "picomcp_py"]
    assert record.exc_info
    assert record.exc_info[0] is ValueError


async def test_mask_errors_hides_all_but_tool_errors_and_protocol_errors() -> None:
    def secret() -> None:
        raise ValueError("password=1234")

    def told() -> None:
        raise ToolError("Say please.")

    def protocol() -> None:
        raise McpError(1, "no access")

    s = server(maskErrors=True).tool("a", {"run": secret}).tool("b", {"run": told}).tool("c", {"run": protocol})
    assert text_of(await s.call("a")) == 'Tool "a" failed. The reason is in the server\'s log.'
    assert text_of(await s.call("b")) == "Say please."
    with pytest.raises(McpError, match="no access"):
        await s.call("c")


@pytest.mark.parametrize("revision", EVERY)
async def test_mcp_error_is_the_json_rpc_error(revision: str) -> None:
    async def fail() -> None:
        raise McpError(-32001, "Not authorised for this workspace", {"workspace": "w"})

    async with connected(server().tool("t", {"run": fail}), revision) as peer:
        reply = await peer.request("tools/call", {"name": "t"}, id=1)
        assert reply == {
            "jsonrpc": "2.0",
            "id": 1,
            "error": {"code": -32001, "message": "Not authorised for this workspace", "data": {"workspace": "w"}},
        }


async def test_mcp_error_passes_through_a_task_group_and_survives_data_that_is_no_json() -> None:
    async def fail() -> None:
        async with anyio.create_task_group():
            raise McpError(5, "bad", object())

    async with connected(server().tool("t", {"run": fail})) as peer:
        reply = await peer.request("tools/call", {"name": "t"})
        assert reply["error"]["code"] == 5
        assert reply["error"]["message"].startswith("bad (its data could not be encoded")


async def test_asking_for_the_loop_in_a_thread_gets_a_hint() -> None:
    def run() -> None:
        asyncio.get_running_loop()

    assert "Make it async def, or set" in text_of(await server().tool("t", {"run": run}).call("t"))
