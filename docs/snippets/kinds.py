"""One input in each of the three ways to write a schema, and one refusal for all of them."""

# region kinds
from typing import Annotated, Literal

from msgspec import Meta, Struct
from pydantic import BaseModel, Field

from picomcp_py import pico


class AsStruct(Struct, forbid_unknown_fields=True):
    since: Annotated[str, Meta(description="YYYY-MM-DD", pattern="^[0-9-]{10}$")]
    state: Literal["open", "closed"] = "open"


class AsModel(BaseModel, extra="forbid"):
    since: Annotated[str, Field(description="YYYY-MM-DD", pattern="^[0-9-]{10}$")]
    state: Literal["open", "closed"] = "open"


AS_DICT = {
    "type": "object",
    "properties": {
        "since": {"type": "string", "description": "YYYY-MM-DD", "pattern": "^[0-9-]{10}$"},
        "state": {"enum": ["open", "closed"], "default": "open"},
    },
    "required": ["since"],
    "additionalProperties": False,
}

server = pico({"name": "issues"})
server.tool("a", {"input": AsStruct, "run": lambda input: input.state})
server.tool("b", {"input": AsModel, "run": lambda input: input.state})
server.tool("c", {"input": AS_DICT, "run": lambda input: input["state"]})
# endregion

import anyio  # noqa: E402  # the part above is what readers see


async def check() -> None:
    refusals = []
    for name in "abc":
        good = await server.call(name, {"since": "2026-07-28"})
        assert good["content"][0]["text"] == "open"
        bad = await server.call(name, {"sine": "2026-07-28", "state": "any"})
        refusals.append(bad["content"][0]["text"].replace(f'"{name}"', '"a"'))
    assert refusals[0] == refusals[1] == refusals[2]
    print(refusals[0])


anyio.run(check)
