"""`ctx.read` inside of handlers that are read themselves: nobody waits for ever, and nothing nests without end."""

from __future__ import annotations

import threading
from typing import Any

import anyio
import pytest

from picomcp_py import Aborted, Server, pico
from picomcp_py.running.dispatch import MAX_NESTED
from picomcp_py.running.threads import MAX_THREADS, Job, Workers
from tests.peer import EVERY, MODERN, connected, text_of

pytestmark = pytest.mark.timeout(120)


def nothing() -> None:
    """What tells that a job is done, where nobody asks."""


@pytest.mark.anyio
@pytest.mark.parametrize("revision", EVERY)
async def test_as_many_handlers_as_there_are_threads_can_wait_for_reads_at_once(revision: str) -> None:
    together = threading.Barrier(MAX_THREADS)

    def look(input: Any, ctx: Any) -> str:
        together.wait(60)  # now every thread of the pool is taken
        text: str = ctx.read("note://outer")[0]["text"]
        return text

    def outer(uri: str, ctx: Any) -> str:
        text: str = ctx.read("note://inner")[0]["text"]
        return f"outer of {text}"

    server = pico({"name": "test"}).tool("look", run=look)
    server.resource("note://outer", read=outer).resource("note://inner", read=lambda: "inner")
    async with connected(server, revision) as peer:
        ids = [peer.start("tools/call", {"name": "look"}) for _ in range(MAX_THREADS)]
        with anyio.fail_after(60):
            for id in ids:
                assert text_of((await peer.reply(id))["result"]) == "outer of inner"


def test_a_job_that_a_worker_waits_for_goes_past_the_limit_and_the_queue_and_its_thread_ends_after_it() -> None:
    workers, go_on, order = Workers(limit=1), threading.Event(), []
    threads: list[threading.Thread] = []
    at_work, queued = threading.Event(), threading.Event()

    def waits() -> None:
        order.append("waits")
        at_work.set()
        go_on.wait(60)

    def awaited() -> None:
        threads.append(threading.current_thread())
        order.append("awaited")
        go_on.set()

    workers.submit(Job(waits, (), nothing))
    assert at_work.wait(60)
    workers.submit(Job(lambda: order.append("queued"), (), queued.set))
    workers.submit(Job(awaited, (), nothing), awaited=True)
    assert queued.wait(60)
    assert order == ["waits", "awaited", "queued"]
    threads[0].join(60)
    done = threading.Event()
    workers.submit(Job(lambda: threads.append(threading.current_thread()), (), done.set))
    assert done.wait(60)
    assert threads[1] is not threads[0]
    assert sum(thread.is_alive() for thread in threads) == 1


def reading_itself(read: Any) -> Server:
    return pico({"name": "test"}).resource("loop://a", read=read)


async def in_the_loop(uri: str, ctx: Any) -> Any:
    return (await ctx.read(uri))[0]["text"]


def in_a_thread(uri: str, ctx: Any) -> Any:
    return ctx.read(uri)[0]["text"]


@pytest.mark.anyio
@pytest.mark.parametrize("read", [in_the_loop, in_a_thread])
async def test_a_resource_that_reads_itself_is_an_error_that_says_so(read: Any) -> None:
    async with connected(reading_itself(read), MODERN) as peer:
        error = (await peer.request("resources/read", {"uri": "loop://a"}))["error"]
        assert error == {
            "code": -32603,
            "message": "Resource \"loop://a\" can't be read from here: 16 handlers wait for one another's resources: "
            "does one read its own?",
        }


@pytest.mark.anyio
async def test_reads_may_be_nested_up_to_the_limit() -> None:
    async def read(uri: str, params: dict[str, str], ctx: Any) -> str:
        left = int(params["left"])
        return "end" if left == 0 else (await ctx.read(f"chain://{left - 1}"))[0]["text"]

    async with connected(pico({"name": "test"}).resource("chain://{left}", read=read), MODERN) as peer:
        good = await peer.request("resources/read", {"uri": f"chain://{MAX_NESTED}"})
        assert good["result"]["contents"][0]["text"] == "end"
        assert "error" in await peer.request("resources/read", {"uri": f"chain://{MAX_NESTED + 1}"})


def test_a_thread_that_outlives_the_server_does_not_wait_for_ever() -> None:
    """The author's own thread, which nobody cancels and nobody joins."""
    server = pico({"name": "test"}).resource("note://one", read=lambda: "1")
    served, outcome = threading.Event(), []

    @server.tool("leak", thread=False)
    def leak(input: Any, ctx: Any) -> None:
        def later() -> None:
            served.wait(60)
            try:
                ctx.read("note://one")
            except Aborted as error:
                outcome.append(str(error))

        outcome.append(threading.Thread(target=later))
        outcome[0].start()

    anyio.run(server.call, "leak")
    served.set()
    outcome[0].join(30)
    assert outcome[1:] == ["the server is stopping"]
