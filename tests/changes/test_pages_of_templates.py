"""resources/list where templates list resources of their own: page by page, while what they list changes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import anyio
import pytest

from picomcp_py import Context, McpError, Server, pico
from tests.peer import MODERN, Peer, connected, envelope

pytestmark = pytest.mark.anyio

REVISIONS = ["2025-11-25", MODERN]


def shelf(server: Server, name: str, items: list[str], **more: Any) -> None:
    """A template that lists what is in `items` at that moment."""
    uri = f"{name}://{{item}}"
    server.resource(
        uri, read=lambda uri: uri, list=lambda: [f"{name}://{item}" for item in items], thread=False, **more
    )


def fixed(server: Server, *uris: str) -> None:
    for uri in uris:
        server.resource(uri, read=lambda uri: uri)


async def page(peer: Peer, cursor: str | None = None) -> tuple[list[str], str | None]:
    reply = await peer.request("resources/list", {} if cursor is None else {"cursor": cursor})
    assert "result" in reply, reply
    return [entry["uri"] for entry in reply["result"]["resources"]], reply["result"].get("nextCursor")


async def walk(peer: Peer, between: Callable[[list[str]], Any] = lambda seen: None) -> list[list[str]]:
    pages: list[list[str]] = []
    cursor = None
    while True:
        uris, cursor = await page(peer, cursor)
        pages.append(uris)
        if cursor is None:
            return pages
        between([uri for uris in pages for uri in uris])


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, None])
async def test_first_the_fixed_ones_then_what_each_template_lists(size: int | None, revision: str) -> None:
    server = pico({"name": "test", "pageSize": size})
    shelf(server, "a", ["1", "2"])
    fixed(server, "f://1", "f://2", "f://3")
    server.resource("unlisted://{x}", read=lambda uri: uri)
    shelf(server, "empty", [])
    shelf(server, "b", ["1"])
    whole = ["f://1", "f://2", "f://3", "a://1", "a://2", "b://1"]
    async with connected(server, revision) as peer:
        pages = await walk(peer)
        assert [*chain(*pages)] == whole
        step = size or 6
        assert pages == [whole[start : start + step] for start in range(0, 6, step)]


async def test_what_is_registered_too_is_listed_once() -> None:
    server = pico({"name": "test", "pageSize": 2})
    shelf(server, "a", ["1", "2", "3"])
    fixed(server, "a://2", "f://1")
    async with connected(server) as peer:
        assert [*chain(*await walk(peer))] == ["a://2", "f://1", "a://1", "a://3"]


@pytest.mark.parametrize(
    ("gone", "seen"),
    [
        (["2"], ["3", "4", "5"]),  # the last of the page
        (["1"], ["3", "4", "5"]),  # one before it: all others move up
        (["1", "2"], ["3", "4", "5"]),
        (["3"], ["4", "5"]),
        (["2", "3"], ["4", "5"]),
        (["3", "4", "5"], []),
        (["1", "2", "3", "4", "5"], []),
    ],
)
async def test_entries_that_vanish_between_pages_take_no_others_along(gone: list[str], seen: list[str]) -> None:
    server = pico({"name": "test", "pageSize": 2})
    items = ["1", "2", "3", "4", "5"]
    shelf(server, "a", items)
    shelf(server, "b", ["1"])
    async with connected(server) as peer:
        first, cursor = await page(peer)
        assert first == ["a://1", "a://2"]
        items[:] = [item for item in items if item not in gone]
        rest: list[str] = []
        while cursor is not None:
            uris, cursor = await page(peer, cursor)
            rest += uris
        assert rest == [*(f"a://{item}" for item in seen), "b://1"]


async def test_entries_that_come_before_the_cursor_move_it_along() -> None:
    server = pico({"name": "test", "pageSize": 2})
    items = ["1", "2", "3"]
    shelf(server, "a", items)
    async with connected(server) as peer:
        _, cursor = await page(peer)
        items[:0] = ["x", "y", "z"]
        assert await page(peer, cursor) == (["a://3"], None)


async def test_a_template_that_goes_between_pages_ends_its_part_alone() -> None:
    server = pico({"name": "test", "pageSize": 2})
    for name in "abc":
        shelf(server, name, ["1", "2", "3"])
    async with connected(server) as peer:
        _, in_a = await page(peer)
        server.remove_resource("a://{item}")
        assert await page(peer, in_a) == (["b://1", "b://2"], (await page(peer))[1])
        _, in_b = await page(peer)
        server.remove_resource("b://{item}")
        server.remove_resource("c://{item}")
        assert await page(peer, in_b) == ([], None)
        assert await page(peer) == ([], None)


async def test_a_template_that_goes_while_others_list_is_not_listed() -> None:
    server = pico({"name": "test", "pageSize": 2})

    def lists() -> list[str]:
        server.remove_resource("b://{item}")
        return ["a://1"]

    server.resource("a://{item}", read=lambda uri: uri, list=lists, thread=False)
    shelf(server, "b", ["1"])
    shelf(server, "c", ["1"])
    async with connected(server) as peer:
        assert await page(peer) == (["a://1", "c://1"], None)


async def test_a_resource_that_goes_while_templates_list_leaves_the_cursor_whole() -> None:
    server = pico({"name": "test", "pageSize": 2})
    fixed(server, "f://1", "f://2")

    def lists() -> list[str]:
        if "f://2" in server._app.resources:
            server.remove_resource("f://2")
        return ["a://1"]

    server.resource("a://{item}", read=lambda uri: uri, list=lists, thread=False)
    async with connected(server) as peer:
        assert await walk(peer) == [["f://1", "f://2"], ["a://1"]]


@pytest.mark.parametrize("revision", REVISIONS)
async def test_ten_thousand_of_two_templates_and_many_fixed_ones(revision: str) -> None:
    """Between two pages two entries seen go, and one comes at the end of each part."""
    server = pico({"name": "test", "pageSize": 1000})
    left, right = ([f"{number}" for number in range(start, start + 5000)] for start in (0, 5000))
    fixed(server, *(f"f://{number}" for number in range(1500)))
    shelf(server, "left", left)
    shelf(server, "right", right)
    whole = [*(f"f://{number}" for number in range(1500)), *(f"left://{n}" for n in left)]
    whole += [f"right://{number}" for number in right]

    def change(seen: list[str]) -> None:
        for uri in (seen[-1], seen[-7]):
            name, _, item = uri.partition("://")
            {"left": left, "right": right}.get(name, [item]).remove(item)
        right.append(f"{10_000 + len(seen)}")

    async with connected(server, revision) as peer:
        pages = await walk(peer, change)
        assert [len(uris) for uris in pages] == [1000] * 11 + [511]
        seen = [*chain(*pages)]
        assert seen[: len(whole)] == whole
        assert seen[len(whole) :] == [f"right://{10_000 + 1000 * number}" for number in range(1, 12)]


async def test_a_bad_cursor_is_refused_before_anything_is_listed() -> None:
    server = pico({"name": "test"})
    ran: list[str] = []

    def lists() -> list[str]:
        ran.append("a")
        return []

    server.resource("a://{item}", read=lambda uri: uri, list=lists)
    async with connected(server) as peer:
        for cursor in ("", "junk", "bGlzdGVkOjE6MTp4"):
            assert (await peer.request("resources/list", {"cursor": cursor}))["error"]["code"] == -32602
        assert not ran


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_list_that_fails_is_the_error_of_the_request(revision: str) -> None:
    async def lists() -> list[str]:
        raise McpError(-1, "the shelf is on fire")

    server = pico({"name": "test"}).resource("a://{item}", read=lambda uri: uri, list=lists)
    async with connected(server, revision) as peer:
        assert (await peer.request("resources/list"))["error"] == {"code": -1, "message": "the shelf is on fire"}


@pytest.mark.parametrize("revision", REVISIONS)
async def test_what_lists_knows_who_asks(revision: str) -> None:
    async def lists(ctx: Context) -> list[str]:
        return [f"a://{ctx.request.protocol_version}", f"a://{ctx.meta.get('example.com/who')}"]

    server = pico({"name": "test"}).resource("a://{item}", read=lambda uri: uri, list=lists)
    async with connected(server, revision) as peer:
        meta = {"example.com/who": "me"}
        params = {"_meta": envelope(**meta) if revision == MODERN else meta}
        reply = await peer.request("resources/list", params)
        assert [entry["uri"] for entry in reply["result"]["resources"]] == [f"a://{revision}", "a://me"]


async def test_a_list_in_progress_is_cancelled_as_a_call_is() -> None:
    started, cancelled = anyio.Event(), anyio.Event()

    async def lists() -> list[str]:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()
        return []

    server = pico({"name": "test"}).resource("a://{item}", read=lambda uri: uri, list=lists)
    async with connected(server) as peer:
        id = peer.start("resources/list")
        with anyio.fail_after(20):
            await started.wait()
            peer.cancel(id)
            await cancelled.wait()
        assert (await peer.request("tools/list"))["result"]["tools"] == []
        assert id not in [message.get("id") for message in peer.messages]
