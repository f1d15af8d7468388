"""What a client sees: starts examples/search_issues.py as a subprocess and talks to it. `python3 scripts/demo.py`.

Every message is the real one on the wire: one line of JSON, shown shortened and then as a person would read it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from environment import ROOT, python

EXAMPLE = "examples/search_issues.py"
TOOL = "search_issues"
GOOD = {"repo": "picomcp/picomcp", "query": "windows"}
BAD = {"repo": "picomcp/picomcp", "query": "windows", "limit": 51}
REVISION = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": {"name": "demo", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server:
    """The example as a subprocess, spoken to over its stdin and stdout."""

    def __init__(self, command: list[str]) -> None:
        env = {
            name: value for name, value in os.environ.items() if name != "GITHUB_TOKEN"
        }  # the bundled issues will do
        self.process = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.requests = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of one request."""
        self.requests += 1
        request = {"jsonrpc": "2.0", "id": self.requests, "method": method, "params": {**params, "_meta": ENVELOPE}}
        assert self.process.stdin
        assert self.process.stdout
        shown = {**request, "params": {**params, "_meta": "..."}}
        print("  --> " + _shorten(json.dumps(shown, ensure_ascii=False)))
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"The server ended with exit code {self.process.wait()}")
        print("  <-- " + _shorten(line.decode().rstrip("\n")))
        reply = json.loads(line)
        if "result" not in reply:
            sys.exit(f"The server refused the request: {reply['error']['message']}")
        result: dict[str, Any] = reply["result"]
        return result

    def close(self) -> int:
        """Close its stdin, which is how a client ends a server on stdio; gives the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(timeout=10)


def main(interpreter: str) -> int:
    print(f"Starting {EXAMPLE}")
    server = Server([interpreter, EXAMPLE])

    print("\n1. What is it?")
    found = server.ask("server/discover")
    info = found["_meta"]["io.modelcontextprotocol/serverInfo"]
    _show(f"{info['name']} {info['version']}, speaks {', '.join(found['supportedVersions'])}")

    print("\n2. Which tools has it?")
    tools = server.ask("tools/list")["tools"]
    for tool in tools:
        _show(f"{tool['name']}: {tool.get('description', '')}")
        required = tool["inputSchema"].get("required", [])
        for name, field in tool["inputSchema"].get("properties", {}).items():
            need = "required" if name in required else f"default {json.dumps(field.get('default'))}"
            _show(f"  {name}: {field.get('type', 'any')}, {need}. {field.get('description', '')}".rstrip(". "))

    print(f"\n3. A good call: {json.dumps(GOOD)}")
    good = server.ask("tools/call", name=TOOL, arguments=GOOD)
    _show_content(good)

    print(f"\n4. A bad call: {json.dumps(BAD)}")
    bad = server.ask("tools/call", name=TOOL, arguments=BAD)
    _show_content(bad)

    code = server.close()
    print(f"\nThe server's stdin was closed: it ended with exit code {code}.")
    as_expected = (
        TOOL in [tool["name"] for tool in tools]
        and not good.get("isError")
        and bool(good["content"])
        and bad.get("isError") is True
        and code == 0
    )
    print("All as it should be." if as_expected else "That is not what was expected: see above.")
    return 0 if as_expected else 1


def _show_content(result: dict[str, Any]) -> None:
    _show("the model is told that the call failed:" if result.get("isError") else "the model reads:")
    for block in result["content"]:
        for line in block.get("text", f"[{block['type']}]").splitlines():
            _show("  " + line)


def _show(line: str) -> None:
    print("      " + line)


def _shorten(line: str, limit: int = 150) -> str:
    return line if len(line) <= limit else f"{line[:limit]}... ({len(line)} characters)"


if __name__ == "__main__":
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that can't show a character is no reason to fail
    sys.exit(main(str(python())))
