"""Running the command as a user does, and the files it is pointed at."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.client.programs import script

COMMAND = [sys.executable, "-m", "picomcp_py"]

SERVER = """
import sys
from typing import Annotated, Literal
from msgspec import Meta, Struct
from picomcp_py import McpError, image, pico

print("printed at import")

class Forecast(Struct):
    city: Annotated[str, Meta(description="name of the city")]
    unit: Annotated[Literal["C", "F"], Meta(description="degrees")] = "C"
    days: Annotated[list[int], Meta(description="which ones")] = []

weather = pico({"name": "weather", "title": "Weather", "version": "1.0"})

@weather.tool("forecast", {"title": "Forecast", "description": "Tell the weather.\\nAnywhere.", "input": Forecast,
                           "annotations": {"readOnlyHint": True}})
async def forecast(input, ctx):
    print("printed in a call")
    ctx.progress(1, 2, "half way")
    ctx.info({"looking": input.city})
    return {"city": input.city, "unit": input.unit, "sky": "cl\\xe9ar"}

@weather.tool("many")
async def many():
    return ["a text", image(b"1234567", "image/png")]

@weather.tool("fail")
async def fail():
    raise ValueError("no luck \\x1b[31m")

@weather.tool("refuse")
async def refuse():
    raise McpError(-5, "not you", {"why": 1})
"""

LIBRARY = script(r"""
ONE = {"uri": "note://one", "name": "one", "title": "One", "description": "The first note.\n", "mimeType": "text/plain",
       "size": 12}
CONTENTS = {
    "note://one": [{"uri": "note://one", "text": "first\nn\u00f6te \x1b[31m"}],
    "note://picture": [{"uri": "note://picture", "mimeType": "image/png", "blob": "iVBORw0KAP8="}],
    "note://both": [{"uri": "a:", "text": "a\r\n"}, {"uri": "b:", "blob": "/w=="}, {"uri": "c:", "text": "c"}],
    "note://bad": [{"uri": "note://bad", "blob": "*"}],
    "note://nothing": [],
}
ARGUMENTS = [{"name": "text", "description": "what", "required": True}, {"name": "style"}]
CAPABILITIES = {"resources": {}, "prompts": {}}

def answer(method, params):
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES,
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "Library", "version": "2.0"}}}
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES,
                "serverInfo": {"name": "Library", "version": "2.0"}}
    if method == "resources/list":
        return {"resources": [ONE, {"uri": "note://picture", "name": "picture", "mimeType": "image/png"}]}
    if method == "resources/templates/list":
        return {"resourceTemplates": [{"uriTemplate": "note://by/{author}", "name": "by", "description": "All."}]}
    if method == "prompts/list":
        return {"prompts": [{"name": "summary", "title": "Sum up", "description": "Sum up.", "arguments": ARGUMENTS}]}
    if method == "resources/read":
        return {"contents": CONTENTS[params["uri"]]}
    if method == "prompts/get" and params["name"] == "summary":
        text = {"type": "text", "text": "Sum up:\n" + json.dumps(params.get("arguments")) + "\x1b[31m"}
        image = {"type": "image", "mimeType": "image/png", "data": "AAEC"}
        messages = [{"role": "user", "content": text}, {"role": "assistant", "content": image}]
        return {"description": "Sum up.", "messages": messages}
    raise KeyError(method)

while True:
    message = read()
    if "id" not in message:
        continue
    try:
        reply(message, **answer(message["method"], message.get("params")))
    except KeyError as error:
        refuse(message, -32602, f"unknown: {error}")
""")
"""The command of a server without tools."""


def run(
    *words: str, cwd: Path, stdin: str = "", env: dict[str, str] | None = None, timeout: float = 50
) -> subprocess.CompletedProcess[str]:
    """The command with these words, in the folder `cwd`."""
    return subprocess.run(
        [*COMMAND, *words],
        cwd=cwd,
        input=stdin,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **(env or {})},
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )
