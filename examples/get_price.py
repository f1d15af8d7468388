"""get_price: structured output. A value that breaks the schema doesn't reach the client, whosever fault it is.

python examples/get_price.py            serve on stdio
python examples/get_price.py --check    check itself
"""

from typing import Any, Literal

from _check import Caller, expect, main
from msgspec import Struct

from picomcp_py import ToolError, pico

CENTS = {"tea": 450, "mug": 1295, "pot": 24.5}  # somebody typed euros for the pot


# region tool
class Sku(Struct):
    sku: str


class Price(Struct):
    sku: str
    cents: int
    currency: Literal["EUR"]


server = pico(name="shop")


@server.tool("get_price", input=Sku, output=Price)
async def get_price(input: Sku) -> Price:
    return Price(input.sku, await price_of(input.sku), "EUR")


# endregion


async def price_of(sku: str) -> Any:
    """In cents, or what the list says."""
    if sku not in CENTS:
        raise ToolError(f"No price for {sku}. There are: {', '.join(CENTS)}.")
    return CENTS[sku]


async def check(caller: Caller) -> None:
    published = (await caller.tool("get_price"))["outputSchema"]
    expect("outputSchema type", published["type"], "object")
    expect("outputSchema required", published["required"], ["sku", "cents", "currency"])
    expect("outputSchema cents", published["properties"]["cents"], {"type": "integer"})

    result = await caller.call("get_price", {"sku": "tea"}, text='{"sku":"tea","cents":450,"currency":"EUR"}')
    expect("structuredContent", result.structured, {"sku": "tea", "cents": 450, "currency": "EUR"})
    await caller.call("get_price", {"sku": "cup"}, error="No price for cup. There are: tea, mug, pot.")
    await caller.call(
        "get_price",
        {},
        error='Invalid arguments for tool "get_price":\nsku: Invalid input: expected string, received undefined',
    )
    failed = await caller.call(
        "get_price",
        {"sku": "pot"},
        error='Tool "get_price" returned a value that does not fit its output schema:\n'
        "cents: Invalid input: expected int, received number",
    )
    expect("structuredContent of a failure", failed.has_structured, False)


if __name__ == "__main__":
    main(server, __file__, check)
