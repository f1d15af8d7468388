"""A fixed resource, and a template that lists and completes what it matches."""

from typing import Any

import anyio

# region notes
from picomcp_py import pico

# endregion
from picomcp_py.client import Client

# fmt: off
# region notes
NOTES = {"2026-09-01": "Meeting. The next release is in October.", "2026-09-05": "Began to read about MCP."}

server = pico({"name": "notes"})


@server.resource("note://index", {"description": "The dates that have a note.", "mimeType": "text/plain"})
def index() -> str:
    return "\n".join(NOTES)


@server.resource("note://{date}", {
    "title": "A note",
    "description": "The note of one day.",
    "mimeType": "text/plain",
    "list": lambda: [{"date": date, "title": f"Note of {date}"} for date in NOTES],
    "complete": {"date": lambda typed: [date for date in NOTES if date.startswith(typed)]},
})
def note(uri: str, params: dict[str, Any]) -> str | None:
    return NOTES.get(params["date"])
# endregion
# fmt: on


async def check() -> None:
    async with Client(server) as client:
        listed = [resource["uri"] for resource in await client.list_resources()]
        assert listed == ["note://index", "note://2026-09-01", "note://2026-09-05"], listed
        assert (await client.read_resource("note://2026-09-05")).text == "Began to read about MCP."
        completion = await client.complete("date", "2026-09-0", template="note://{date}")
        assert completion.values == list(NOTES)


anyio.run(check)
