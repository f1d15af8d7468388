"""One bus for all workers. Run with a Redis or Valkey at REDIS_URL."""

# region redis_bus
import os

# endregion
import threading
from queue import SimpleQueue

import anyio

# region redis_bus
from picomcp_py import pico
from picomcp_py.bus import Change, RedisBus

# endregion
from picomcp_py.client import Client

# region redis_bus
REDIS = os.environ.get("REDIS_URL", "redis://localhost:6379/0")

bus = RedisBus(REDIS, channel="picomcp:notes")
server = pico({"name": "notes", "bus": bus})
# endregion
server.resource("note://today", {"read": lambda: "rain"})


# region outside
def nightly_job() -> None:
    bus = RedisBus(REDIS, channel="picomcp:notes")
    bus.publish(Change("resource", "note://today"))  # or Change("tools"), Change("prompts"), Change("resources")
    bus.close()  # sends what waits, for a second at most


# endregion
async def check() -> None:
    async with Client(server) as client, client.listen(uris=["note://today"]) as changes:
        job = threading.Thread(target=nightly_job)
        job.start()
        assert (await anext(aiter(changes))).uri == "note://today"
        job.join()


connected: SimpleQueue[Change] = SimpleQueue()
bus.subscribe(connected.put)
for _ in range(4):  # each connection is told as a change of everything: from then on others are heard
    connected.get()
anyio.run(check)
bus.close()
