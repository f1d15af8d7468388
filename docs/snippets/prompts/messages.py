"""A conversation, with an image and the contents of a resource in it."""

import anyio

# region messages
from picomcp_py import Context, Message, image, pico, resource

server = pico({"name": "gauges"})
server.resource("gauge://log", {"read": lambda: "12:00 4 bar\n12:01 9 bar"})


@server.prompt("explain_alarm", {"description": "Why did the alarm go off?"})
async def explain_alarm(input: dict[str, str], ctx: Context) -> list[Message | str]:
    (log,) = await ctx.read("gauge://log")
    return [
        "You watch over a boiler.",
        {"role": "user", "content": [image(b"\x89PNG\r\n\x1a\n", "image/png"), resource("gauge://log", log["text"])]},
        {"role": "assistant", "content": "The pressure doubled within a minute."},
        "Why did the alarm go off?",
    ]


# endregion
async def check() -> None:
    result = await server.get_prompt("explain_alarm")
    shown = [(message["role"], message["content"]["type"]) for message in result["messages"]]
    assert shown == [("user", kind) for kind in ("text", "image", "resource")] + [
        ("assistant", "text"),
        ("user", "text"),
    ]


anyio.run(check)
