"""A bus of one's own, over anything that carries bytes."""

from collections.abc import Callable

import anyio

# region own_bus
from picomcp_py import pico
from picomcp_py.bus import Change, LocalBus

# endregion
from picomcp_py.client import Client


class Broker:
    """Stands for a message broker with one topic: whatever is sent reaches all who are connected."""

    def __init__(self) -> None:
        self.receivers: list[Callable[[bytes], None]] = []

    def connect(self, receive: Callable[[bytes], None]) -> "Broker":
        self.receivers.append(receive)
        return self

    def send(self, data: bytes) -> None:
        for receive in self.receivers:
            receive(data)

    def disconnect(self) -> None:
        pass


broker = Broker()


# region own_bus
class BrokerBus:
    """Tells this process at once, and the others through a broker."""

    def __init__(self) -> None:
        self._here = LocalBus()
        self._connection = broker.connect(self._hear)

    def publish(self, change: Change) -> None:  # from any thread; must not wait, must not raise
        self._here.publish(change)
        self._connection.send(change.encode())

    def subscribe(self, receive: Callable[[Change], None]) -> Callable[[], None]:
        return self._here.subscribe(receive)

    def close(self) -> None:
        self._here.close()
        self._connection.disconnect()

    def _hear(self, data: bytes) -> None:  # also what this process sent: to be told twice does no harm
        change = Change.decode(data)
        if change is not None:
            self._here.publish(change)


server = pico({"name": "notes", "bus": BrokerBus()})
# endregion
server.resource("note://today", {"read": lambda: "rain"})
other = pico({"name": "notes", "bus": BrokerBus()}).resource("note://today", {"read": lambda: "rain"})


async def check() -> None:
    async with Client(server) as client, Client(other):
        async with client.listen(uris=["note://today"]) as changes:
            other.notify_resource("note://today")
            assert (await anext(aiter(changes))).uri == "note://today"


anyio.run(check)
