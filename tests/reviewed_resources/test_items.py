"""What `list` and `complete` give is gone through where they run, and not for ever."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from picomcp_py import pico
from tests.peer import MODERN, connected

pytestmark = pytest.mark.anyio


def from_a_thread() -> Any:
    return (f"note://{number}" for number in count())


async def from_the_loop() -> Any:
    return from_a_thread()


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("listed", [from_a_thread, from_the_loop])
async def test_an_endless_iterator_is_refused_in_words_that_name_the_template(listed: Any, mask: bool) -> None:
    server = pico({"name": "test", "maskErrors": mask})
    server.resource("note://{day}", read=lambda uri: uri, list=listed)
    async with connected(server, MODERN) as peer:
        error = (await peer.request("resources/list"))["error"]
        assert error == {
            "code": -32603,
            "message": 'List of resource template "note://{day}" returned a value that cannot be sent: an iterator of '
            "more than 10000 items: return fewer, or a list",
        }


class Query:
    """Can be gone through, again and again, as the queries of database libraries; notes in which thread."""

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def __iter__(self) -> Iterator[str]:
        self.threads.add(threading.get_ident())
        return iter(["note://1"])


REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("resources/list", {}),
    (
        "completion/complete",
        {"ref": {"type": "ref/resource", "uri": "note://{day}"}, "argument": {"name": "day", "value": ""}},
    ),
]


@pytest.mark.parametrize(("method", "params"), REQUESTS)
async def test_a_query_is_asked_in_the_thread_of_its_handler(method: str, params: dict[str, Any]) -> None:
    query = Query()
    server = pico({"name": "test"})
    server.resource("note://{day}", read=lambda uri: uri, list=lambda: query, complete={"day": lambda: query})
    async with connected(server, MODERN) as peer:
        result = (await peer.request(method, params))["result"]
    assert "note://1" in str(result)
    assert len(query.threads) == 1
    assert threading.get_ident() not in query.threads


@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # trio has no futures
@pytest.mark.parametrize(("method", "params"), REQUESTS)
async def test_a_future_is_awaited_though_it_can_be_gone_through(method: str, params: dict[str, Any]) -> None:
    def later() -> Any:
        future = asyncio.get_running_loop().create_future()
        future.get_loop().call_soon(future.set_result, ["note://1"])
        return future

    server = pico({"name": "test"})
    server.resource("note://{day}", read=lambda uri: uri, list=later, complete={"day": later}, thread=False)
    async with connected(server, MODERN) as peer:
        assert "note://1" in str((await peer.request(method, params))["result"])
