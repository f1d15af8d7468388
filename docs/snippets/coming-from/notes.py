"""The resource template and the prompt of a tutorial for the TypeScript SDK, here."""

# region notes
from typing import Annotated, Any, Literal

# endregion
import anyio

# region notes
from msgspec import Meta, Struct

from picomcp_py import pico

# endregion
from picomcp_py.client import Client

# fmt: off
# region notes
NOTES = {"2026-09-05": "Began to read about MCP."}

server = pico({"name": "notes"})


@server.resource("note://{date}", {"name": "note", "title": "A note", "mimeType": "text/plain"})
def note(uri: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"contents": [{"uri": uri, "text": NOTES.get(params["date"], f"No note of {params['date']}")}]}


class Style(Struct):
    style: Annotated[Literal["list", "prose"], Meta(description="How to sum up")]


@server.prompt("summarize-notes", {"title": "Sum up the notes", "input": Style})
def summarize(input: Style) -> dict[str, Any]:
    text = f"Sum up these notes as {input.style}:\n\n" + "\n".join(f"{date}: {note}" for date, note in NOTES.items())
    return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
# endregion
# fmt: on


async def check() -> None:
    async with Client(server) as client:
        for date, text in {"2026-09-05": "Began to read about MCP.", "2026-09-06": "No note of 2026-09-06"}.items():
            assert (await client.read_resource(f"note://{date}")).contents == [{"uri": f"note://{date}", "text": text}]
        (prompt,) = await client.list_prompts()
        assert prompt["arguments"] == [{"name": "style", "description": "How to sum up", "required": True}]
        (message,) = (await client.get_prompt("summarize-notes", {"style": "list"})).messages
        assert message["content"]["text"] == "Sum up these notes as list:\n\n2026-09-05: Began to read about MCP."


anyio.run(check)
