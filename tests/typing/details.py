"""Never run: mistakes beyond the table of forms.py, found by all three checkers. `# E: name` marks where."""

from collections.abc import Awaitable
from typing import Any, TypedDict

from msgspec import Struct
from pydantic import BaseModel, TypeAdapter

from picomcp_py import Context, Icon, Schema, ServerConfig, SyncContext, ToolAnnotations, ToolConfig, pico


class Search(Struct):
    repo: str


class Hits(Struct):
    titles: list[str]


class Model(BaseModel):
    repo: str


class Keys(TypedDict):
    repo: str


class Own:
    @property
    def __standard_schema__(self) -> Schema[Search]:
        raise NotImplementedError


async def search(input: Search, ctx: Context) -> Hits:
    return Hits([input.repo])


server = pico({"name": "details"})

# Keys and values that aren't schemas
server.tool("k1", {"annotations": {"readonlyHint": True}, "run": lambda: 1})  # E: dict-annotation-key
server.tool("k2", annotations={"readonlyHint": True}, run=lambda: 1)  # E: keyword-annotation-key
server.tool("k3", {"icons": [{"mime_type": "image/png"}], "run": lambda: 1})  # E: icon-key
server.tool("k4", {"timeout": "1s", "run": lambda: 1})  # E: dict-option-type
server.tool("k5", timeout="1s", run=lambda: 1)  # E: keyword-option-type
server.tool("k6", input=3, run=lambda: 1)  # E: not-a-schema
hints: ToolAnnotations = {"readOnly": True}  # E: annotations-alias
icon: Icon = {"src": "icon.png", "theme": "blue"}  # E: icon-alias
kept: ToolConfig = {"inputs": Search, "run": search}  # E: tool-config-alias
options: ServerConfig = {"name": "x", "cacheScope": "shared"}  # E: server-config-alias

# pico
pico({"nam": "x"})  # E: pico-dict-key
pico({"name": "x", "website_url": "https://example.org"})  # E: pico-dict-snake-case
pico({"name": "x", "onDuplicate": "replaced"})  # E: pico-dict-choice
pico(nam="x")  # E: pico-keyword
pico(name="x", websiteUrl="https://example.org")  # E: pico-keyword-camel-case
pico(name="x", on_duplicate="replaced")  # E: pico-keyword-choice

# Without a schema the input is a dict
server.tool("n1", run=search)  # E: no-input-keyword
server.tool("n2", {"run": search})  # E: no-input-dict
server.tool("n3", input={"type": "object"}, run=search)  # E: json-schema-input


# The handler's other parameters
@server.tool("h1", input=Search)  # E: context-type
async def h1(input: Search, ctx: int) -> int:
    return ctx


@server.tool("h2", input=Search, output=Hits)  # E: context-type-with-output
async def h2(input: Search, ctx: int) -> Hits:
    return Hits([])


@server.tool("h3", input=Search)  # E: a-third-parameter
async def h3(input: Search, ctx: Context, more: int) -> int:
    return more


# Every way to declare a type, and every way to write a handler
@server.tool("s1", input=Model)  # E: pydantic-model
async def s1(input: Search) -> str:
    return input.repo


@server.tool("s2", input=Keys)  # E: typed-dict
async def s2(input: Search) -> str:
    return input.repo


@server.tool("s3", input=TypeAdapter(Model))  # E: type-adapter
async def s3(input: Search) -> str:
    return input.repo


@server.tool("s4", input=Own())  # E: standard-schema
async def s4(input: Keys) -> str:
    return input["repo"]


@server.tool("s5", output=list[Hits])  # E: list-output
async def s5() -> list[str]:
    return []


@server.tool("s6", output=Own())  # E: standard-schema-output
def s6() -> str:
    return ""


@server.tool("w1", input=Search, output=Hits)  # E: sync-return
def w1(input: Search, ctx: SyncContext) -> str:
    return input.repo


@server.tool("w2", input=Search, output=Hits)  # E: awaitable-return
def w2(input: Search) -> Awaitable[str]:
    raise NotImplementedError


@server.tool("w3", output=Hits)  # E: no-parameter-return
async def w3() -> dict[str, Any]:
    return {}
