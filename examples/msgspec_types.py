"""place_order, its input as msgspec Structs. Compare with json_schema.py and pydantic_models.py.

python examples/msgspec_types.py            serve on stdio
python examples/msgspec_types.py --check    check itself
"""

from typing import Annotated, Literal

from _check import main
from _place_order import DESCRIPTION, check, confirm
from msgspec import Meta, Struct

from picomcp_py import pico


# region tool
class Customer(Struct, forbid_unknown_fields=True):
    name: Annotated[str, Meta(min_length=1)]
    email: Annotated[str, Meta(pattern="^[^@ ]+@[^@ ]+$")]


class Item(Struct, forbid_unknown_fields=True):
    sku: Annotated[str, Meta(pattern="^[A-Z]{3}-[0-9]{2}$")]
    quantity: Annotated[int, Meta(ge=1, le=99)] = 1


class Order(Struct, forbid_unknown_fields=True):
    customer: Customer
    items: Annotated[list[Item], Meta(min_length=1)]
    shipping: Annotated[Literal["standard", "express"], Meta(description="express costs no more")] = "standard"


server = pico(name="shop")


@server.tool("place_order", {"description": DESCRIPTION, "input": Order})
def place_order(input: Order) -> str:
    return confirm(input.customer.name, [(item.sku, item.quantity) for item in input.items], input.shipping)


# endregion


if __name__ == "__main__":
    main(server, __file__, check)
