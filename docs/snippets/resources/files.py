"""A file and a folder as resources."""

import os
import tempfile
from pathlib import Path

import anyio
import pytest

# region files
from picomcp_py import pico

# endregion
from picomcp_py.client import Client
from picomcp_py.errors import ResourceNotFound

HERE, TEMPORARY = Path.cwd(), tempfile.TemporaryDirectory()
ROOT = Path(TEMPORARY.name)
(ROOT / "docs/api").mkdir(parents=True)
(ROOT / "README.md").write_text("# Hello", "utf-8")
(ROOT / "docs/api/call graph.svg").write_text("<svg/>", "utf-8")
(ROOT / "docs/.env").write_text("SECRET=1", "utf-8")
os.chdir(ROOT)

# region files
server = pico({"name": "project"})
server.resource("project://readme", {"file": "README.md"})
server.resource("project:///docs/{+path}", {"folder": "docs", "description": "The documentation, by path."})
# endregion


async def check() -> None:
    async with Client(server) as client:
        readme, graph = await client.list_resources()
        assert graph["uri"] == "project:///docs/api/call%20graph.svg"
        assert graph["name"] == "api/call graph.svg"
        assert graph["mimeType"] == "image/svg+xml"
        assert graph["size"] == 6
        assert "lastModified" in graph["annotations"]
        assert (await client.read_resource(graph["uri"])).text == "<svg/>"
        assert (await client.read_resource(readme["uri"])).contents[0]["mimeType"] == "text/markdown"
        assert (await client.complete("path", "api", template="project:///docs/{+path}")).values == [graph["name"]]
    for path in ["..", "../README.md", "%2e%2e/README.md", "api/../../README.md", ".env", "api", "/etc/passwd", "no"]:
        with pytest.raises(ResourceNotFound):
            await server.read(f"project:///docs/{path}")


anyio.run(check)
os.chdir(HERE)
TEMPORARY.cleanup()
