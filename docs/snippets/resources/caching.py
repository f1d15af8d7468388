"""Cache hints: the server's, those of one list, those of one resource."""

import anyio

# region caching
from picomcp_py import pico

# endregion
from picomcp_py.client import Client

# fmt: off
# region caching
server = pico({
    "name": "shop",
    "ttlMs": 1_000,  # everything that may be cached
    "caching": {
        "resources": {"ttlMs": 60_000},  # one list
        "read": {"ttlMs": 5_000},  # what resources hold
    },
})
server.resource("shop://logo", {"read": lambda: b"GIF89a", "ttlMs": 86_400_000, "cacheScope": "public"})
server.resource("shop://stock", {"read": lambda: "12"})
# endregion
# fmt: on


async def check() -> None:
    async with Client(server, revision="2026-07-28") as client:
        for method, params, hints in [
            ("tools/list", {}, (1_000, "private")),
            ("resources/list", {}, (60_000, "private")),
            ("resources/read", {"uri": "shop://stock"}, (5_000, "private")),
            ("resources/read", {"uri": "shop://logo"}, (86_400_000, "public")),
        ]:
            result = await client.request(method, params)
            assert (result["ttlMs"], result["cacheScope"]) == hints, method


anyio.run(check)
