"""URIs of more than MAX_URI characters are not looked for, so none can be registered."""

from __future__ import annotations

import pytest

from picomcp_py import ConfigError, pico
from picomcp_py.errors import MAX_URI
from tests.peer import MODERN, connected

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("end", ["", "{x}"])
def test_one_that_is_too_long_is_refused(end: str) -> None:
    uri = "note://".ljust(MAX_URI - len(end), "a") + end
    pico({"name": "test"}).resource(uri, read=lambda uri: uri)
    with pytest.raises(ConfigError, match="its URI has 8193 characters: write one of at most 8192"):
        pico({"name": "test"}).resource("x" + uri, read=lambda uri: uri)


async def test_the_longest_can_be_read() -> None:
    uri = "note://".ljust(MAX_URI, "a")
    async with connected(pico({"name": "test"}).resource(uri, read=lambda: "text"), MODERN) as peer:
        assert "result" in await peer.request("resources/read", {"uri": uri})
        assert "error" in await peer.request("resources/read", {"uri": uri + "a"})


@pytest.mark.anyio
async def test_an_error_does_not_send_all_of_a_long_uri_back() -> None:
    async with connected(pico(name="test").resource("note://one", read=lambda: "1")) as peer:
        error = (await peer.request("resources/read", {"uri": "note://" + "a" * 300_000}))["error"]
        assert error["code"] == -32602
        assert len(error["data"]["uri"]) < MAX_URI + 10
        assert error["data"]["uri"].startswith("note://aaa")
