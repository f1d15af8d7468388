"""The fixture server of the conformance suite: what its scenarios call, by the names that they know.

Rules: public names only, one process for both requirement sets, and no more than the library serves: `expected.py`
tells what the suite asks for beyond that.

    python tests/conformance/everything_server.py --port 3000        (0: any free port; it prints the URL)
"""

from __future__ import annotations

import argparse
import json
import socket
from base64 import b64decode
from typing import Annotated, Any

import anyio
import uvicorn
from msgspec import Meta, Struct

from picomcp_py import Context, McpError, ToolError, audio, image, pico, resource, text

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

MISSING_CAPABILITY = -32021

server = pico({"name": "everything", "version": "1.0.0", "instructions": "A server with one tool for each scenario."})


def returns(name: str, description: str, value: Any) -> None:
    server.tool(name, {"description": description, "run": lambda: value})


returns("test_simple_text", "Returns text", "This is a simple text response for testing.")
returns("test_image_content", "Returns an image", image(PNG, "image/png"))
returns("test_audio_content", "Returns audio", audio(WAV, "audio/wav"))
returns(
    "test_embedded_resource",
    "Returns an embedded resource",
    resource("test://embedded-resource", "This is an embedded resource content.", mime_type="text/plain"),
)
returns(
    "test_multiple_content_types",
    "Returns text, an image and a resource",
    [
        text("Multiple content types test:"),
        image(PNG, "image/png"),
        resource(
            "test://mixed-content-resource",
            json.dumps({"test": "data", "value": 123}),
            mime_type="application/json",
        ),
    ],
)


@server.tool("test_tool_with_logging", {"description": "Sends log messages while it works"})
async def with_logging(_: Any, ctx: Context) -> str:
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(message)
        await anyio.sleep(0.05)
    return "Tool with logging executed successfully"


@server.tool("test_logging_tool", {"description": "Sends a log message"})
async def logging_tool(_: Any, ctx: Context) -> str:
    await ctx.info("Only for those who asked for it")
    return "Logged"


@server.tool("test_tool_with_progress", {"description": "Reports progress"})
async def with_progress(_: Any, ctx: Context) -> str:
    for done in (0, 50, 100):
        await ctx.progress(done, 100, f"Completed step {done} of 100")
        await anyio.sleep(0.05)
    return str(ctx.meta.get("progressToken", 0))


@server.tool("test_error_handling", {"description": "Fails"})
async def error_handling() -> None:
    raise ToolError("This tool intentionally returns an error for testing")


@server.tool("test_reconnection", {"description": "Closes the connection that carries its stream, then answers"})
async def reconnection(_: Any, ctx: Context) -> str:
    await ctx.close_stream(100)
    await anyio.sleep(0.3)
    return "Reconnection test completed"


@server.tool("test_missing_capability", {"description": "Needs a client that can sample"})
async def missing_capability(_: Any, ctx: Context) -> str:
    if not ctx.can("sampling"):
        raise McpError(
            MISSING_CAPABILITY, "This needs the sampling capability", {"requiredCapabilities": {"sampling": {}}}
        )
    return "The client can sample"


@server.tool("test_streaming_elicitation", {"description": "Streams before it answers"})
async def streaming(_: Any, ctx: Context) -> str:
    await ctx.progress(1, 1)
    return "Streamed"


server.tool(
    "test_x_mcp_header",
    {
        "description": "Has an argument that clients repeat in a header",
        "input": {
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
            "additionalProperties": False,
        },
        "run": lambda input: f"Region: {input.get('region', 'none')}",
    },
)

server.tool(
    "json_schema_2020_12_tool",
    {
        "description": "Has an input schema full of 2020-12 keywords",
        "input": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                }
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": False,
        },
        "run": lambda input: f"Received: {json.dumps(input)}",
    },
)

# ---- resources ----

server.resource(
    "test://static-text",
    {
        "name": "static-text",
        "description": "A text that never changes",
        "mimeType": "text/plain",
        "read": lambda: "This is the content of the static text resource.",
    },
)
server.resource(
    "test://static-binary",
    {
        "name": "static-binary",
        "description": "An image that never changes",
        "mimeType": "image/png",
        "read": lambda: b64decode(PNG),
    },
)
server.resource(
    "test://watched-resource",
    {
        "name": "watched-resource",
        "description": "A text that clients subscribe to",
        "mimeType": "text/plain",
        "read": lambda: "Watched resource content",
    },
)


@server.resource(
    "test://template/{id}/data",
    {"name": "template", "description": "The data of an id", "mimeType": "application/json"},
)
async def template(_: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"id": params["id"], "templateTest": True, "data": f"Data for ID: {params['id']}"}


# ---- prompts ----


class TwoArguments(Struct):
    arg1: Annotated[str, Meta(description="First test argument")]
    arg2: Annotated[str, Meta(description="Second test argument")]


class OneResource(Struct):
    resourceUri: Annotated[str, Meta(description="URI of the resource to embed")]


server.prompt(
    "test_simple_prompt",
    {"description": "A prompt without arguments", "run": lambda: "This is a simple prompt for testing."},
)


@server.prompt(
    "test_prompt_with_arguments",
    {
        "description": "A prompt that repeats its arguments",
        "input": TwoArguments,
        "complete": {"arg1": ["test1", "test2", "paris", "park", "party"]},
    },
)
async def with_arguments(input: TwoArguments) -> str:
    return f"Prompt with arguments: arg1='{input.arg1}', arg2='{input.arg2}'"


@server.prompt("test_prompt_with_embedded_resource", {"description": "Has a resource in it", "input": OneResource})
async def with_embedded_resource(input: OneResource) -> list[Any]:
    embedded = resource(input.resourceUri, "Embedded resource content for testing.", mime_type="text/plain")
    return [embedded, "Please process the embedded resource above."]


@server.prompt("test_prompt_with_image", {"description": "Has an image in it"})
async def with_image() -> list[Any]:
    return [image(PNG, "image/png"), "Please analyze the image above."]


# ---- changes while serving ----


@server.tool("test_trigger_tool_change", {"description": "Adds a tool and takes it away again"})
async def trigger_tool_change() -> str:
    server.tool("test_passing_tool", {"description": "Here for a moment", "run": lambda: "Still here"})
    server.remove_tool("test_passing_tool")
    return "The tools have changed, twice"


@server.tool("test_trigger_prompt_change", {"description": "Adds a prompt and takes it away again"})
async def trigger_prompt_change() -> str:
    server.prompt("test_passing_prompt", {"description": "Here for a moment", "run": lambda: "Still here"})
    server.remove_prompt("test_passing_prompt")
    return "The prompts have changed, twice"


def main() -> None:
    parser = argparse.ArgumentParser(description="The fixture server of the conformance suite.")
    parser.add_argument("--port", type=int, default=0, help="0, the default, is any free port")
    port = parser.parse_args().port
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        config = uvicorn.Config(server, log_level="warning", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
