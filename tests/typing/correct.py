# pyright: strict
"""Registrations with nothing wrong: no checker may say a word, and all of it runs."""

import dataclasses
import enum
from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, assert_type

from msgspec import Meta, Struct, convert
from pydantic import BaseModel, TypeAdapter

from picomcp_py import (
    CallResult,
    Context,
    Handler,
    Icon,
    Invalid,
    Issue,
    Message,
    PromptConfig,
    PromptHandler,
    PromptResult,
    ResourceConfig,
    ResourceReader,
    Schema,
    ServeConfig,
    ServerConfig,
    SyncContext,
    ToolAnnotations,
    ToolConfig,
    Valid,
    pico,
    result,
    text,
)
from picomcp_py.bus import LocalBus


class Search(Struct):
    repo: Annotated[str, Meta(description="owner/name")]
    limit: Annotated[int, Meta(le=50)] = 10


class Hits(Struct):
    titles: list[str]


@dataclasses.dataclass
class Data:
    repo: str


class Keys(TypedDict):
    repo: str


class Model(BaseModel):
    repo: str


class OwnSchema:
    """A schema that is its own Standard Schema."""

    vendor = "own"

    @property
    def __standard_schema__(self) -> Schema[Search]:
        return self

    def validate(self, value: Any) -> Valid[Search] | Invalid:
        return Valid(convert(value, Search)) if value else Invalid((Issue("Invalid input"),))

    def json_schema(self, io: Literal["input", "output"]) -> dict[str, Any]:
        return {"type": "object", "properties": {"repo": {"type": "string"}}, "required": ["repo"]}


async def search(input: Search, ctx: Context) -> Hits:
    return Hits([input.repo])


def search_blocking(input: Search, ctx: SyncContext) -> Hits:
    return Hits([input.repo])


async def input_only(input: Search) -> Hits:
    return Hits([input.repo])


async def nothing() -> Hits:
    return Hits([])


def may_refuse(input: Search) -> Hits | CallResult:
    return result(text("no such repository"), is_error=True) if not input.repo else Hits([])


def other_default(input: Search, page: int = 1) -> Hits:
    return Hits([str(page)])


async def untyped(input: dict[str, Any], ctx: Context) -> list[str]:
    return list(input)


