"""The lenient mode, for clients that send text for everything."""

import anyio
from msgspec import Struct

from picomcp_py import pico


# region lenient
class Page(Struct):
    number: int
    tags: list[str] = []
    draft: bool = False


server = pico({"name": "pages"})


@server.tool("open_page", {"input": Page, "coerce": True})
async def open_page(input: Page) -> Page:
    return input


# endregion


async def check() -> None:
    result = await server.call("open_page", {"number": "5", "tags": '["a"]', "draft": "true"})
    assert result["structuredContent"] == {"number": 5, "tags": ["a"], "draft": True}
    for wrong in ("0x10", " 5 ", "1,000", ""):
        assert (await server.call("open_page", {"number": wrong}))["isError"] is True


anyio.run(check)
