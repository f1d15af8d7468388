"""A URI at which nothing is: None, or ResourceNotFound."""

import anyio
import pytest

# region missing
from picomcp_py import ResourceNotFound, pico

ORDERS = {"7": {"items": ["tea"]}, "8": {"items": []}}

server = pico({"name": "orders"})


@server.resource("order://{id}")
def order(uri: str, params: dict[str, str]) -> dict[str, list[str]] | None:
    return ORDERS.get(params["id"])  # None: nothing is there


@server.resource("order://{id}/first")
def first(uri: str, params: dict[str, str]) -> str:
    if not ORDERS[params["id"]]["items"]:
        raise ResourceNotFound(uri)
    return ORDERS[params["id"]]["items"][0]


# endregion
async def check() -> None:
    for uri in ["order://9", "order://8/first", "parcel://1"]:
        with pytest.raises(ResourceNotFound) as caught:
            await server.read(uri)
        assert (caught.value.code, caught.value.data) == (-32602, {"uri": uri})
    assert (await server.read("order://7/first"))["contents"][0]["text"] == "tea"


anyio.run(check)
