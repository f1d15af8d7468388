"""The four ways to write a registration."""

import anyio

# region forms
from msgspec import Struct

from picomcp_py import pico


class City(Struct):
    city: str


server = pico({"name": "weather"})

# run is in the config, and calls chain, as in TypeScript
server.tool("ping", {"run": lambda: "pong"}).tool("forecast", {"input": City, "run": lambda i: f"Sunny in {i.city}"})


# the same config, as a decorator
@server.tool("alerts", {"description": "Warnings in force.", "input": City})
async def alerts(input: City) -> list[str]:
    return [f"Storm over {input.city}"]


# keywords instead of a dict
@server.tool("wind", input=City, annotations={"readOnlyHint": True})
async def wind(input: City) -> str:
    return f"Calm in {input.city}"


# keywords with run
server.tool("sunrise", input=City, run=lambda input: f"{input.city}: 06:12")
# endregion


async def check() -> None:
    said = {
        "forecast": "Sunny in Lyon",
        "alerts": '["Storm over Lyon"]',
        "wind": "Calm in Lyon",
        "sunrise": "Lyon: 06:12",
    }
    for name, text in said.items():
        assert (await server.call(name, {"city": "Lyon"}))["content"] == [{"type": "text", "text": text}]
    assert (await server.call("ping"))["content"][0]["text"] == "pong"


anyio.run(check)
