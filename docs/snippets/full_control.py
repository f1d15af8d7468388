"""A result whose text is not the JSON of its data."""

import anyio
from msgspec import Struct

# region result
from picomcp_py import pico, result

# endregion


class Stock(Struct):
    sku: str
    left: int


# region result
server = pico({"name": "shop"})


@server.tool("stock", output=Stock)
async def stock():
    return result("Three pots are left.", Stock("pot", 3), meta={"com.example/cached": True})


# endregion


async def check() -> None:
    assert await server.call("stock") == {
        "content": [{"type": "text", "text": "Three pots are left."}],
        "structuredContent": {"sku": "pot", "left": 3},
        "_meta": {"com.example/cached": True},
    }


anyio.run(check)
