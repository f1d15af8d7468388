"""The ways to write a registration, and the types of its variables."""

from typing import Any

import anyio

# region forms
from picomcp_py import Context, pico

LOGO = b"\x89PNG\r\n\x1a\n..."

server = pico({"name": "shop"})

# read is in the config, and calls chain
server.resource("shop://hours", {"read": lambda: "9 to 5"}).resource("shop://logo", {"read": lambda: LOGO})


# keywords, in snake_case
@server.resource("shop://{category}/{sku}", mime_type="application/json", ttl_ms=60_000)
async def item(uri: str, params: dict[str, Any], ctx: Context) -> dict[str, Any]:
    return {"sku": params["sku"], "category": params["category"]}


# what may be absent is absent; with a "*" it is a list
@server.resource("shop://search{?q,tag*}")
def search(uri: str, params: dict[str, Any]) -> list[str]:
    return [params.get("q", "everything"), *params.get("tag", [])]


# endregion
async def check() -> None:
    for uri, text in {
        "shop://hours": "9 to 5",
        "shop://tea/42": '{"sku":"42","category":"tea"}',
        "shop://search": '["everything"]',
        "shop://search?tag=new&tag=green&q=cup": '["cup","new","green"]',
    }.items():
        assert (await server.read(uri))["contents"][0]["text"] == text
    assert (await server.read("shop://logo"))["contents"][0]["mimeType"] == "image/png"


anyio.run(check)
