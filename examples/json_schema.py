"""place_order, its input as a JSON Schema document. Compare with msgspec_types.py and pydantic_models.py.

python examples/json_schema.py            serve on stdio
python examples/json_schema.py --check    check itself
"""

from typing import Any

from _check import main
from _place_order import DESCRIPTION, check, confirm

from picomcp_py import pico

# region tool
ORDER = {
    "type": "object",
    "properties": {
        "customer": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "email": {"type": "string", "pattern": "^[^@ ]+@[^@ ]+$"},
            },
            "required": ["name", "email"],
            "additionalProperties": False,
        },
        "items": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{2}$"},
                    "quantity": {"type": "integer", "minimum": 1, "maximum": 99, "default": 1},
                },
                "required": ["sku"],
                "additionalProperties": False,
            },
        },
        "shipping": {"enum": ["standard", "express"], "default": "standard", "description": "express costs no more"},
    },
    "required": ["customer", "items"],
    "additionalProperties": False,
}

server = pico(name="shop")


@server.tool("place_order", {"description": DESCRIPTION, "input": ORDER})
def place_order(input: dict[str, Any]) -> str:
    items = [(item["sku"], item["quantity"]) for item in input["items"]]
    return confirm(input["customer"]["name"], items, input["shipping"])


# endregion


if __name__ == "__main__":
    main(server, __file__, check)
