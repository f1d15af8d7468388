"""Reads, prompts, completions and lists of templates that hang, fail or are cancelled: as tools', in both eras."""

from __future__ import annotations

import pathlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest

from picomcp_py import McpError, Server, ToolError, pico
from tests.peer import MODERN, Peer, connected

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

INPUT = {"type": "object", "properties": {"a": {"type": "string"}}}
PROMPT = {"type": "ref/prompt", "name": "ask"}
TEMPLATE = {"type": "ref/resource", "uri": "note://{day}"}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    'Resource "note://1"': ("resources/read", {"uri": "note://1"}),
    'Prompt "ask"': ("prompts/get", {"name": "ask"}),
    'Completion of "a" for prompt "ask"': (
        "completion/complete",
        {"ref": PROMPT, "argument": {"name": "a", "value": ""}},
    ),
    'Completion of "day" for resource template "note://{day}"': (
        "completion/complete",
        {"ref": TEMPLATE, "argument": {"name": "day", "value": ""}},
    ),
    'List of resource template "note://{day}"': ("resources/list", {}),
}
ERAS = ["2025-11-25", MODERN]
each_request = pytest.mark.parametrize("label", REQUESTS)
each_era = pytest.mark.parametrize("revision", ERAS)


def stocked(handler: Callable[..., Any], timeout: float | None = None, **options: Any) -> Server:
    """A server all of whose handlers are this one."""
    server: Server = pico(name="test", **options)
    complete = {"day": handler}
    server.resource("note://{day}", read=handler, list=handler, complete=complete, timeout=timeout)
    server.prompt("ask", input=INPUT, run=handler, complete={"a": handler}, timeout=timeout)
    return server


async def ask(peer: Peer, label: str) -> Any:
    return await peer.request(*REQUESTS[label])


class Hanging:
    """Handlers that hang until `released`, and say when they have `begun`."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.released = threading.Event()

    async def in_the_loop(self, *_: Any) -> None:
        self.begun.set()
        await anyio.sleep_forever()

    def in_a_thread(self, *_: Any) -> str:
        self.begun.set()
        self.released.wait(60)
        return "too late"


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    made = Hanging()
    yield made
    made.released.set()


@each_request
@each_era
@pytest.mark.parametrize("where", ["in_the_loop", "in_a_thread"])
async def test_a_handler_that_takes_too_long_is_answered_for(
    label: str, revision: str, where: str, hanging: Hanging
) -> None:
    async with connected(stocked(getattr(hanging, where), timeout=0.05), revision) as peer:
        error = (await ask(peer, label))["error"]
        assert error == {"code": -32603, "message": f"{label} timed out after 0.05 seconds."}


@each_request
@each_era
@pytest.mark.parametrize("where", ["in_the_loop", "in_a_thread"])
async def test_a_cancelled_one_is_never_answered(label: str, revision: str, where: str, hanging: Hanging) -> None:
    async with connected(stocked(getattr(hanging, where)), revision) as peer:
        before = len(peer.messages)
        peer.cancel(peer.start(*REQUESTS[label]))  # perhaps before it has begun
        id = peer.start(*REQUESTS[label])
        with anyio.fail_after(60):
            while not hanging.begun.is_set():
                await anyio.lowlevel.checkpoint()
        peer.cancel(id)
        assert not peer.connection.calls
        hanging.released.set()
        assert (await peer.request("tools/list"))["result"]["tools"] == []
        assert len(peer.messages) == before + 1


@each_request
@each_era
async def test_an_exception_is_an_error_and_with_mask_errors_it_says_no_more_than_that(
    label: str, revision: str
) -> None:
    def fails(*_: Any) -> None:
        raise ValueError("secret \ud800")

    for options, text in (
        ({}, "secret \ufffd"),
        ({"mask_errors": True}, f"{label} failed. The reason is in the server's log."),
    ):
        async with connected(stocked(fails, **options), revision) as peer:
            assert (await ask(peer, label))["error"] == {"code": -32603, "message": text}


@each_request
@pytest.mark.parametrize(
    ("error", "code"), [(ToolError("for you"), -32603), (McpError(7, "for you"), 7)], ids=["tool", "mcp"]
)
async def test_what_is_meant_for_the_client_is_not_masked(label: str, error: Exception, code: int) -> None:
    async def fails(*_: Any) -> None:
        raise error

    async with connected(stocked(fails, mask_errors=True), MODERN) as peer:
        assert (await ask(peer, label))["error"] == {"code": code, "message": "for you"}


@each_request
@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration()], ids=repr)
async def test_nothing_that_a_handler_raises_costs_the_answer(label: str, error: BaseException) -> None:
    def fails(*_: Any) -> None:
        raise error

    async with connected(stocked(fails), MODERN) as peer:
        assert type(error).__name__ in (await ask(peer, label))["error"]["message"]
        assert "result" in await peer.request("tools/list")


@each_era
async def test_a_resource_that_is_removed_while_it_is_read_is_read_to_the_end(revision: str) -> None:
    begun, go_on = anyio.Event(), anyio.Event()

    async def read(uri: str) -> str:
        begun.set()
        await go_on.wait()
        return "text"

    server = pico({"name": "test"}).resource("note://a", read=read).resource("note://b", read=lambda: "")
    async with connected(server, revision) as peer:
        id = peer.start("resources/read", {"uri": "note://a"})
        await begun.wait()
        server.remove_resource("note://a")
        assert "error" in await peer.request("resources/read", {"uri": "note://a"})
        go_on.set()
        assert (await peer.reply(id))["result"]["contents"][0]["text"] == "text"


class SlowPath(type(pathlib.Path())):  # type: ignore[misc]  # a path's class depends on the system
    """A file on a disk that doesn't answer until `answers` is set."""

    answers = threading.Event()

    def __fspath__(self) -> str:
        self.answers.wait(60)
        return super().__fspath__()  # type: ignore[no-any-return]  # as above


