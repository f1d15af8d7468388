"""A server of this library with resources and prompts, through its public names only; `touch` changes it."""

from __future__ import annotations

from typing import Any

from picomcp_py import pico

server = pico({"name": "library", "pageSize": 1})
server.resource("note://one", {"name": "one", "mimeType": "text/plain", "read": lambda: "first"})
server.resource("note://picture", {"name": "picture", "mimeType": "image/png", "read": lambda: b"\x89PNG\r\n\x00"})
server.resource("note://by/{author}", {"name": "by", "read": lambda uri, params: f"notes of {params['author']}"})


@server.prompt(
    "summary",
    {
        "input": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        "complete": {"text": lambda value: [f"{value}ext"]},
    },
)
def summary(input: dict[str, Any]) -> str:
    return f"Sum up: {input['text']}"


@server.tool("touch", {"input": {"type": "object", "properties": {"what": {"type": "string"}}}})
async def touch(input: dict[str, Any]) -> None:
    """Change the list of tools twice, so that it is what it was; or tell that a resource has changed."""
    if input["what"] == "tools":
        server.tool("more", {"run": lambda: None})
        server.remove_tool("more")
    else:
        server.notify_resource(input["what"])


if __name__ == "__main__":
    server.serve()
