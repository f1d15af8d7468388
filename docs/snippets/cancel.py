"""Cancelled handlers: an async one ends by itself, a plain one looks at the signal."""

import threading

# region cancel
import anyio

from picomcp_py import Context, SyncContext, pico

# endregion
from picomcp_py.client import Client

started, ended = threading.Event(), threading.Event()
seen = []


class Connection:
    """Stands for a database driver."""

    def cancel(self):
        seen.append("query cancelled")

    def rows(self):
        started.set()
        try:
            while True:
                yield 1
        finally:
            ended.set()


def connect():
    return Connection()


# region cancel
server = pico({"name": "db"})


@server.tool("wait")
async def wait(input: dict, ctx: Context) -> str:
    try:
        await anyio.sleep(3600)  # cancelled here, at the next await
    finally:
        print("cleaned up:", ctx.signal.reason)
    return "done"


@server.tool("count")
def count(input: dict, ctx: SyncContext) -> int:
    connection = connect()
    ctx.signal.on_abort(connection.cancel)  # for what can be stopped from outside
    n = 0
    for _ in connection.rows():
        ctx.signal.raise_if_aborted()  # between steps
        n += 1
    return n


# endregion


async def check() -> None:
    async with Client(server) as client:
        for name in ("wait", "count"):
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, name)
                await anyio.wait_all_tasks_blocked()
                if name == "count":
                    await anyio.to_thread.run_sync(started.wait)
                group.cancel_scope.cancel()
            await client.ping()
        await anyio.to_thread.run_sync(ended.wait)
        assert seen == ["query cancelled"]


anyio.run(check)
