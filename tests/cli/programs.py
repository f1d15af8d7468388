"""Running the command as a user does, and the files it is pointed at."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
