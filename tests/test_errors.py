"""The library's exceptions, and what of an exception gets out."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import pytest

from picomcp_py import McpError, pico, result
from tests.peer import text_of


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "text"), "code must be an int, not str"),
        ((True, "text"), "code must be an int, not bool"),
        ((1.5, "text"), "code must be an int, not float"),
        ((-1, None), "message must be a str, not NoneType"),
        ((-1, b"text"), "message must be a str, not bytes"),
    ],
)
def test_a_protocol_error_that_no_client_could_read(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        McpError(*arguments)


def test_a_protocol_error_that_clients_can_read() -> None:
    assert McpError(-32001, "text", {"a": 1}).data == {"a": 1}
    assert McpError(HTTPStatus.NOT_FOUND, "text").code == 404


class Secretive(Mapping[str, str]):
    def __getitem__(self, key: str) -> str:
        raise ValueError("password=1234")

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    "returned",
    [
        {"deep": [Secretive()]},
        {"content": [], "_meta": {"deep": Secretive()}},
        {"content": [], "structuredContent": {"deep": Secretive()}},
        result("x", {"deep": Secretive()}),
    ],
)
@pytest.mark.parametrize("mask", [True, False])
@pytest.mark.anyio
async def test_what_a_value_raised_while_it_was_read_is_for_the_log(
    returned: Any, mask: bool, caplog: pytest.LogCaptureFixture
) -> None:
    s = pico({"name": "x", "maskErrors": mask}).tool("t", {"run": lambda: returned})
    with caplog.at_level(logging.ERROR, "picomcp_py"):
        text = text_of(await s.call("t"))
    assert "password" not in text
    assert "a value of type Secretive could not be read (ValueError)" in text
    assert "deep" in text
    assert "ValueError: password=1234" in caplog.text
