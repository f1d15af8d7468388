"""A prompt with arguments from a schema, and what a client gets."""

# region review
from typing import Annotated, Literal

# endregion
import anyio

# region review
from msgspec import Meta, Struct

from picomcp_py import pico

# endregion
from picomcp_py.client import Client


# fmt: off
# region review
class Review(Struct):
    code: Annotated[str, Meta(description="The code to look at.")]
    depth: Annotated[Literal["brief", "thorough"], Meta(description="How closely.")] = "brief"


server = pico({"name": "reviews"})


@server.prompt("review", {
    "title": "Review code",
    "description": "Ask for a review of a piece of code.",
    "input": Review,
})
def review(input: Review) -> str:
    return f"Give a {input.depth} review of this code:\n\n{input.code}"


# endregion
# fmt: on
async def check() -> None:
    async with Client(server) as client:
        (listed,) = await client.list_prompts()
        assert listed["arguments"] == [
            {"name": "code", "description": "The code to look at.", "required": True},
            {"name": "depth", "description": "How closely."},
        ]
        prompt = await client.get_prompt("review", {"code": "x = 1"})
        assert prompt.messages == [
            {"role": "user", "content": {"type": "text", "text": "Give a brief review of this code:\n\nx = 1"}}
        ]
        assert (await client.complete("depth", "", prompt="review")).values == ["brief", "thorough"]


anyio.run(check)
