"""What place_order does and what is expected of it: the same for the three files that write its input down.

- json_schema.py      as a JSON Schema document; `input` is a dict
- msgspec_types.py    as msgspec Structs; `input` is an Order
- pydantic_models.py  as pydantic models; `input` is an Order
"""

from __future__ import annotations

from _check import Caller, expect

from picomcp_py import ToolError

DESCRIPTION = "Place an order. Ask the user before calling it: it is charged at once."
PRICES = {"TEA-01": 450, "MUG-02": 1295}  # cents


def confirm(name: str, items: list[tuple[str, int]], shipping: str) -> str:
    """The answer to an order of (sku, quantity) items. Raises ToolError, whose text the model gets to read."""
    unknown = [sku for sku, _ in items if sku not in PRICES]
    if unknown:
        raise ToolError(f"No such article: {', '.join(unknown)}. There are: {', '.join(PRICES)}.")
    cents = sum(PRICES[sku] * quantity for sku, quantity in items)
    return f"{sum(quantity for _, quantity in items)} articles for {name}, {shipping}: {cents / 100:.2f} EUR"


GOOD = {
    "customer": {"name": "Ada Lovelace", "email": "ada@example.com"},
    "items": [{"sku": "TEA-01", "quantity": 2}, {"sku": "MUG-02"}],
}
BAD = {
    "customer": {"name": "", "e-mail": "ada@example.com"},
    "items": [{"sku": "tea", "quantity": 2}, {"sku": "MUG-02", "quantity": "1"}, {"sku": "MUG-02", "quantity": 100}],
    "shipping": "drone",
    "note": None,
}
REFUSED = """\
Invalid arguments for tool "place_order":
customer.name: Too small: expected string to have >=1 characters
customer.email: Invalid input: expected string, received undefined
customer.e-mail: Unrecognized key: "e-mail", did you mean "email"?
items[0].sku: Invalid string: must match pattern /^[A-Z]{3}-[0-9]{2}$/
items[1].quantity: Invalid input: expected number, received string
items[2].quantity: Too big: expected number to be <=99
shipping: Invalid option: expected one of "standard"|"express"
note: Unrecognized key: "note\""""


async def check(caller: Caller) -> None:
    tool = await caller.tool("place_order")
    schema = tool["inputSchema"]
    expect("description", tool["description"], DESCRIPTION)
    expect("names", list(schema["properties"]), ["customer", "items", "shipping"])
    expect("required", schema["required"], ["customer", "items"])

    await caller.call("place_order", GOOD, text="3 articles for Ada Lovelace, standard: 21.95 EUR")
    express = {**GOOD, "shipping": "express"}
    await caller.call("place_order", express, text="3 articles for Ada Lovelace, express: 21.95 EUR")
    await caller.call("place_order", BAD, error=REFUSED)
    await caller.call(
        "place_order",
        {**GOOD, "items": [{"sku": "POT-03"}]},
        error="No such article: POT-03. There are: TEA-01, MUG-02.",
    )
