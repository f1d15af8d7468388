"""Never run: mistakes beyond the table of forms.py, found by all three checkers. `# E: name` marks where."""

from collections.abc import Awaitable
from typing import Any, TypedDict

from msgspec import Struct
from pydantic import BaseModel, TypeAdapter

from picomcp_py import (
    Context,
    Icon,
    Message,
    PromptConfig,
    ResourceConfig,
    Schema,
    ServerConfig,
    SyncContext,
    ToolAnnotations,
    ToolConfig,
    pico,
)


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


# Resources
def read(uri: str) -> str:
    return uri


server.resource("r:1", {"reed": read})  # E: resource-dict-key
server.resource("r:2", reed=read)  # E: resource-keyword
server.resource("r:3", {"read": read, "cacheScope": "shared"})  # E: resource-dict-choice
server.resource("r:4", read=read, cache_scope="shared")  # E: resource-keyword-choice
server.resource("r:5", read=read, mimeType="text/plain")  # E: resource-keyword-camel-case
server.resource("r:6", {"read": "text"})  # E: resource-dict-read
server.resource("r:7", read="text")  # E: resource-keyword-read
server.resource("r:8", {"read": read, "annotations": {"priorty": 1}})  # E: resource-annotation-key
server.resource("r:9", file=3)  # E: resource-file-type
server.resource("r:{a}", {"read": read, "list": lambda: 3})  # E: resource-list-return
server.resource("r:{b}", read=read, complete={"b": 3})  # E: resource-complete-type
kept_resource: ResourceConfig = {"mime_type": "text/plain", "read": read}  # E: resource-config-alias


# Prompts
async def ask(input: Search, ctx: Context) -> str:
    return input.repo


def gives_a_number(input: Search) -> int:
    return 3


server.prompt("p1", {"inputs": Search, "run": ask})  # E: prompt-dict-key
server.prompt("p2", inputs=Search, run=ask)  # E: prompt-keyword
server.prompt("p3", input=Model, run=ask)  # E: prompt-keyword-input
server.prompt("p4", run=ask)  # E: prompt-no-input
server.prompt("p5", {"input": Search, "run": gives_a_number})  # E: prompt-dict-return
server.prompt("p6", input=Search, run=gives_a_number)  # E: prompt-keyword-return
server.prompt("p7", {"input": Search, "run": ask, "complete": {"repo": 3}})  # E: prompt-complete-type
kept_prompt: PromptConfig = {"run": ask, "titel": "Ask"}  # E: prompt-config-alias
message: Message = {"role": "system", "content": "Hello"}  # E: message-role


@server.prompt("q1", input=Model)  # E: prompt-decorator-input
async def q1(input: Search) -> str:
    return input.repo


@server.prompt("q2", input=Search)  # E: prompt-decorator-return
def q2(input: Search) -> int:
    return 3
