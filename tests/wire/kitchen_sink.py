"""A server that says everything a server can say: each kind of block, value, schema, report and failure."""

from __future__ import annotations

import base64
import datetime
import logging
import uuid
from typing import Annotated, Any

import anyio
from msgspec import Meta, Struct

from picomcp_py import Context, Icon, McpError, ToolError, audio, image, link, pico, resource, result, text

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
WAV = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
ICON: Icon = {"src": "https://example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}
NOTES = {"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-07-28T12:00:00Z"}
META = {"example.com/key": {"any": ["value", 1]}}

server = pico(
    {
        "name": "kitchen-sink",
        "version": "1.0.0",
        "title": "Kitchen sink",
        "instructions": "Call whatever you like.",
        "websiteUrl": "https://example.com/",
        "icons": [ICON],
        "caching": {"prompts": {"ttlMs": 60000, "cacheScope": "public"}, "resources": {"ttlMs": 5}},
    }
)


class Item(Struct):
    name: Annotated[str, Meta(description="What it is called")]
    amount: Annotated[int, Meta(ge=0)] = 1
    note: str | None = None


class Order(Struct):
    items: list[Item]
    day: datetime.date | None = None


VALUES: dict[str, Any] = {
    "text": "plain text, ✓ é \U0001f600, \x7f, \u2028",
    "empty text": "",
    "nothing": None,
    "object": {"a": 1, "b": [None, True], "c": {"d": "e"}},
    "empty object": {},
    "list": [1, "two", None],
    "empty list": [],
    "number": 1.5,
    "large": 9007199254740993,
    "boolean": False,
    "struct": Item("pen", 2),
    "date": datetime.datetime(2026, 7, 28, 12, tzinfo=datetime.UTC),
    "uuid": uuid.UUID(int=1),
    "not a number": {"mean": float("nan")},
    "surrogate": "caf\udce9",
    "not encodable": {"what": object()},
    "bad block": {"content": [{"type": "text"}]},
    "whole result": {"content": [{"type": "text", "text": "whole"}], "isError": True, "_meta": META},
}

server.tool("barest", run=lambda: None)
server.tool(
    "fullest",
    {
        "title": "Fullest",
        "description": "All keys that a tool may have.",
        "input": Order,
        "output": Order,
        "annotations": {
            "title": "Fullest of all",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
        "icons": [ICON],
        "meta": META,
        "tags": ["a", "b"],
        "timeout": 30,
        "coerce": False,
        "run": lambda input: input,
    },
)
server.tool("only_a_hint", {"annotations": {"readOnlyHint": True}, "run": lambda: None})
server.tool(
    "give",
    {
        "input": {"type": "object", "properties": {"what": {"enum": list(VALUES)}}, "required": ["what"]},
        "run": lambda input: VALUES[input["what"]],
    },
)
server.tool("blocks", run=lambda: [*plain_blocks(), *noted_blocks(), "a string among blocks"])
server.tool(
    "blocks_as_dicts",
    run=lambda: [
        {"type": "text", "text": "t", "annotations": None, "_meta": None},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "audio", "data": base64.b64encode(WAV).decode(), "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt", "size": 3},
        {"type": "resource", "resource": {"uri": "file:///b.txt", "text": "b"}},
    ],
)
server.tool("explicit", run=lambda: result([text("seen")], {"a": None}, meta=META))
server.tool("explicit_error", run=lambda: result("no good", is_error=True))


def plain_blocks() -> list[Any]:
    return [
        text("plain"),
        image(PNG, "image/png"),
        audio(WAV, "audio/wav"),
        link("file:///reports/q3.csv", "q3.csv"),
        resource("file:///notes.txt", "notes"),
        resource("file:///data.bin", b"\x00\xff"),
    ]


def noted_blocks() -> list[Any]:
    noted: dict[str, Any] = {"annotations": NOTES, "meta": META}
    return [
        text("noted", **noted),
        image(PNG, "image/png", **noted),
        audio(WAV, "audio/wav", **noted),
        link(
            "file:///reports/q4.csv",
            "q4.csv",
            title="Fourth quarter",
            description="Figures",
            mime_type="text/csv",
            size=12,
            icons=[ICON],
            **noted,
        ),
        resource("file:///notes.md", "# notes", "text/markdown", **noted),
    ]


OUTPUTS: dict[str, tuple[Any, Any]] = {
    "output_object": ({"type": "object", "properties": {"a": {"type": ["integer", "null"]}}}, {"a": None}),
    "output_list": ({"type": "array", "items": {"type": "integer"}}, [1, 2]),
    "output_text": ({"type": "string"}, "just text"),
    "output_number": ({"type": "number"}, 1.5),
    "output_null": ({"type": "null"}, None),
    "output_ref": ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, 7),
    "output_structs": (list[Item], [Item("pen"), Item("ink", 2, "blue")]),
    "output_broken": ({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"a": "x"}),
    "output_missing": ({"type": "object", "required": ["a"]}, None),
}
for _name, (_schema, _value) in OUTPUTS.items():
    server.tool(_name, {"output": _schema, "run": lambda _input, value=_value: value})


