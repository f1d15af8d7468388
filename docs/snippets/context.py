"""What a handler may ask of its context."""

# region context
from contextlib import asynccontextmanager

# endregion
import anyio

# region context
from picomcp_py import Context, pico

# endregion
from picomcp_py.client import Client

# region context


@asynccontextmanager
async def lifespan(server):
    yield {"books": ["Emma", "Ulysses"]}  # a pool, a model, whatever lives as long as the server


server = pico({"name": "library", "lifespan": lifespan})


@server.tool("check_books")
async def check_books(input: dict, ctx: Context) -> str:
    books = ctx.state["books"]
    for n, title in enumerate(books, 1):
        await ctx.progress(n, len(books), title)
        await ctx.info({"checked": title})
    return f"{len(books)} books, for {ctx.request.client_info['name']}"


# endregion


async def check() -> None:
    said = []
    async with Client(
        server, info={"name": "reader", "version": "1"}, log_level="info", on_log=lambda *log: said.append(log)
    ) as client:
        result = await client.call_tool("check_books", on_progress=lambda *progress: said.append(progress))
    assert result.text == "2 books, for reader"
    assert (2, 2, "Ulysses") in said
    assert ("info", {"checked": "Emma"}, None) in said


anyio.run(check)
