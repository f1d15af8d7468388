"""The pages of the four lists: complete and in order, while entries come and go between them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest

from picomcp_py import Server, pico
from tests.peer import MODERN, Peer, connected

pytestmark = pytest.mark.anyio

REVISIONS = ["2025-11-25", MODERN]


def nothing() -> None:
    return None


class Kind:
    """One of the four lists: how its entries are added, removed and named."""

    def __init__(
        self, method: str, key: str, name: str, form: str, add: Callable[[Server, str], Any], remove: str
    ) -> None:
        self.method = method
        self.key = key
        self.name = name
        self.form = form
        self.add = add
        self.remove = remove

    def named(self, number: int) -> str:
        return self.form.format(number)

    def take(self, server: Server, name: str) -> None:
        getattr(server, self.remove)(name)


KINDS = {
    "tools": Kind("tools/list", "tools", "name", "t{}", lambda s, n: s.tool(n, run=nothing), "remove_tool"),
    "prompts": Kind("prompts/list", "prompts", "name", "p{}", lambda s, n: s.prompt(n, run=nothing), "remove_prompt"),
    "resources": Kind(
        "resources/list", "resources", "uri", "r://{}", lambda s, n: s.resource(n, read=nothing), "remove_resource"
    ),
    "templates": Kind(
        "resources/templates/list",
        "resourceTemplates",
        "uriTemplate",
        "t://{}/{{x}}",
        lambda s, n: s.resource(n, read=nothing),
        "remove_resource",
    ),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


def stocked(kind: Kind, count: int, size: int | None) -> Server:
    server = pico({"name": "test", "pageSize": size})
    for number in range(count):
        kind.add(server, kind.named(number))
    return server


async def page(peer: Peer, kind: Kind, cursor: Any = None) -> tuple[list[str], str | None]:
    result = (await peer.request(kind.method, {} if cursor is None else {"cursor": cursor}))["result"]
    assert None not in result.values()
    return [entry[kind.name] for entry in result[kind.key]], result.get("nextCursor")


async def walk(peer: Peer, kind: Kind, between: Callable[[list[str]], Any] = lambda seen: None) -> list[list[str]]:
    """All pages. `between` is called with what was seen so far before each page but the first."""
    pages: list[list[str]] = []
    cursor = None
    while True:
        names, cursor = await page(peer, kind, cursor)
        pages.append(names)
        if cursor is None:
            return pages
        between([name for names in pages for name in names])


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("count", "sizes"), [(0, [0]), (1, [1]), (3, [3]), (4, [3, 1]), (6, [3, 3]), (7, [3, 3, 1])])
async def test_pages_have_the_size_that_was_set(kind: Kind, revision: str, count: int, sizes: list[int]) -> None:
    server = stocked(kind, count or 1, 3)
    if not count:
        kind.take(server, kind.named(0))
    async with connected(server, revision) as peer:
        pages = await walk(peer, kind)
        assert [len(names) for names in pages] == sizes
        assert [*chain(*pages)] == [kind.named(number) for number in range(count)]


async def test_without_a_size_all_is_on_one_page(kind: Kind) -> None:
    async with connected(stocked(kind, 1200, None)) as peer:
        assert await page(peer, kind) == ([kind.named(number) for number in range(1200)], None)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("name", ["tools", "resources"])
async def test_ten_thousand_entries_while_others_come_and_go(name: str, revision: str) -> None:
    """Between two pages the last entry seen, one seen before and one not seen yet go, and two new ones come."""
    kind = KINDS[name]
    server = stocked(kind, 10_000, 250)
    gone_unseen: list[str] = []
    added: list[str] = []
    everything = {kind.named(number) for number in range(10_000)}

    def change(seen: list[str]) -> None:
        kind.take(server, seen[-1])
        kind.take(server, seen[-100])
        place = 250 * (len(added) // 2) + 400
        unseen = kind.named(place)
        if place < 10_000 and unseen not in seen:
            kind.take(server, unseen)
            gone_unseen.append(unseen)
        for _ in range(2):
            if len(added) < 100:
                added.append(kind.named(10_000 + len(added)))
                kind.add(server, added[-1])

    async with connected(server, revision) as peer:
        pages = await walk(peer, kind, change)
        seen = [*chain(*pages)]
        assert len(gone_unseen) > 30
        assert len(added) > 70
        assert len(seen) == len(set(seen))
        assert set(seen) == (everything | set(added)) - set(gone_unseen)
        numbers = [int(one.removeprefix("r://").removeprefix("t")) for one in seen]
        assert numbers == sorted(numbers)


async def test_a_cursor_holds_when_all_around_it_goes(kind: Kind) -> None:
    server = stocked(kind, 9, 3)
    async with connected(server) as peer:
        _, cursor = await page(peer, kind)
        for number in range(7):
            kind.take(server, kind.named(number))
        assert await page(peer, kind, cursor) == ([kind.named(7), kind.named(8)], None)
        for number in (7, 8):
            kind.take(server, kind.named(number))
        assert await page(peer, kind, cursor) == ([], None)
        kind.add(server, kind.named(0))  # what comes back comes last
        assert await page(peer, kind, cursor) == ([kind.named(0)], None)


async def test_a_replaced_entry_keeps_its_place(kind: Kind) -> None:
    server = pico({"name": "test", "pageSize": 2, "onDuplicate": "replace"})
    for number in range(5):
        kind.add(server, kind.named(number))
    async with connected(server) as peer:
        pages = await walk(peer, kind, lambda seen: kind.add(server, seen[0]))
        assert [*chain(*pages)] == [kind.named(number) for number in range(5)]


async def test_a_page_shows_what_is_there_now(kind: Kind) -> None:
    """Pages are kept encoded, until something changes."""
    server = stocked(kind, 3, None)
    async with connected(server) as peer:
        assert len((await page(peer, kind))[0]) == 3
        kind.add(server, kind.named(3))
        assert len((await page(peer, kind))[0]) == 4
        kind.take(server, kind.named(0))
        assert (await page(peer, kind))[0] == [kind.named(number) for number in (1, 2, 3)]


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


JUNK = [
    "",
    " ",
    "a",
    "junk!",
    "\u2713",
    "=" * 8,
    encoded("tool:"),
    encoded("tool:-1"),
    encoded("tool:1") + "=",
    encoded("tool:1") + "A",
    encoded("tool:01"),
    encoded("tool:" + "9" * 30),
    encoded("tool:\u0661"),
    encoded("resource:1:2"),
    encoded("listed:1"),
    encoded("listed:1:2:x"),
    encoded("listed:x:2:a:b"),
    encoded("listed:1:-2:a:b"),
    encoded("listed:" + "9" * 30 + ":2:a:b"),
    "A" * 100_000,
]


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_junk_cursor_is_refused(kind: Kind, revision: str) -> None:
    async with connected(stocked(kind, 5, 2), revision) as peer:
        for cursor in JUNK:
            error = (await peer.request(kind.method, {"cursor": cursor}))["error"]
            assert error == {"code": -32602, "message": "Invalid cursor: start again without one"}, cursor
        wrong: list[Any] = [5, [], {}, True]
        for value in wrong:
            assert (await peer.request(kind.method, {"cursor": value}))["error"]["code"] == -32602
        assert (await peer.request(kind.method, {"cursor": None}))["result"]["nextCursor"]


async def test_a_cursor_of_another_list_is_refused(kind: Kind) -> None:
    server = pico({"name": "test", "pageSize": 2})
    for one in KINDS.values():
        for number in range(5):
            one.add(server, one.named(number))
    async with connected(server) as peer:
        _, cursor = await page(peer, kind)
        for other in KINDS.values():
            if other is not kind:
                assert (await peer.request(other.method, {"cursor": cursor}))["error"]["code"] == -32602


async def test_cursors_that_a_client_makes_up_do_not_fill_the_memory(kind: Kind) -> None:
    server = stocked(kind, 3, 1)
    registry: Any = {
        "tools": server._app.tools,
        "prompts": server._app.prompts,
        "resources": server._app.resources,
        "resourceTemplates": server._app.templates,
    }[kind.key]
    async with connected(server) as peer:
        for number in range(1000):
            cursor = encoded(f"{registry.kind}:{number}")
            assert "result" in await peer.request(kind.method, {"cursor": cursor})
    assert len(registry._kept) <= 256
