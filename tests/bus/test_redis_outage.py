"""The bus while Redis is away: nothing waits for it here, and nothing is lost without being told."""

from __future__ import annotations

import socket
from collections.abc import Callable

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from picomcp_py.bus import Change, RedisBus

from .conftest import Logged, bus_threads
from .parts import Heard, RedisServer, Refusing, free_port, until
from .test_redis import listening, note

MakeBus = Callable[..., RedisBus]
BACK = "INFO Redis is back: changes pass between processes again"


def test_after_an_outage_a_gap_is_told_and_later_changes_arrive(
    redis_server: RedisServer, make_bus: MakeBus, logged: Logged
) -> None:
    one, two = make_bus(), make_bus()
    here, there = listening(one), listening(two)
    for _ in range(2):
        redis_server.stop()
        assert [logged.next()[:19], logged.next()[:19]] == ["WARNING can't liste"] * 2  # one for each bus
        redis_server.start()
        here.gap()
        there.gap()
        assert [logged.next(), logged.next()] == [BACK, BACK]
        one.publish(note(1))
        assert there.next() == note(1)
        two.publish(note(2))
        assert here.take(2) == [note(1), note(2)]
        assert there.next() == note(2)
    assert logged.so_far() == []


def test_a_long_outage_is_logged_once(redis_server: RedisServer, make_bus: MakeBus, logged: Logged) -> None:
    redis_server.stop()
    refusing = Refusing(redis_server.port)
    try:
        bus = make_bus()
        heard = Heard()
        bus.subscribe(heard)
        bus.publish(note(1))
        assert heard.so_far() == [note(1)]
        refusing.wait_for(12)  # connections: both threads, again and again
    finally:
        refusing.close()
    [warning] = logged.so_far()
    assert warning.startswith("WARNING can't ")
    assert warning.endswith("until that works again, changes don't pass between processes")
    redis_server.start()
    heard.gap()
    assert logged.next() == BACK
    assert logged.so_far() == []


def test_a_server_that_hangs_is_noticed(redis_server: RedisServer, make_bus: MakeBus, logged: Logged) -> None:
    heard = listening(make_bus(f"{redis_server.url}?socket_timeout=0.2", health_check_interval=0.1))
    redis_server.freeze()
    try:
        assert logged.next() == (
            "WARNING can't listen on Redis (TimeoutError: no answer to a PING for 0.1 seconds): "
            "until that works again, changes don't pass between processes"
        )
    finally:
        redis_server.thaw()
    heard.gap()
    assert logged.next() == BACK


def test_what_is_published_meanwhile_is_sent_later(
    redis_server: RedisServer, make_bus: MakeBus, logged: Logged
) -> None:
    heard = listening(make_bus())
    path = redis_server.socket_path.with_name("later.sock")
    bus = make_bus(f"unix://{path}")
    bus.publish(note(1))
    assert logged.next().startswith("WARNING can't publish on Redis (ConnectionError: ")
    bus.publish(Change("tools"))
    path.symlink_to(redis_server.socket_path)
    assert sorted(heard.take(2), key=str) == [note(1), Change("tools")]
    assert logged.next() == BACK


def test_when_too_much_waits_any_resource_may_have_changed(
    redis_server: RedisServer, make_bus: MakeBus, logged: Logged
) -> None:
    heard = listening(make_bus())
    path = redis_server.socket_path.with_name("later.sock")
    bus = make_bus(f"unix://{path}", max_pending=2)
    bus.publish(note(0))
    assert logged.next().startswith("WARNING can't publish on Redis ")
    for number in range(9):
        bus.publish(note(number))
    assert logged.next() == (
        "WARNING more than 2 changed resources wait for Redis: "
        "other processes will be told that any resource may have changed"
    )
    path.symlink_to(redis_server.socket_path)
    while heard.next() != Change("resource"):
        pass  # one or two of the notes, if they were published while the thread was about to try again


def test_a_server_that_never_answers_holds_up_neither_publishing_nor_closing(logged: Logged) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        # A client that waits for ever.
        client = redis.Redis(port=silent.getsockname()[1], socket_timeout=None, retry=Retry(NoBackoff(), 0))
        bus, heard = RedisBus(client), Heard()
        bus.subscribe(heard)
        bus.publish(note(1))
        assert heard.so_far() == [note(1)]
        connections = [silent.accept()[0], silent.accept()[0]]
        bus.close()
        for connection in connections:
            connection.close()
    until(lambda: bus_threads() == [])  # they see that their connections have ended
    client.close()


def test_closing_during_an_outage_ends_the_threads_and_tells_of_what_was_not_sent(logged: Logged) -> None:
    bus, heard = RedisBus(f"redis://127.0.0.1:{free_port()}"), Heard()
    bus.subscribe(heard)
    bus.publish(note(1))
    assert heard.so_far() == [note(1)]
    assert logged.next().startswith("WARNING can't ")
    bus.close()
    assert bus_threads() == []
    assert logged.so_far() == ["WARNING closed without Redis: changes that other processes were not told of: 1"]


def test_the_password_is_not_logged(logged: Logged) -> None:
    bus = RedisBus(f"redis://user:hunter2@127.0.0.1:{free_port()}")
    bus.subscribe(Heard())
    assert "hunter2" not in logged.next()
    bus.close()
    assert bus_threads() == []
