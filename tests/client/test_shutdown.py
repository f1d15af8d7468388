"""Leaving a client leaves no process behind, however the server takes it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import anyio
import psutil
import pytest

from picomcp_py.client import Client, process
from tests.client.programs import OWN, script

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and process groups"),
]

ANSWER_PID = """
call = read()
reply(call, content=[], pid=os.getpid())
"""


@pytest.fixture(autouse=True)
def _no_process_is_left() -> Iterator[None]:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert left == []


async def test_a_server_that_ends_with_its_stdin_is_not_terminated(tmp_path: object) -> None:
    marker = f"{tmp_path}/ended"
    polite = f"""
import atexit
atexit.register(lambda: open({marker!r}, "w").close())
initialize()
{ANSWER_PID}
read()
"""
    async with Client(script(polite)) as client:
        pid = (await client.call_tool("t")).raw["pid"]
    assert not psutil.pid_exists(pid)
    assert await anyio.Path(marker).exists()


async def test_a_server_that_ignores_the_end_of_stdin_is_terminated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE", 0.1)
    async with Client(script(f"initialize()\n{ANSWER_PID}\ntime.sleep(600)")) as client:
        pid = (await client.call_tool("t")).raw["pid"]
    assert not psutil.pid_exists(pid)


async def test_a_server_that_ignores_sigterm_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE", 0.1)
    stubborn = f"""
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
initialize()
{ANSWER_PID}
while True: time.sleep(600)
"""
    async with Client(script(stubborn)) as client:
        pid = (await client.call_tool("t")).raw["pid"]
    assert not psutil.pid_exists(pid)


async def test_what_a_wrapper_started_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE", 0.1)
    wrapper = """
initialize()
child = subprocess.Popen(["sleep", "600"])
reply(read(), content=[], pid=child.pid)
child.wait()
"""
    async with Client(script(wrapper)) as client:
        pid = (await client.call_tool("t")).raw["pid"]
    while _is_running(pid):  # an orphan is reaped by init, in its own time
        await anyio.lowlevel.checkpoint()


def _is_running(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


async def test_a_cancelled_body_ends_the_server() -> None:
    with anyio.CancelScope() as scope:
        async with Client(script(f"initialize()\n{ANSWER_PID}\nread()")) as client:
            pid = (await client.call_tool("t")).raw["pid"]
            scope.cancel()
            await anyio.sleep_forever()
    assert not psutil.pid_exists(pid)


async def test_a_cancelled_start_ends_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "GRACE", 0.1)
    with anyio.move_on_after(0.2) as scope:
        async with Client(script("time.sleep(600)")):
            pytest.fail("there was an agreement")
    assert scope.cancelled_caught


async def test_a_failing_start_ends_the_server() -> None:
    with pytest.raises(TimeoutError):
        async with Client(script("while True: read()"), timeout=0.2):
            pytest.fail("there was an agreement")


async def test_a_server_in_the_middle_of_a_large_answer_ends_in_order() -> None:
    large = """
initialize()
for _ in range(3):
    reply(read(), content=[{"type": "text", "text": "x" * 3_000_000}])
read()
"""

    async def ask(client: Client) -> None:
        await client.call_tool("t")

    async with Client(script(large)) as client:
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(ask, client)
            await client.notify("notifications/other")
            group.cancel_scope.cancel()


async def test_requests_still_waiting_when_the_client_is_left_are_ended() -> None:
    failures: list[BaseException] = []
    started = anyio.Event()

    async def ask(client: Client) -> None:
        with pytest.raises(ConnectionError, match="The client was left while tools/call was waiting") as caught:
            await client.call_tool("stuck", on_progress=lambda *report: started.set())
        failures.append(caught.value)

    async with anyio.create_task_group() as group:
        async with Client(OWN) as client:
            group.start_soon(ask, client)
            await started.wait()
    assert len(failures) == 1


async def test_a_cancelled_body_still_tells_the_server(capfd: pytest.CaptureFixture[str]) -> None:
    listening = """
initialize()
sys.stderr.write(read()["method"] + "\\n")
sys.stdout.write('{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 3}}\\n')
sys.stdout.flush()
sys.stderr.write(read()["method"])
"""
    with anyio.CancelScope() as scope:
        async with Client(script(listening)) as client:
            await client.call_tool("t", on_progress=lambda *report: scope.cancel())
    assert capfd.readouterr().err == "tools/call\nnotifications/cancelled"