hints: ToolAnnotations = {"title": "Search", "readOnlyHint": True, "openWorldHint": True}
icon: Icon = {"src": "https://example.org/icon.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}
object_schema: dict[str, Any] = {"type": "object", "properties": {"repo": {"type": "string"}}}

# pico
options: ServerConfig = {"name": "correct", "version": "1.0", "icons": [icon], "onDuplicate": "error"}
pico(options)
pico(name="correct", website_url="https://example.org", on_duplicate="replace", page_size=50, cache_scope="public")
pico({"name": "correct", "caching": {"tools": {"ttlMs": 60000}, "read": {"cacheScope": "public"}}, "bus": LocalBus()})
pico(name="correct", caching={"prompts": {"ttlMs": 60000}}, bus=LocalBus())
server = pico({"name": "correct", "websiteUrl": "https://example.org", "ttlMs": 1000, "maskErrors": True})

# One call, dict: chains
server.tool("a1", {"input": Search, "output": Hits, "run": search}).tool("a2", {"run": nothing})
server.tool("a3", {"input": Search, "output": Hits, "run": search_blocking})
server.tool("a4", {"input": Search, "output": Hits, "run": input_only, "annotations": {"readOnlyHint": True}})
server.tool("a5", {"input": Search, "output": Hits, "run": nothing, "icons": [{"src": "https://example.org/a.png"}]})
server.tool("a6", {"input": Search, "output": Hits, "run": may_refuse, "tags": ["a"], "meta": {"example.org/a": 1}})
server.tool("a7", {"input": Search, "output": Hits, "run": other_default, "timeout": 1.5, "thread": True})
server.tool("a8", {"input": Search, "run": search, "coerce": True})
server.tool("a9", {"output": Hits, "run": nothing})
server.tool("a10", {"input": {"type": "object"}, "output": {"type": "array"}, "run": untyped})
server.tool("a11", {"title": "Search", "input": Search, "run": lambda input: input.repo})
server.tool("a12", {"input": Model, "run": lambda input: input.repo})
server.tool("a13", {"input": Keys, "run": lambda input: input["repo"]})
server.tool("a14", {"input": TypeAdapter(Model), "run": lambda input: input.repo})
server.tool("a15", {"run": lambda: 1})

# One call, keywords: chains
server.tool("c1", input=Search, output=Hits, run=search).tool("c2", run=nothing)
server.tool("c3", input=Search, output=Hits, run=search_blocking)
server.tool("c4", input=Search, output=Hits, run=input_only, annotations={"readOnlyHint": True})
server.tool("c5", input=Search, output=Hits, run=nothing, icons=[icon])
server.tool("c6", input=Search, output=Hits, run=may_refuse, tags=["a"], meta={"example.org/a": 1})
server.tool("c7", input=Search, output=Hits, run=other_default, timeout=1.5, thread=True)
server.tool("c8", input=Search, run=search, coerce=True)
server.tool("c9", output=Hits, run=nothing)
server.tool("c10", input={"type": "object"}, output={"type": "array"}, run=untyped)
server.tool("c11", input=object_schema, run=untyped, annotations=hints)
server.tool("c12", input=Data, run=lambda input: input.repo)
server.tool("c13", input=Model, run=lambda input: input.repo)
server.tool("c14", input=Keys, run=lambda input: input["repo"])
server.tool("c15", input=TypeAdapter(Model), run=lambda input: input.repo)
server.tool("c16", output=list[Hits], run=lambda: [Hits([])])
server.tool("c17", run=lambda: 1)

# A config kept in a variable, a handler kept in a variable
kept: ToolConfig = {"input": Search, "run": search, "annotations": hints}
server.tool("v1", kept).tool("v2", kept)
handler: Handler[Search, Hits] = search
server.tool("v3", input=Search, output=Hits, run=handler)


# Decorators
@server.tool("b1", {"input": Search, "output": Hits, "description": "Search issues."})
async def b1(input: Search, ctx: Context) -> Hits:
    return Hits([input.repo])


@server.tool("b2", {"input": Search})
def b2(input: Search, ctx: SyncContext) -> str:
    return input.repo


@server.tool("b3", {"input": {"type": "object"}, "output": {"type": "array"}})
async def b3(input: dict[str, Any]) -> list[str]:
    return list(input)


@server.tool("b4", {"output": Hits})
async def b4() -> Hits:
    return Hits([])


@server.tool("b5", {})
async def b5(input: dict[str, Any], ctx: Context) -> None:
    await ctx.progress(1)


@server.tool("b6")
def b6() -> None:
    return None


@server.tool("d1", input=Search, output=Hits, description="Search issues.")
async def d1(input: Search, ctx: Context) -> Hits:
    return Hits([input.repo])


@server.tool("d2", input=Search, output=Hits)
def d2(input: Search, ctx: SyncContext) -> Hits:
    return Hits([input.repo])


@server.tool("d3", input=Search, output=Hits)
async def d3(input: Search) -> Hits | CallResult:
    return result(text("no"), is_error=True)


@server.tool("d4", input=Search, output=Hits, thread=False)
def d4(input: Search, ctx: Context) -> Awaitable[Hits]:
    return search(input, ctx)


@server.tool("d5", input=Search)
async def d5(input: Search, ctx: Context) -> str:
    return input.repo


@server.tool("d6", output=Hits)
def d6() -> Hits:
    return Hits([])


@server.tool("d7", input=OwnSchema(), output=Hits)
async def d7(input: Search) -> Hits:
    return Hits([input.repo])


@server.tool("d8", input=Model, output=list[Hits])
async def d8(input: Model) -> list[Hits]:
    return [Hits([input.repo])]


# A decorated handler is still itself, so that tests can call it. ty learns nothing from the dict forms: keywords only.
async def call_decorated(ctx: Context, blocking: SyncContext) -> None:
    assert_type(await d1(Search("a/b"), ctx), Hits)
    assert_type(d2(Search("a/b"), blocking), Hits)
    assert_type(await d5(Search("a/b"), ctx), str)
    assert_type(d6(), Hits)
    assert_type(await d8(Model(repo="a/b")), list[Hits])


# Resources: fixed URIs and templates, in the same forms
def read_fixed(uri: str, ctx: SyncContext) -> str:
    return ctx.request.protocol_version + uri


async def read_one(uri: str, params: dict[str, Any], ctx: Context) -> bytes | None:
    await ctx.progress(1)
    return str(params["id"]).encode() + uri.encode()


def read_params(uri: str, params: dict[str, Any]) -> dict[str, Any]:
    return params


def list_ids() -> list[dict[str, Any]]:
    return [{"id": "1", "title": "One"}]


async def list_uris(ctx: Context) -> list[str]:
    return [content["uri"] for content in await ctx.read("item://a/1")]


def ids(typed: str, chosen: dict[str, str], ctx: SyncContext) -> list[str]:
    return [typed, *chosen]


class Level(enum.Enum):
    LOW = "low"


here = Path(__file__)
server.resource("r:a", {"read": read_fixed}).resource("r:b", {"read": lambda: "text", "mimeType": "text/plain"})
server.resource("r:c", {"title": "C", "read": lambda uri: uri, "annotations": {"audience": ["user"], "priority": 0.5}})
server.resource("r:d", {"file": here, "ttlMs": 1000, "cacheScope": "public", "size": 10})
server.resource("r:e/{+path}", {"folder": here.parent, "description": "Files."})
server.resource("item://a/{id}", {"read": read_one, "list": list_ids, "complete": {"id": ["1", "2"]}, "tags": ["a"]})
server.resource("item://b/{id}", {"read": read_params, "list": list_uris, "complete": {"id": ids}, "timeout": 1.5})
server.resource("r:f", read=read_fixed, mime_type="text/plain", icons=[icon]).resource("r:g", read=lambda: b"bytes")
server.resource("r:h", file=here, ttl_ms=1000, cache_scope="public", meta={"example.org/a": 1})
server.resource("r:i/{+path}", folder=str(here.parent), annotations={"priority": 1})
server.resource("item://c/{id}", read=read_one, list=list_ids, complete={"id": lambda typed: [typed]}, thread=True)
reader: ResourceReader = read_one
server.resource("item://d/{id}", {"read": reader})
kept_resource: ResourceConfig = {"title": "Kept", "mimeType": "text/plain", "read": read_one}
server.resource("item://g/{id}", kept_resource).resource("item://h/{id}", kept_resource)


@server.resource("r:j", {"description": "By a decorator.", "mimeType": "text/plain"})
async def by_dict(uri: str) -> str:
    return uri


@server.resource("item://e/{id}/{level}", complete={"id": ids, "level": Level})
async def by_keywords(uri: str, params: dict[str, Any], ctx: Context) -> list[dict[str, Any]]:
    return await ctx.read("r:j")


@server.resource("item://f/{id}", list=list_ids)
def in_thread(uri: str, params: dict[str, Any], ctx: SyncContext) -> list[dict[str, Any]]:
    return ctx.read("r:j")


@server.resource("r:k")
def by_nothing() -> None:
    return None


# Prompts
def ask(input: Search, ctx: SyncContext) -> str:
    return input.repo


async def ask_model(input: Model) -> list[Message | str]:
    return [{"role": "assistant", "content": text(input.repo)}, "And now?"]


def ask_dict(input: dict[str, Any]) -> PromptResult:
    return {"description": "What it is.", "messages": [str(input), {"role": "user", "content": "Go on."}]}


server.prompt("p1", {"input": Search, "run": ask}).prompt("p2", {"run": lambda: "Say hello."})
server.prompt("p3", {"input": Model, "run": ask_model, "complete": {"repo": ["a/b"]}, "icons": [icon], "timeout": 2})
server.prompt("p4", {"input": {"type": "object"}, "run": ask_dict, "title": "Ask"})
server.prompt("p5", {"title": "Ask", "input": Search, "run": lambda input: input.repo, "complete": {"repo": ids}})
server.prompt("p6", input=Search, run=ask, complete={"repo": lambda typed: [typed]}).prompt("p7", run=ask_dict)
server.prompt("p8", input=Model, run=lambda input: text(input.repo), tags=["a"], meta={"example.org/a": 1})
server.prompt("p9", input=object_schema, run=ask_dict, description="Ask.")
prompter: PromptHandler[Search] = ask
server.prompt("p10", input=Search, run=prompter)
kept_prompt: PromptConfig = {"input": Search, "run": ask}
server.prompt("p11", kept_prompt)


@server.prompt("q1", {"input": Search, "description": "By a decorator."})
async def q1(input: Search, ctx: Context) -> str:
    return str(await ctx.read("r:j")) + input.repo


@server.prompt("q2", {"input": {"type": "object"}})
def q2(input: dict[str, Any]) -> list[str]:
    return list(input)


@server.prompt("q3", input=Model, complete={"repo": ("a/b",)})
def q3(input: Model) -> Message:
    return {"role": "user", "content": [input.repo, text("And this?")]}


@server.prompt("q4")
def q4() -> None:
    return None


async def in_process(ctx: Context, blocking: SyncContext) -> None:
    assert_type(await by_keywords("r:j", {}, ctx), list[dict[str, Any]])
    assert_type(in_thread("r:j", {}, blocking), list[dict[str, Any]])
    assert_type(q3(Model(repo="a/b")), Message)
    assert_type(await server.read("r:j"), dict[str, Any])
    assert_type(await server.get_prompt("q1", {"repo": "a/b"}), dict[str, Any])
    assert_type([*server.list_resources(), *server.list_resource_templates()], list[dict[str, Any]])
    assert_type(server.list_prompts(), list[dict[str, Any]])
    server.remove_resource("r:j")
    server.remove_prompt("q1")
    server.notify_resource("r:a")
    server.notify_resources()


# Serving, with a dict or keywords, on stdio and over HTTP.
async def serve_in_every_way(kept: ServeConfig) -> None:
    server.serve()
    server.serve({"drainSeconds": 1.5})
    server.serve(max_message_bytes=4096)
    server.serve({"port": 3000, "host": "localhost", "allowedHosts": ["example.org"], "maxBodyBytes": None})
    server.serve(port=0, cors=["https://example.org"], event_store=None, session_idle_seconds=60)
    server.serve(kept)
    await server.serve_async()
    await server.serve_async({"port": 3000})
    await server.serve_async(port=3000, path="/here")
