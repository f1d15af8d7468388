"""Lists in pages."""

import anyio

# region pages
from picomcp_py import pico

server = pico({"name": "shop", "pageSize": 2})
for sku in ("cup", "pot", "tray"):
    server.resource(f"shop://{sku}", {"read": lambda uri, sku=sku: f"A {sku}."})
# endregion


async def check() -> None:
    from picomcp_py.client import Client

    async with Client(server) as client:
        first = await client.request("resources/list", {})
        assert [resource["uri"] for resource in first["resources"]] == ["shop://cup", "shop://pot"]
        second = await client.request("resources/list", {"cursor": first["nextCursor"]})
        assert [resource["uri"] for resource in second["resources"]] == ["shop://tray"]
        assert "nextCursor" not in second
        assert len(await client.list_resources()) == 3
        assert (await client.read_resource("shop://pot")).text == "A pot."


anyio.run(check)
