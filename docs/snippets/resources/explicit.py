"""Contents written out: several of them, or one with a URI of its own."""

import anyio

# region explicit
from picomcp_py import pico, resource

server = pico({"name": "weather"})


@server.resource("report://{day}", {"description": "The report of a day and its chart."})
def report(uri: str, params: dict[str, str]) -> list[object]:
    return [
        {"uri": f"{uri}/text", "mimeType": "text/markdown", "text": "# Rain"},
        resource(f"{uri}/chart", b"\x89PNG\r\n\x1a\n", "image/png"),
    ]


# endregion
async def check() -> None:
    contents = (await server.read("report://monday"))["contents"]
    assert [sorted(one) for one in contents] == [["mimeType", "text", "uri"], ["blob", "mimeType", "uri"]]
    assert [one["uri"] for one in contents] == ["report://monday/text", "report://monday/chart"]


anyio.run(check)