@pytest.fixture
def slow_disk() -> Iterator[None]:
    SlowPath.answers.clear()
    yield
    SlowPath.answers.set()


@pytest.mark.usefixtures("slow_disk")
async def test_the_timeout_holds_for_reading_the_file_that_was_returned() -> None:
    server = pico({"name": "test"}).resource("note://a", read=lambda: SlowPath(__file__), timeout=0.05)
    async with connected(server, MODERN) as peer:
        error = (await peer.request("resources/read", {"uri": "note://a"}))["error"]
        assert error["message"] == 'Resource "note://a" timed out after 0.05 seconds.'


@pytest.mark.usefixtures("slow_disk")
async def test_a_read_can_be_cancelled_while_the_file_that_was_returned_is_read() -> None:
    returned = anyio.Event()

    async def read(uri: str) -> SlowPath:
        returned.set()
        return SlowPath(__file__)

    server = pico({"name": "test"}).resource("note://a", read=read)
    with anyio.fail_after(30):
        async with connected(server, MODERN) as peer:
            id = peer.start("resources/read", {"uri": "note://a"})
            await returned.wait()
            await anyio.lowlevel.checkpoint()
            peer.cancel(id)
        # leaving has waited for its task
    assert not any(message.get("id") == id for message in peer.messages)


@each_era
async def test_a_handler_in_a_thread_that_reads_is_woken_when_its_call_is_cancelled(
    revision: str, hanging: Hanging
) -> None:
    reasons: list[str] = []
    over = threading.Event()

    def look(input: Any, ctx: Any) -> None:
        try:
            ctx.read("note://a")
        except Exception as error:
            reasons.append(f"{type(error).__name__}: {error}")
        finally:
            over.set()

    server = pico({"name": "test"}).tool("look", run=look).resource("note://a", read=hanging.in_the_loop)
    async with connected(server, revision) as peer:
        id = peer.start("tools/call", {"name": "look"})
        with anyio.fail_after(60):
            while not hanging.begun.is_set():
                await anyio.lowlevel.checkpoint()
            peer.cancel(id, "enough")
            while not over.is_set():
                await anyio.lowlevel.checkpoint()
    assert reasons == ["Aborted: enough"]


@pytest.mark.parametrize("thread", [True, False])
async def test_a_uri_that_is_no_string_is_an_error_in_words(thread: bool) -> None:
    server = pico({"name": "test"}).tool("look", run=lambda input, ctx: ctx.read(5), thread=thread)
    async with connected(server, MODERN) as peer:
        (block,) = (await peer.call("look"))["content"]
        assert block["text"] == "ctx.read: the URI must be a string, not int"


async def test_a_bus_that_can_not_be_subscribed_to_leaves_nothing_behind() -> None:
    class Broken:
        def publish(self, change: Any) -> None:
            """Nobody listens."""

        def subscribe(self, receive: Any) -> Any:
            raise OSError("no route")

        def close(self) -> None:
            """There is nothing to close."""

    server = pico({"name": "test", "bus": Broken()})
    with pytest.raises(OSError, match="no route"):
        async with connected(server, MODERN):
            raise AssertionError("it must not get here")
    assert not server._app.at_work
    assert not server._app.runtimes
