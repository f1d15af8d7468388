"""The official clients, driven alike: `drive("python" | "typescript", "handshake" | "stateless", script, steps)`.
The script is started as a server on stdio, or with `transport="http"` over HTTP.

A step is `{"do": "list"}` or `{"do": "call", "name", "arguments"}`. A call may say what the client does at each
progress: `"at_progress": "cancel"` cancels the call, the name of a tool calls that. An outcome is `{"tools"}`, or
`{"progress"}` with one of `result`, `error` (a JSON-RPC error) and `cancelled`. The clients ask for logs from "info".
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.serving import our_server, serving

ROOT = Path(__file__).parents[2]
TYPESCRIPT = Path(__file__).parent / "ts"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
CLIENTS = ("python", "typescript")
ERAS = {"handshake": "2025-11-25", "stateless": "2026-07-28"}
TRANSPORTS = ("stdio", "http")

Steps = list[dict[str, Any]]


def drive(client: str, era: str, script: Path, steps: Steps, transport: str = "stdio") -> dict[str, Any]:
    """Start the script as a server, do the steps, close; gives `revision server outcomes logs`."""
    act = _typescript if client == "typescript" else _python
    if transport == "stdio":
        report = act(era, script, steps)
    else:
        with serving(*our_server(script)) as url:
            report = act(era, url, steps)
    assert report["revision"] == ERAS[era]
    return report


def _typescript(era: str, target: Path | str, steps: Steps) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    if not (TYPESCRIPT / "node_modules").exists():
        pytest.skip("the TypeScript client is not installed: python3 scripts/test.py does it where there is npm")
    server = (
        {"command": sys.executable, "args": [str(target)], "cwd": str(ROOT)}
        if isinstance(target, Path)
        else {"url": target}
    )
    done = subprocess.run(
        [node, "driver.mjs"],
        cwd=TYPESCRIPT,
        input=json.dumps({**server, "era": era, "steps": steps}),
        capture_output=True,
        encoding="utf-8",
        timeout=50,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _python(era: str, target: Path | str, steps: Steps) -> dict[str, Any]:
    return anyio.run(_drive_python, era, target, steps)


async def _drive_python(era: str, target: Path | str, steps: Steps) -> dict[str, Any]:
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters
    from mcp.shared.exceptions import MCPDeprecationWarning

    logs: list[dict[str, Any]] = []

    async def note(params: Any) -> None:
        logs.append({"level": params.level, "data": params.data})

    server = (
        StdioServerParameters(command=sys.executable, args=[str(target)], cwd=ROOT)
        if isinstance(target, Path)
        else target
    )
    mode = "auto" if era == "stateless" else "legacy"
    outcomes = []
    async with Client(server, mode=mode, logging_callback=note) as client:
        if era == "handshake":
            with pytest.warns(MCPDeprecationWarning):
                await client.set_logging_level("info")
        for step in steps:
            if step["do"] == "list":
                listed = await client.list_tools()
                outcomes.append({"tools": [_plain(tool) for tool in listed.tools]})
            else:
                outcomes.append(await _call(client, era, step))
        info = client.server_info
        return {
            "revision": client.protocol_version,
            "server": _plain(info) if info else None,
            "outcomes": outcomes,
            "logs": logs,
        }


async def _call(client: Any, era: str, step: dict[str, Any]) -> dict[str, Any]:
    from mcp.shared.exceptions import MCPError

    progress: list[dict[str, Any]] = []
    meta = {LOG_LEVEL: "info"} if era == "stateless" else None
    action = step.get("at_progress")
    async with anyio.create_task_group() as tasks:

        async def note(now: float, total: float | None, message: str | None) -> None:
            progress.append({"progress": now, "total": total, "message": message})
            if action == "cancel":
                tasks.cancel_scope.cancel()
            elif action:
                tasks.start_soon(client.call_tool, action)

        try:
            result = await client.call_tool(step["name"], step.get("arguments"), progress_callback=note, meta=meta)
        except MCPError as error:
            return {"error": {"code": error.code, "message": error.message}, "progress": progress}
        return {"result": _plain(result), "progress": progress}
    return {"cancelled": True, "progress": progress}


def _plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
