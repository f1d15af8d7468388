"""Suggestions for arguments: a list, a function, and what the schema names."""

# region completion
from typing import Literal

# endregion
import anyio

# region completion
from msgspec import Struct

from picomcp_py import Context, pico

# endregion
from picomcp_py.client import Client

# region completion
CITIES = {"France": ["Lyon", "Paris"], "Japan": ["Kyoto", "Tokyo"]}


class Trip(Struct):
    country: str
    city: str
    pace: Literal["slow", "fast"] = "slow"  # completed without another word


async def cities(typed: str, chosen: dict[str, str], ctx: Context) -> list[str]:
    found = CITIES.get(chosen.get("country", ""), [])
    return [city for city in found if city.startswith(typed)]


server = pico({"name": "travel"})


@server.prompt("plan", input=Trip, complete={"country": list(CITIES), "city": cities})
async def plan(input: Trip) -> str:
    return f"Plan a {input.pace} trip to {input.city}."


# endregion
async def check() -> None:
    async with Client(server) as client:
        assert (await client.complete("country", "an", prompt="plan")).values == ["France", "Japan"]
        assert (await client.complete("pace", "f", prompt="plan")).values == ["fast"]
        found = await client.complete("city", "", prompt="plan", context={"country": "Japan"})
        assert (found.values, found.total, found.has_more) == (["Kyoto", "Tokyo"], 2, False)


anyio.run(check)
