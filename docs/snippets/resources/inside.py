"""Reading a resource from a handler, and without a client."""

import anyio

# region inside
from msgspec import Struct

from picomcp_py import Context, pico


class Day(Struct):
    date: str


server = pico({"name": "notes"})
server.resource("note://{date}", {"read": lambda uri, params: f"Rain on {params['date']}."})


@server.tool("shout", {"input": Day})
async def shout(input: Day, ctx: Context) -> str:
    (contents,) = await ctx.read(f"note://{input.date}")  # the client sees nothing of it
    return contents["text"].upper()


async def test_note() -> None:
    result = await server.read("note://monday")
    assert result["contents"] == [{"uri": "note://monday", "mimeType": "text/plain", "text": "Rain on monday."}]


# endregion
async def check() -> None:
    await test_note()
    assert (await server.call("shout", {"date": "monday"}))["content"][0]["text"] == "RAIN ON MONDAY."


anyio.run(check)
