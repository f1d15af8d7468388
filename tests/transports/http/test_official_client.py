"""The client of the official SDK, over real HTTP, in both eras."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from mcp.client import Client

from tests.transports.http.running import running

COMMAND = ["uvicorn", "tests.transports.http.program:server", "--port={port}", "--timeout-graceful-shutdown=1"]


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # on trio its own generators are left unclosed, with warnings
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_lists_calls_and_comes_back_for_an_answer(mode: str, tmp_path: Path) -> None:
    with running(COMMAND, tmp_path) as program:
        async with Client(f"http://127.0.0.1:{program.port}/mcp", mode=mode) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} >= {"steps", "poll", "release"}
            steps: list[float] = []

            async def on_progress(progress: float, total: float | None, message: str | None) -> None:
                steps.append(progress)

            done = await client.call_tool("steps", {}, progress_callback=on_progress)
            assert (done.content[0].text, steps) == ("done", [1, 2, 3])

            answers: list[str] = []

            async def poll() -> None:
                answers.append((await client.call_tool("poll", {})).content[0].text)

            with anyio.fail_after(20):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(poll)
                    await client.call_tool("release", {})
            assert answers == ["polled"]
        assert "Traceback" not in program.text
