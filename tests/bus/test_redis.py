"""The bus on a real Redis that works: who hears what, and how often."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis

from picomcp_py.bus import Change, RedisBus
from picomcp_py.bus.link import MAX_MESSAGE

from .conftest import bus_threads
from .parts import PATIENCE, Heard, RedisServer, Worker, until

MakeBus = Callable[..., RedisBus]
ROOT = Path(__file__).parents[2]


def note(name: object) -> Change:
    return Change("resource", f"note://{name}")


def listening(bus: RedisBus) -> Heard:
    """A subscriber of a bus that Redis has confirmed."""
    heard = Heard()
    bus.subscribe(heard)
    heard.gap()
    return heard


def test_two_processes_hear_of_each_others_changes(redis_server: RedisServer, make_bus: MakeBus) -> None:
    bus = make_bus(channel="notes")
    heard = listening(bus)
    worker = Worker(redis_server.url, "notes")
    try:
        worker.heard.gap()
        for change in [Change("tools"), Change("prompts"), Change("resources"), Change("resource"), note("ä 1")]:
            bus.publish(change)
            assert worker.heard.next() == heard.next() == change
            worker.publish(change)
            assert heard.next() == worker.heard.next() == change
    finally:
        worker.close()
    assert heard.so_far() == worker.heard.so_far() == []


def test_own_changes_are_heard_at_once_and_once(make_bus: MakeBus) -> None:
    one, two = make_bus(), make_bus()
    heard_by_one, heard_by_two = listening(one), listening(two)
    one.publish(note(1))
    assert heard_by_one.so_far() == [note(1)]
    assert heard_by_two.next() == note(1)
    two.publish(note(2))  # Redis keeps the order of a channel: what came back of note 1 came before this
    assert heard_by_one.next() == note(2)
    assert heard_by_one.so_far() == []


def test_a_subscriber_that_leaves_hears_no_more_of_others(make_bus: MakeBus) -> None:
    one, two = make_bus(), make_bus()
    stays, leaves = Heard(), Heard()
    one.subscribe(stays)
    unsubscribe = one.subscribe(leaves)
    stays.gap()
    leaves.gap()
    unsubscribe()
    two.publish(note(1))
    assert stays.next() == note(1)
    assert leaves.so_far() == []


def test_a_subscriber_that_raises_ends_no_thread(make_bus: MakeBus) -> None:
    one, two = make_bus(), make_bus()

    def fail(change: Change) -> None:
        raise SystemExit

    one.subscribe(fail)
    heard = listening(one)
    two.publish(note(1))
    two.publish(note(2))
    assert heard.take(2) == [note(1), note(2)]


def test_many_threads_publish(make_bus: MakeBus) -> None:
    one, two = make_bus(), make_bus()
    here, there = listening(one), listening(two)
    start = threading.Barrier(8)

    def publish(thread: int) -> None:
        start.wait()
        for number in range(50):
            one.publish(note(f"{thread}/{number}"))

    threads = [threading.Thread(target=publish, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    every = Counter(note(f"{thread}/{number}") for thread in range(8) for number in range(50))
    assert Counter(here.so_far()) == every
    assert Counter(there.take(400)) == every


def test_channels_do_not_mix(make_bus: MakeBus) -> None:
    notes, more_notes = make_bus(channel="notes"), make_bus(channel="notes")
    wiki, more_wiki = make_bus(channel="wiki"), make_bus(channel="wiki")
    heard, heard_in_wiki = listening(notes), listening(wiki)
    more_wiki.publish(note("wiki"))
    assert heard_in_wiki.next() == note("wiki")
    more_notes.publish(note("notes"))
    assert heard.next() == note("notes")
    assert heard.so_far() == heard_in_wiki.so_far() == []


def test_junk_on_the_channel_is_ignored(redis_server: RedisServer, make_bus: MakeBus) -> None:
    heard = listening(make_bus())
    largest = b'{"origin":"x","change":{"kind":"tools"}}'.ljust(MAX_MESSAGE)
    junk = [
        b"",
        b"\xff\xfe",
        b"null",
        b"{}",
        b"tools",
        b'{"kind":"tools"}',
        b'{"origin":1,"change":{"kind":"tools"}}',
        b'{"origin":"x","change":{"kind":"tool"}}',
        b'{"origin":"x","change":"tools"}',
        b'{"origin":"x","change":{"kind":"resource","uri":"\xff"}}',
        b'{"origin":"x","change":' + b"[" * 10_000,
        largest + b" ",
    ]
    with redis.Redis(port=redis_server.port) as client:
        for data in [*junk, largest, b'{"origin":"y","change":{"kind":"resource","uri":"note://1"}}']:
            client.publish("picomcp", data)
    assert heard.take(2) == [Change("tools"), note(1)]
    assert heard.so_far() == []


def test_a_uri_too_long_for_a_message_is_told_as_any_resource(make_bus: MakeBus) -> None:
    one, two = make_bus(), make_bus()
    here, there = listening(one), listening(two)
    long = note("x" * MAX_MESSAGE)
    one.publish(long)
    assert here.so_far() == [long]
    assert there.next() == Change("resource")


@pytest.mark.parametrize(
    "options", [{}, {"decode_responses": True}, {"decode_responses": True, "encoding": "latin-1"}], ids=str
)
def test_a_client_of_ones_own_is_used_and_left_open(
    options: dict[str, Any], redis_server: RedisServer, make_bus: MakeBus
) -> None:
    with redis.Redis(port=redis_server.port, **options) as client, client.pubsub() as users_own:
        users_own.subscribe("elsewhere")
        assert users_own.get_message(timeout=PATIENCE)["type"] == "subscribe"
        one, two = make_bus(client), make_bus()
        heard, heard_by_two = listening(one), listening(two)
        two.publish(note("ä"))
        assert heard.next() == note("ä")
        one.publish(note("ö"))
        assert heard_by_two.take(2) == [note("ä"), note("ö")]
        one.close()
        assert sorted(bus_threads()) == ["picomcp_py bus listen", "picomcp_py bus publish"]  # those of the other
        client.publish("elsewhere", "still here")
        assert users_own.get_message(timeout=PATIENCE)["type"] == "message"  # it had no need to subscribe again


def test_junk_that_a_decoding_client_cannot_decode_costs_a_gap_only(
    redis_server: RedisServer, make_bus: MakeBus
) -> None:
    with redis.Redis(port=redis_server.port, decode_responses=True) as client:
        heard = listening(make_bus(client))
        with redis.Redis(port=redis_server.port) as other:
            other.publish("picomcp", b"\xff")
        heard.gap()
        make_bus().publish(note(1))
        assert heard.next() == note(1)


def test_a_socket_in_the_file_system(redis_server: RedisServer, make_bus: MakeBus) -> None:
    heard = listening(make_bus())
    make_bus(f"unix://{redis_server.socket_path}").publish(note(1))
    assert heard.next() == note(1)


def pings(client: redis.Redis) -> int:
    """How many the server has answered. Its fixture sent some of them."""
    statistics: Any = client.info("commandstats")
    count: int = statistics["cmdstat_ping"]["calls"]
    return count


def test_a_quiet_connection_is_asked_and_kept(redis_server: RedisServer, make_bus: MakeBus) -> None:
    one, two = make_bus(health_check_interval=0.02), make_bus()
    heard = listening(one)
    with redis.Redis(port=redis_server.port) as client:
        until(lambda: pings(client) >= 10)
    two.publish(note(1))
    assert heard.next() == note(1)  # and no gap before it


def test_closing_sends_what_waits_and_ends_threads_and_connections(
    redis_server: RedisServer, make_bus: MakeBus
) -> None:
    heard = listening(make_bus())
    before = bus_threads()
    bus = make_bus()
    for number in range(100):
        bus.publish(note(number))
    listening(bus)
    assert len(bus_threads()) == len(before) + 2
    bus.close()
    assert bus_threads() == before
    bus.close()
    assert heard.take(100) == [note(number) for number in range(100)]
    with redis.Redis(port=redis_server.port, single_connection_client=True) as client:
        connected: Any = client.client_list
        until(lambda: len(connected()) == 2)  # this one and the listener's: Redis notices the others' ends by and by


def test_after_closing_nothing_is_told_and_nothing_raises(make_bus: MakeBus) -> None:
    one, two = make_bus(), make_bus()
    heard_by_one, heard_by_two = listening(one), listening(two)
    one.close()
    one.publish(note(1))
    one.subscribe(heard_by_one)()
    two.publish(note(2))
    assert heard_by_two.so_far() == [note(2)]
    assert heard_by_one.so_far() == []


def test_a_subscriber_may_close_the_bus(make_bus: MakeBus) -> None:
    one, two = make_bus(), make_bus()
    closed = threading.Event()

    def close(change: Change) -> None:
        if change == note(1):
            one.close()
            closed.set()

    one.subscribe(close)
    listening(one)
    two.publish(note(1))
    assert closed.wait(PATIENCE)
    until(lambda: bus_threads() == ["picomcp_py bus publish"])  # that of the other: the subscriber's own ended too


def test_no_thread_and_no_connection_before_it_is_used(make_bus: MakeBus) -> None:
    make_bus()
    assert bus_threads() == []


def test_a_forked_child_has_its_own_connections(redis_server: RedisServer) -> None:
    # Forking with threads is what this is about; Python 3.12 and later warn of it.
    words = [sys.executable, "-W", "ignore::DeprecationWarning", "-m", "tests.bus.forking", redis_server.url]
    answer = subprocess.run(words, cwd=ROOT, capture_output=True, check=False, timeout=PATIENCE)
    assert answer.returncode == 0, answer.stderr.decode()
    of_child, of_parent = (json.loads(line) for line in answer.stdout.splitlines())
    assert of_child == [["resource", "note://child"], ["resource", "note://parent"]]
    assert of_parent == [["resource", "note://child"], ["resource", "note://parent"]]
