"""Never run: every form of registration with every mistake, for the checkers to find.

`# E: form mistake` marks the line where a checker has to report. One mistake a registration, nothing else wrong.
"""

from msgspec import Struct

from picomcp_py import Context, pico


class Search(Struct):
    repo: str


class Hits(Struct):
    titles: list[str]


async def search(input: Search, ctx: Context) -> Hits:
    return Hits([input.repo])


async def takes_hits(input: Hits, ctx: Context) -> Hits:
    return input


async def gives_search(input: Search, ctx: Context) -> Search:
    return input


server = pico({"name": "forms"})

server.tool("a1", {"inputs": Search, "output": Hits, "run": search})  # E: dict-call misspelt-key
server.tool("a2", {"input": Search, "output": Hits, "run": takes_hits})  # E: dict-call wrong-parameter
server.tool("a3", {"input": Search, "output": Hits, "run": gives_search})  # E: dict-call wrong-return


@server.tool("b1", {"input": Search, "output": Hits, "titel": "Search"})  # E: dict-decorator misspelt-key
async def b1(input: Search, ctx: Context) -> Hits:
    return Hits([input.repo])


@server.tool("b2", {"input": Search, "output": Hits})  # E: dict-decorator wrong-parameter
async def b2(input: Hits, ctx: Context) -> Hits:
    return input


@server.tool("b3", {"input": Search, "output": Hits})  # E: dict-decorator wrong-return
async def b3(input: Search, ctx: Context) -> Search:
    return input


server.tool("c1", inputs=Search, output=Hits, run=search)  # E: keyword-call misspelt-key
server.tool("c2", input=Search, output=Hits, run=takes_hits)  # E: keyword-call wrong-parameter
server.tool("c3", input=Search, output=Hits, run=gives_search)  # E: keyword-call wrong-return


@server.tool("d1", input=Search, output=Hits, titel="Search")  # E: keyword-decorator misspelt-key
async def d1(input: Search, ctx: Context) -> Hits:
    return Hits([input.repo])


@server.tool("d2", input=Search, output=Hits)  # E: keyword-decorator wrong-parameter
async def d2(input: Hits, ctx: Context) -> Hits:
    return input


@server.tool("d3", input=Search, output=Hits)  # E: keyword-decorator wrong-return
async def d3(input: Search, ctx: Context) -> Search:
    return input
