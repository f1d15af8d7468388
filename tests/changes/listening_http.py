"""Listens over HTTP for tests of changes: an ASGI client in process, one that may stop reading."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio

from picomcp_py import Server
from tests.changes.listening import ACKNOWLEDGED, KEY, UPDATED
from tests.transports.http.driver import Exchange, asking, exchange, modern

LISTEN = "subscriptions/listen"


def listening(app: Any, id: Any = 1, *uris: str, headers: Any = None, **wanted: Any) -> Any:
    """A listen in progress, as `driver.asking`."""
    return asking(app, **listen_request(id, *uris, headers=headers, **wanted))


def listen_request(id: Any, *uris: str, headers: Any = None, **wanted: Any) -> dict[str, Any]:
    notifications = {**wanted, **({"resourceSubscriptions": list(uris)} if uris else {})}
    return modern(LISTEN, {"notifications": notifications}, id=id, headers=headers)


def messages(one: Exchange) -> list[Any]:
    """What has come on a stream, comments and priming apart."""
    return [event.message for event in one.events if event.data]


def methods(one: Exchange) -> list[str]:
    return [message.get("method", "result") for message in messages(one)]


def hub_of(app: Any) -> Any:
    (place,) = app._places.values()
    return place.runtime.hub


async def until_messages(one: Exchange, count: int) -> list[Any]:
    await one.until(lambda one: one.status and len(messages(one)) >= count)
    return messages(one)


async def acknowledged(one: Exchange) -> Any:
    """What is honoured of a listen."""
    first = (await until_messages(one, 1))[0]
    assert first["method"] == ACKNOWLEDGED
    return first["params"]["notifications"]


async def ended(one: Exchange) -> None:
    """Until the server has ended it."""
    with anyio.fail_after(20):
        while not one.done:
            await one._news.wait()


async def settled(app: Any, server: Server) -> None:
    """Until all that was changed so far has been told: the last listener hears last."""
    uri = "witness://x"
    async with listening(app, "witness", uri) as witness:
        await acknowledged(witness)
        server.notify_resource(uri)
        assert (await until_messages(witness, 2))[1]["params"] == {"uri": uri, "_meta": {KEY: "witness"}}
        assert methods(witness) == [ACKNOWLEDGED, UPDATED]


class Stuck(Exchange):
    """A client that reads nothing until `reads` is set."""

    def __init__(self, one: Exchange) -> None:
        super().__init__(one._app, one._scope, one._chunks)
        self.reads = anyio.Event()
        self.reached = anyio.Event()

    async def _send(self, event: dict[str, Any]) -> None:
        self.reached.set()
        await self.reads.wait()
        await super()._send(event)


@asynccontextmanager
async def stuck(app: Any, **request: Any) -> AsyncIterator[Stuck]:
    """A request in progress whose client doesn't read; it leaves at the end."""
    one = Stuck(exchange(app, **request))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(one.run)
        with anyio.fail_after(20):
            await one.reached.wait()
        yield one
        one.disconnect()
        await ended(one)
