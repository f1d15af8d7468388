"""The arguments of one prompt as a msgspec type, a pydantic model and a JSON Schema dict."""

# region kinds
from typing import Annotated, Literal

# endregion
import anyio
import pytest

# region kinds
from msgspec import Meta, Struct
from pydantic import BaseModel, Field

from picomcp_py import pico

# endregion
from picomcp_py.errors import McpError


# region kinds
class AsStruct(Struct):
    language: Annotated[Literal["de", "fr"], Meta(description="To which language.")]
    words: Annotated[int, Meta(ge=1)] = 100


class AsModel(BaseModel):
    language: Annotated[Literal["de", "fr"], Field(description="To which language.")]
    words: Annotated[int, Field(ge=1)] = 100


AS_DICT = {
    "type": "object",
    "properties": {
        "language": {"enum": ["de", "fr"], "description": "To which language."},
        "words": {"type": "integer", "minimum": 1, "default": 100},
    },
    "required": ["language"],
}

server = pico({"name": "translator"})
server.prompt("a", input=AsStruct, run=lambda i: f"Translate to {i.language}, {i.words} words.")
server.prompt("b", input=AsModel, run=lambda i: f"Translate to {i.language}, {i.words} words.")
server.prompt("c", input=AS_DICT, run=lambda i: f"Translate to {i['language']}, {i['words']} words.")
# endregion


async def check() -> None:
    refusals = set()
    for name, prompt in zip("abc", server.list_prompts(), strict=True):
        assert [argument["name"] for argument in prompt["arguments"]] == ["language", "words"]
        result = await server.get_prompt(name, {"language": "de", "words": "5"})
        assert result["messages"][0]["content"]["text"] == "Translate to de, 5 words."
        result = await server.get_prompt(name, {"language": "de"})
        assert result["messages"][0]["content"]["text"] == "Translate to de, 100 words."
        with pytest.raises(McpError) as caught:
            await server.get_prompt(name, {"words": "few"})
        assert caught.value.code == -32602
        refusals.add(caught.value.message.replace(f'"{name}"', '"a"'))
    (refusal,) = refusals
    print(refusal)


anyio.run(check)