@server.tool("report", {})
async def report(input: object, ctx: Context) -> str:
    """All a call can report on its way."""
    await ctx.progress(0)
    await ctx.progress(0.5, 2)
    await ctx.progress(2, 2, "all of it")
    for level in ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"):
        await ctx.log(level, {"level": level, "nothing": None})
    await ctx.info("with a name", "some.logger")
    return "reported"


@server.tool("meta", {})
async def meta(input: object, ctx: Context) -> str:
    """The keys of the request's `_meta`."""
    return " ".join(sorted(ctx.meta))


@server.tool("stuck", {})
async def stuck(input: object, ctx: Context) -> None:
    await ctx.progress(1)
    await anyio.sleep_forever()


@server.tool("raise", {"input": {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"]}})
def fail(input: dict[str, str]) -> None:
    raise {
        "error": ValueError("nothing there: look elsewhere"),
        "no message": TimeoutError(),
        "tool error": ToolError("try again"),
        "protocol": McpError(-1, "not today"),
        "protocol with data": McpError(-1, "not today", {"why": None}),
        "exit": SystemExit(3),
    }[input["what"]]


# ------------------------------------------------------------ resources

SHOWN: dict[str, Any] = {
    "title": "Fullest",
    "description": "All that lists can show.",
    "annotations": NOTES,
    "icons": [ICON],
    "meta": META,
}
CONTENTS: dict[str, Any] = {
    "text": "plain text, ✓ é \U0001f600, \u2028",
    "empty": "",
    "bytes": b"\x00\xff",
    "png": PNG,
    "json": {"a": [None, 1.5]},
    "surrogate": "caf\udce9",
    "several": [resource("shelf://part/1", "one", "text/markdown", meta=META), resource("shelf://part/2", b"\x02")],
    "explicit": {"contents": [{"uri": "shelf://other", "text": "elsewhere", "_meta": META}], "_meta": META},
    "nothing": None,
    "bad": {"contents": [{"uri": "shelf://other"}]},
}

server.resource("shelf://barest", read=lambda: "barest")
server.resource(
    "shelf://fullest",
    **SHOWN,
    name="fullest",
    mime_type="text/markdown",
    size=9,
    ttl_ms=7,
    read=lambda uri: "# fullest",
)
server.resource("shelf://raises", read=lambda uri: fail({"what": "error"}))
server.resource("shelf://plain/{+rest}", read=lambda uri, params: params["rest"])
server.resource(
    "shelf://contents/{what}",
    **SHOWN,
    name="contents",
    mime_type="text/plain",
    read=lambda uri, params: CONTENTS[params["what"]],
    list=lambda: [{"what": what, "size": 1, "title": what.title()} for what in CONTENTS],
    complete={"what": list(CONTENTS)},
)

# ------------------------------------------------------------ prompts


class Review(Struct):
    code: Annotated[str, Meta(title="Code", description="What to review")]
    style: Annotated[str, Meta(examples=["strict", "kind"])] = "kind"
    lines: int = 1


MESSAGES: dict[str, Any] = {
    "text": "plain",
    "nothing": None,
    "blocks": lambda: [*plain_blocks(), *noted_blocks()],
    "roles": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": [text("a"), text("b")]}],
    "whole": {"messages": ["m"], "description": "Described", "_meta": META},
    "bad": {"messages": [{"role": "system", "content": "x"}]},
}

server.prompt("barest", run=lambda: "barest")
server.prompt(
    "fullest",
    {
        "title": "Fullest",
        "description": "All that lists can show.",
        "icons": [ICON],
        "meta": META,
        "input": Review,
        "complete": {"code": lambda value: [value + str(number) for number in range(150)]},
        "run": lambda input: f"{input.style} {input.lines} {input.code}",
    },
)
for _name, _value in MESSAGES.items():
    server.prompt(f"say_{_name}", run=lambda _input, value=_value: value() if callable(value) else value)


@server.tool("change", {})
def change() -> str:
    """Change each list, and what one resource holds."""
    server.tool("changed", run=lambda: None).resource("shelf://changed", read=lambda: "changed")
    server.prompt("changed", run=lambda: "changed")
    server.remove_tool("changed")
    server.remove_resource("shelf://changed")
    server.remove_prompt("changed")
    server.notify_resource("shelf://fullest")
    return "changed"


@server.tool("change_much", {})
def change_much() -> str:
    """Far more changes than a socket holds unread."""
    for _ in range(2000):
        server.notify_resource("shelf://fullest")
    return "changed"


if __name__ == "__main__":
    logging.disable()  # failures are on purpose here, and their tracebacks would fill the tests' output
    server.serve()
