"""The bus within one process."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading

import pytest

from picomcp_py.bus import Bus, Change, LocalBus

from .parts import Heard

TOOLS = Change("tools")


def test_every_subscriber_is_told_in_the_publishing_thread_before_publish_returns() -> None:
    bus = LocalBus()
    told: list[tuple[str, Change, int]] = []
    bus.subscribe(lambda change: told.append(("first", change, threading.get_ident())))
    bus.subscribe(lambda change: told.append(("second", change, threading.get_ident())))
    bus.publish(TOOLS)
    here = threading.get_ident()
    assert told == [("first", TOOLS, here), ("second", TOOLS, here)]


def test_a_function_subscribed_twice_is_told_twice_and_each_is_unsubscribed_for_itself() -> None:
    bus, heard = LocalBus(), Heard()
    first = bus.subscribe(heard)
    second = bus.subscribe(heard)
    bus.publish(TOOLS)
    assert heard.so_far() == [TOOLS, TOOLS]
    first()
    first()
    bus.publish(TOOLS)
    assert heard.so_far() == [TOOLS]
    second()
    bus.publish(TOOLS)
    assert heard.so_far() == []
    assert not bus.has_subscribers()


@pytest.mark.parametrize("failure", [RuntimeError("the loop is closed"), SystemExit(3)])
def test_what_a_subscriber_raises_is_logged_and_costs_no_other(
    failure: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(change: Change) -> None:
        raise failure

    bus, heard = LocalBus(), Heard()
    bus.subscribe(fail)
    bus.subscribe(heard)
    with caplog.at_level(logging.ERROR, "picomcp_py"):
        bus.publish(TOOLS)
    assert heard.so_far() == [TOOLS]
    [record] = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[1] is failure


def test_ctrl_c_in_a_subscriber_stays_ctrl_c() -> None:
    def interrupted(change: Change) -> None:
        raise KeyboardInterrupt

    bus = LocalBus()
    bus.subscribe(interrupted)
    with pytest.raises(KeyboardInterrupt):
        bus.publish(TOOLS)


def test_a_subscriber_may_subscribe_unsubscribe_and_publish() -> None:
    bus, heard = LocalBus(), Heard()

    def once(change: Change) -> None:
        unsubscribe()
        bus.subscribe(heard)
        bus.publish(Change("prompts"))

    unsubscribe = bus.subscribe(once)
    bus.publish(TOOLS)
    bus.publish(Change("resources"))
    assert heard.so_far() == [Change("prompts"), Change("resources")]


def test_many_threads_publish_while_others_come_and_go() -> None:
    bus, heard = LocalBus(), Heard()
    bus.subscribe(heard)
    start = threading.Barrier(8)

    def publish(thread: int) -> None:
        start.wait()
        for number in range(200):
            bus.publish(Change("resource", f"note://{thread}/{number}"))

    def come_and_go() -> None:
        start.wait()
        for _ in range(500):
            bus.subscribe(Heard())()

    threads = [threading.Thread(target=publish, args=(number,)) for number in range(4)]
    threads += [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = heard.so_far()
    for publisher in range(4):
        mine = [change.uri for change in told if str(change.uri).startswith(f"note://{publisher}/")]
        assert mine == [f"note://{publisher}/{number}" for number in range(200)]
    assert len(told) == 800


def test_after_closing_nothing_is_told_and_nothing_raises() -> None:
    bus, heard = LocalBus(), Heard()
    unsubscribe = bus.subscribe(heard)
    bus.close()
    bus.close()
    late = bus.subscribe(heard)
    bus.publish(TOOLS)
    unsubscribe()
    late()
    assert heard.so_far() == []
    assert not bus.has_subscribers()


def test_a_new_bus_is_true_for_those_who_write_bus_or_default() -> None:
    bus: Bus = LocalBus()
    assert bus


def test_importing_the_bus_imports_nothing_of_redis() -> None:
    code = (
        "import sys, picomcp_py.bus;"
        "print(*sorted({'redis', 'picomcp_py.bus.redis', 'picomcp_py.bus.link'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert answer.stdout.split() == []
