"""chart: text, an image and a link in one answer. The PNG is drawn with the standard library alone.

python examples/chart.py            serve on stdio
python examples/chart.py --check    check itself
"""

import base64
import struct
import zlib
from typing import Annotated, Any

import anyio.to_thread
from _check import Caller, expect, main
from msgspec import Meta, Struct

from picomcp_py import image, link, pico, text

SIGNATURE = b"\x89PNG\r\n\x1a\n"
WIDTH, HEIGHT = 160, 100


# region tool
class Chart(Struct):
    values: Annotated[
        list[Annotated[float, Meta(ge=0)]], Meta(min_length=1, max_length=40, description="heights of the bars")
    ]


server = pico(name="charts")


@server.tool("chart", {"description": "Draw a bar chart of the quarter.", "input": Chart})
async def chart(input: Chart) -> list[Any]:
    return [
        text("Here is the chart:"),
        image(await render_png(input.values), "image/png"),  # bytes or base64 string
        link("file:///reports/q3.csv", "q3.csv", {"mimeType": "text/csv"}),
    ]


# endregion


async def render_png(values: list[float]) -> bytes:
    """Drawing keeps the processor busy, so it is done in a thread."""
    return await anyio.to_thread.run_sync(bars, values)


def bars(values: list[float]) -> bytes:
    """A grey-scale PNG: black bars on white, as high as they are compared to the highest."""
    top = max(values) or 1
    heights = [round(value / top * HEIGHT) for value in values]
    rows = []
    for y in range(HEIGHT):
        row = bytes(0 if heights[x * len(values) // WIDTH] >= HEIGHT - y else 255 for x in range(WIDTH))
        rows.append(b"\0" + row)  # each row begins with its filter: none
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def count_black(png: bytes) -> int:
    """Black pixels of a PNG that `bars` made."""
    start = png.index(b"IDAT") + 4
    (size,) = struct.unpack(">I", png[start - 8 : start - 4])
    rows = zlib.decompress(png[start : start + size])
    return sum(rows[i + 1 : i + 1 + WIDTH].count(0) for i in range(0, len(rows), WIDTH + 1))


async def check(caller: Caller) -> None:
    result = await caller.call("chart", {"values": [1, 4]}, text="Here is the chart:")
    said, picture, linked = result.content
    expect("first block", said, {"type": "text", "text": "Here is the chart:"})
    expect("second block", (picture["type"], picture["mimeType"]), ("image", "image/png"))
    png = base64.b64decode(picture["data"], validate=True)
    expect("signature", png[:8], SIGNATURE)
    expect("black pixels", count_black(png), WIDTH * HEIGHT * 5 // 8)
    expect(
        "third block",
        linked,
        {"type": "resource_link", "uri": "file:///reports/q3.csv", "name": "q3.csv", "mimeType": "text/csv"},
    )
    await caller.call(
        "chart",
        {"values": []},
        error='Invalid arguments for tool "chart":\nvalues: Too small: expected array to have >=1 items',
    )
    await caller.call(
        "chart",
        {"values": [1, "4", -1]},
        error='Invalid arguments for tool "chart":\n'
        "values[1]: Invalid input: expected number, received string\n"
        "values[2]: Too small: expected number to be >=0",
    )


if __name__ == "__main__":
    main(server, __file__, check)
