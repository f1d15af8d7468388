"""search_issues: a tool that asks the network, as a plain `def` that runs in a worker thread.

With GITHUB_TOKEN set it searches GitHub. Without, it searches the invented issues in data/issues.json, so that the
example runs anywhere. GITHUB_API_URL is for GitHub Enterprise.

    python examples/search_issues.py            serve on stdio
    python examples/search_issues.py --check    check itself
"""

import json
import os
from pathlib import Path
from typing import Annotated, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from _check import Caller, expect, main
from msgspec import Meta, Struct

from picomcp_py import SyncContext, ToolError, pico

BUNDLED = Path(__file__).parent / "data" / "issues.json"
API = os.environ.get("GITHUB_API_URL", "https://api.github.com")
TOKEN = os.environ.get("GITHUB_TOKEN")


# fmt: off
# region tool
class Search(Struct):
    repo: Annotated[str, Meta(description="owner/name")]
    query: str
    limit: Annotated[int, Meta(le=50)] = 10


server = pico({"name": "github", "version": "1.0.0"})


@server.tool("search_issues", {
    "title": "Search issues",
    "description": "Search open GitHub issues in a repository. Use it before filing a new issue.",
    "input": Search,
    "annotations": {"readOnlyHint": True, "openWorldHint": True},
})
def search_issues(input: Search, ctx: SyncContext) -> str:
    items = from_github(input, ctx) if TOKEN else from_file(input)
    return "\n".join(f"{i['title']} — {i['html_url']}" for i in items) or "No open issue matches."


# endregion
# fmt: on


def from_github(search: Search, ctx: SyncContext) -> list[dict[str, Any]]:
    """One page of GitHub's issue search, best match first."""
    query = quote(f"{search.query} repo:{search.repo} is:issue is:open", safe="")
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/vnd.github+json"}
    request = Request(f"{API}/search/issues?q={query}&per_page={search.limit}", headers=headers)
    try:
        with urlopen(request, timeout=30) as response:
            ctx.signal.raise_if_aborted()  # nobody waits any more: don't read the body
            items: list[dict[str, Any]] = json.load(response)["items"]
            return items
    except HTTPError as error:
        if error.code == 422:
            raise ToolError(
                f"GitHub finds no repository {search.repo}, or the server's token may not see it. Check owner/name."
            ) from error
        if error.code in (403, 429):
            raise ToolError("GitHub's rate limit is reached. Wait a minute, then try again.") from error
        raise ToolError(f"GitHub answered {error.code} {error.reason}. Try again later.") from error
    except URLError as error:
        raise ToolError(f"GitHub can't be reached: {error.reason}. Try again later.") from error


def from_file(search: Search) -> list[dict[str, Any]]:
    """The bundled issues that have every word of the query in their title."""
    repos: dict[str, list[dict[str, Any]]] = json.loads(BUNDLED.read_text(encoding="utf-8"))
    if search.repo not in repos:
        raise ToolError(f"No repository {search.repo}. There are: {', '.join(repos)}.")
    words = search.query.lower().split()
    found = [i for i in repos[search.repo] if all(word in i["title"].lower() for word in words)]
    return found[: max(search.limit, 0)]


async def check(caller: Caller) -> None:
    tool = await caller.tool("search_issues")
    expect("title", tool["title"], "Search issues")
    expect("annotations", tool["annotations"], {"readOnlyHint": True, "openWorldHint": True})
    expect("description of repo", tool["inputSchema"]["properties"]["repo"]["description"], "owner/name")
    expect("required", tool["inputSchema"]["required"], ["repo", "query"])

    windows = (
        "Greeting is printed twice on Windows — https://github.com/octo/hello/issues/41\n"
        "Windows: the console shows ? instead of ö — https://github.com/octo/hello/issues/38"
    )
    await caller.call("search_issues", {"repo": "octo/hello", "query": "windows"}, text=windows)
    await caller.call(
        "search_issues", {"repo": "octo/hello", "query": "windows", "limit": 1}, text=windows.splitlines()[0]
    )
    await caller.call("search_issues", {"repo": "octo/hello", "query": "linux"}, text="No open issue matches.")
    await caller.call(
        "search_issues",
        {"repo": "octo/hello", "query": "windows", "limit": 51},
        error='Invalid arguments for tool "search_issues":\nlimit: Too big: expected number to be <=50',
    )
    await caller.call(
        "search_issues",
        {"query": 7, "limit": "ten"},
        error='Invalid arguments for tool "search_issues":\n'
        "repo: Invalid input: expected string, received undefined\n"
        "query: Invalid input: expected string, received number\n"
        "limit: Invalid input: expected number, received string",
    )
    await caller.call(
        "search_issues",
        {"repo": "octo/hallo", "query": "windows"},
        error="No repository octo/hallo. There are: octo/hello, picomcp/picomcp.",
    )


if __name__ == "__main__":
    main(server, __file__, check)
