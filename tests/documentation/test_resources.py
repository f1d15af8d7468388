"""The tables and sentences of docs/resources.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from picomcp_py import ConfigError, McpError, ResourceConfig, ToolError, link, pico
from picomcp_py.client import Client
from picomcp_py.offered import config, files, folder, resource_entry, resource_list
from tests.pages import Page

PAGE = Page("resources")
PNG = b"\x89PNG\r\n\x1a\n"


def code(cell: str) -> str:
    """What stands between the first backticks of a cell."""
    found = re.match(r"`(.*?)`", cell)
    assert found, cell
    return found[1]


def test_the_table_of_options_has_every_key() -> None:
    assert [code(key) for key, _, _ in PAGE.rows("Options")] == list(resource_entry.KEYS)


@pytest.mark.anyio
@pytest.mark.parametrize(("template", "uri", "params"), PAGE.rows("Templates"))
async def test_the_table_of_templates(template: str, uri: str, params: str) -> None:
    given: list[Any] = []

    def read(uri: str, params: dict[str, Any]) -> str:
        given.append(params)
        return "x"

    server = pico({"name": "s"}).resource(code(template), {"read": read})
    await server.read(code(uri))
    assert given == [eval(code(params), {})]  # an expression of our own page


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.anyio
async def test_the_table_of_who_reads_what(order: int) -> None:
    rows = [(code(uri), code(reader)) for uri, reader in PAGE.rows("Templates", 1)]
    server = pico({"name": "s"})
    for reader in [reader for _, reader in rows][::order]:
        server.resource(reader, {"read": lambda uri, reader=reader: reader})
    for uri, reader in rows:
        assert (await server.read(uri))["contents"][0]["text"] == reader
        assert f"`{reader}`" in PAGE.text.split("| URI | is read by |")[0]


def test_what_could_not_be_matched_again_is_refused() -> None:
    assert "such as `{a}{b}`, is a `ConfigError`" in PAGE.words
    with pytest.raises(ConfigError, match="character"):
        pico({"name": "s"}).resource("x:{a}{b}", {"read": lambda: "x"})


class Image:
    """What the table needs of Pillow, which nothing here depends on."""

    mode = "RGB"

    @classmethod
    def new(cls, mode: str, size: tuple[int, int]) -> Image:
        return cls()

    def save(self, file: Any, format: str | None = None, **options: Any) -> None:
        file.write(PNG)


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the expressions of the table of return values need."""
    monkeypatch.chdir(tmp_path)
    Path("README.md").write_text("# Hello", "utf-8")
    Path("chart.png").write_bytes(PNG)
    return {"Path": Path, "Image": Image}


@pytest.mark.anyio
@pytest.mark.parametrize(("returned", "example", "kind", "form"), PAGE.rows("Return values"))
async def test_the_table_of_return_values(
    names: dict[str, Any], returned: str, example: str, kind: str, form: str
) -> None:
    value = eval(code(example), names)  # an expression of our own page
    server = pico({"name": "s"}).resource("x:y", {"read": lambda: value})
    if not kind:
        with pytest.raises(McpError, match="not found"):
            await server.read("x:y")
        return
    (contents,) = (await server.read("x:y"))["contents"]
    assert contents["mimeType"] == code(kind)
    assert code(form) in contents


@pytest.mark.anyio
@pytest.mark.parametrize("item", [code(item) for item, _ in PAGE.rows("Listing and completing")])
async def test_the_table_of_what_a_list_holds(item: str) -> None:
    value = eval(item, {"link": link})  # an expression of our own page
    config: ResourceConfig = {"read": lambda: "x", "list": lambda: [value], "mimeType": "text/plain"}
    async with Client(pico({"name": "s"}).resource("note://{date}", config)) as client:
        (entry,) = await client.list_resources()
    assert entry["uri"] == "note://2026-09-05"
    assert entry["mimeType"] == "text/plain"


@pytest.mark.anyio
async def test_a_list_that_fails_is_an_error_of_the_whole_list() -> None:
    def fails() -> list[str]:
        raise ToolError("the disk is gone")

    server = pico({"name": "s"}).resource("a:b", {"read": lambda: "x"})
    server.resource("c:{d}", {"read": lambda: "x", "list": fails})
    async with Client(server) as client:
        with pytest.raises(McpError, match="the disk is gone"):
            await client.list_resources()


@pytest.mark.anyio
@pytest.mark.parametrize(("revision", "expected"), [("2026-07-28", -32602), ("2025-11-25", -32002)])
async def test_the_errors_of_reading(revision: str, expected: int) -> None:
    def fails() -> str:
        raise ValueError("the disk is gone")

    server = pico({"name": "s"}).resource("a:b", {"read": fails})
    async with Client(server, revision=revision) as client:
        with pytest.raises(McpError) as missing:
            await client.read_resource("a:c")
        assert (missing.value.code, missing.value.data) == (expected, {"uri": "a:c"})
        with pytest.raises(McpError) as failed:
            await client.read_resource("a:b")
        assert (failed.value.code, failed.value.message) == (-32603, "the disk is gone")
    assert "Clients get the error -32602, those of the handshake era -32002" in PAGE.words


@pytest.mark.anyio
async def test_masking_hides_the_message_of_an_exception() -> None:
    def fails() -> str:
        raise ValueError("the disk is gone")

    with pytest.raises(McpError) as failed:
        await pico({"name": "s", "maskErrors": True}).resource("a:b", {"read": fails}).read("a:b")
    assert failed.value.code == -32603
    assert "disk" not in failed.value.message


def test_the_numbers_in_the_text_are_those_of_the_code() -> None:
    assert f"A file is at most {files.MAX_FILE_BYTES // 1024**2} MiB" in PAGE.words
    assert f"a list has at most {folder.MAX_LISTED:,} files" in PAGE.words
    assert f"(of {resource_list.MAX_FOLLOWED:,} items at most)" in PAGE.words


def test_all_that_caching_can_name_is_named() -> None:
    (sentence,) = re.findall(r"What `caching` can name: (.*?)\. ", PAGE.words)
    assert re.findall(r"`(\w+)`", sentence) == list(config.CACHED)
