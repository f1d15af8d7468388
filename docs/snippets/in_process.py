"""A tool called without a client."""

import anyio

# region call
from picomcp_py import pico

server = pico({"name": "weather"}).tool("forecast", {"run": lambda: {"sky": "clear"}})


async def test_forecast() -> None:
    result = await server.call("forecast", {})
    assert result["structuredContent"] == {"sky": "clear"}


# endregion
anyio.run(test_forecast)
