"""Tools, resources and prompts that come and go while the server is at work, and clients that hear of it."""

import threading

import anyio

# region adding
from msgspec import Struct

from picomcp_py import pico

# endregion
from picomcp_py.client import Client


# region adding
class Note(Struct):
    name: str
    text: str


server = pico({"name": "notes"})
notes: dict[str, str] = {}


@server.tool("write", {"input": Note})
def write(input: Note) -> str:  # in a worker thread: any thread will do
    uri, new = f"note:///{input.name}", input.name not in notes
    notes[input.name] = input.text
    if new:
        server.resource(uri, {"read": lambda: notes[input.name]})  # clients hear: the list has changed
    else:
        server.notify_resource(uri)  # clients that follow this URI hear: read it again
    return "written"


@server.tool("forget", {"input": Note})
def forget(input: Note) -> str:
    server.remove_resource(f"note:///{input.name}")  # KeyError if there is none
    return "forgotten"


# endregion
async def check(revision: str) -> None:
    server.resource("note:///a", {"read": lambda: "a"})
    notes["a"] = "a"
    async with Client(server, revision=revision) as client:
        async with client.listen(resources=True, uris=["note:///a"]) as changes:
            heard = aiter(changes)
            await client.call_tool("write", {"name": "b", "text": "b"})
            assert (await anext(heard)).kind == "resources"
            await client.call_tool("write", {"name": "a", "text": "c"})
            change = await anext(heard)
            assert (change.kind, change.uri) == ("resource", "note:///a")
            thread = threading.Thread(target=server.remove_resource, args=["note:///b"])
            thread.start()
            assert (await anext(heard)).kind == "resources"
            thread.join()
    server.remove_resource("note:///a")
    notes.clear()


anyio.run(check, "2025-11-25")
anyio.run(check, "2026-07-28")
