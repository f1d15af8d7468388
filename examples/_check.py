"""What every example does: `python examples/x.py` serves on stdio, `python examples/x.py --check` checks itself.

The check is a client's view: it starts the same file as a server in a process of its own, speaks to it over stdin and
stdout, prints what goes back and forth, and ends with exit code 1 at the first thing that isn't as it should be.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio

from picomcp_py import Server
from picomcp_py.client import Client, ToolResult


class Unexpected(Exception):
    """The server answered something else."""


class Caller:
    """A client that prints each call and compares the answer."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def tool(self, name: str) -> dict[str, Any]:
        """The entry of a tool in tools/list."""
        found = [tool for tool in await self.client.list_tools() if tool["name"] == name]
        expect(f"tools named {name}", len(found), 1)
        return found[0]

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, text: str | None = None, error: str | None = None
    ) -> ToolResult:
        """Call a tool; `text` is what a good call's text blocks must say, `error` what a failed one's must."""
        print(f"\n> {name} {json.dumps(arguments, ensure_ascii=False)}")
        result = await self.client.call_tool(name, arguments)
        for block in result.content:
            said = (
                block.get("text")
                or f"[{block['type']} {block.get('mimeType', '')} {block.get('uri', '')}".rstrip() + "]"
            )
            print("\n".join(("! " if result.is_error else "  ") + line for line in said.splitlines()))
        expect("is_error", result.is_error, error is not None)
        wanted = text if error is None else error
        if wanted is not None:
            expect("text", result.text, wanted)
        return result


def expect(what: str, got: Any, wanted: Any) -> None:
    """Raise Unexpected unless both are the same."""
    if got != wanted:
        raise Unexpected(f"{what} should be\n  {wanted!r}\nand is\n  {got!r}")


def main(server: Server, file: str, check: Callable[[Caller], Awaitable[None]], **env: str) -> None:
    """Serve, or check: call it under `if __name__ == "__main__":`. `env` is for the server that the check starts."""
    if sys.argv[1:] != ["--check"]:
        server.serve()
        return
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may not know every character

    async def run() -> None:
        async with Client(file, env=env, timeout=30) as client:
            print(f"{client.server_info.get('name')} speaks {client.revision}")
            await check(Caller(client))

    try:
        anyio.run(run)
    except Unexpected as error:
        print(f"\nNot as it should be: {error}")
        sys.exit(1)
    print("\nAll as it should be.")
