"""place_order, its input as pydantic models. Compare with json_schema.py and msgspec_types.py.

python examples/pydantic_models.py            serve on stdio
python examples/pydantic_models.py --check    check itself
"""

from typing import Annotated, Literal

from _check import main
from _place_order import DESCRIPTION, check, confirm
from pydantic import BaseModel, Field

from picomcp_py import pico


# region tool
class Customer(BaseModel, extra="forbid"):
    name: Annotated[str, Field(min_length=1)]
    email: Annotated[str, Field(pattern="^[^@ ]+@[^@ ]+$")]


class Item(BaseModel, extra="forbid"):
    sku: Annotated[str, Field(pattern="^[A-Z]{3}-[0-9]{2}$")]
    quantity: Annotated[int, Field(ge=1, le=99)] = 1


class Order(BaseModel, extra="forbid"):
    customer: Customer
    items: Annotated[list[Item], Field(min_length=1)]
    shipping: Annotated[Literal["standard", "express"], Field(description="express costs no more")] = "standard"


server = pico(name="shop")


@server.tool("place_order", {"description": DESCRIPTION, "input": Order})
def place_order(input: Order) -> str:
    return confirm(input.customer.name, [(item.sku, item.quantity) for item in input.items], input.shipping)


# endregion


if __name__ == "__main__":
    main(server, __file__, check)
