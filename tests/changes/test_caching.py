"""How long a client may keep what it got (MCP 2026-07-28, server/utilities/caching): per server, list and resource."""

from __future__ import annotations

from typing import Any

import pytest

from picomcp_py import ConfigError, Server, pico
from tests.peer import MODERN, Peer, connected

pytestmark = pytest.mark.anyio

LISTS = {
    "tools": "tools/list",
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "discover": "server/discover",
}


def stocked(**options: Any) -> Server:
    server = pico(name="test", **options)
    server.tool("tool", run=lambda: None).prompt("prompt", run=lambda: "said")
    server.resource("note://plain", read=lambda: "held")
    server.resource("note://own", {"read": lambda: "held", "ttlMs": 9, "cacheScope": "public"})
    server.resource("day://{x}", {"read": lambda: "held", "ttlMs": 3})
    return server


async def hints(peer: Peer) -> dict[str, tuple[Any, Any]]:
    found = {}
    for name, method in LISTS.items():
        if name != "discover" or peer.revision == MODERN:
            found[name] = await peer.request(method)
    for uri in ("note://plain", "note://own", "day://1"):
        found[uri] = await peer.request("resources/read", {"uri": uri})
    return {name: (reply["result"].get("ttlMs"), reply["result"].get("cacheScope")) for name, reply in found.items()}


READS = {"note://plain": (0, "private"), "note://own": (9, "public"), "day://1": (3, "private")}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {**dict.fromkeys(LISTS, (0, "private")), **READS}),
        (
            {"ttl_ms": 60000, "cache_scope": "public"},
            {
                **dict.fromkeys(LISTS, (60000, "public")),
                "note://plain": (60000, "public"),
                "note://own": (9, "public"),
                "day://1": (3, "public"),
            },
        ),
        *(
            (
                {"ttl_ms": 1, "caching": {name: {"ttlMs": 5}}},
                {**dict.fromkeys(LISTS, (1, "private")), name: (5, "private")},
            )
            for name in LISTS
        ),
        (
            {"ttl_ms": 1, "caching": {"read": {"cacheScope": "public"}}},
            {
                **dict.fromkeys(LISTS, (1, "private")),
                "note://plain": (1, "public"),
                "note://own": (9, "public"),
                "day://1": (3, "public"),
            },
        ),
    ],
)
async def test_the_hints_of_a_list_go_before_those_of_the_server(options: Any, expected: dict[str, Any]) -> None:
    async with connected(stocked(**options)) as peer:
        found = await hints(peer)
        assert {name: found[name] for name in expected} == expected


async def test_the_handshake_era_has_no_hints() -> None:
    async with connected(stocked(ttl_ms=5, cache_scope="public"), "2025-11-25") as peer:
        assert set((await hints(peer)).values()) == {(None, None)}


@pytest.mark.parametrize("lists", [False, True])
async def test_all_pages_have_the_same_hints(lists: bool) -> None:
    server = pico({"name": "test", "pageSize": 2, "caching": {"resources": {"ttlMs": 7, "cacheScope": "public"}}})
    for number in range(5):
        server.resource(f"note://{number}", read=lambda: "")
    if lists:
        server.resource("day://{x}", read=lambda: "", list=lambda: ["day://1", "day://2"])
    async with connected(server) as peer:
        cursor: dict[str, str] = {}
        seen = 0
        while True:
            result = (await peer.request("resources/list", cursor))["result"]
            seen += len(result["resources"])
            assert (result["ttlMs"], result["cacheScope"]) == (7, "public")
            if "nextCursor" not in result:
                break
            cursor = {"cursor": result["nextCursor"]}
        assert seen == (7 if lists else 5)


@pytest.mark.parametrize(
    ("caching", "text"),
    [
        ([], '"caching" must be a dict such as'),
        ({"tool": {}}, 'unknown key "tool": did you mean "tools"?'),
        ({"tools": 5}, 'caching.tools must be a dict of "ttlMs" and "cacheScope"'),
        ({"tools": {"ttl": 5}}, 'unknown key "ttl"'),
        ({"tools": {"ttlMs": -1}}, '"ttlMs" must be an integer of at least 0, not -1'),
        ({"tools": {"ttlMs": True}}, '"ttlMs" must be an integer of at least 0, not True'),
        ({"tools": {"cacheScope": "shared"}}, "\"cacheScope\" must be 'public' or 'private', not 'shared'"),
    ],
)
def test_hints_that_can_not_be_are_refused_where_they_are_written(caching: Any, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        pico({"name": "test", "caching": caching})
    assert text in str(caught.value)


@pytest.mark.parametrize("key", [{"ttlMs": None}, {"cacheScope": None}, None])
async def test_none_is_an_absent_hint(key: dict[str, None] | None) -> None:
    async with connected(stocked(ttl_ms=4, caching={"tools": key})) as peer:
        assert (await hints(peer))["tools"] == (4, "private")
