"""Fixtures: a Redis for the time of a test, buses that are closed after it, and a check that no thread is left over."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from picomcp_py.bus import RedisBus

from .parts import PATIENCE, RedisServer, redis_program


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    program = redis_program()
    if program is None:
        pytest.skip("redis-server is not installed")
    with tempfile.TemporaryDirectory() as folder:  # pytest's are too long for the path of a socket
        server = RedisServer(program, Path(folder))
        try:
            server.start()
            yield server
        finally:
            server.stop()


@pytest.fixture
def make_bus(redis_server: RedisServer) -> Iterator[Callable[..., RedisBus]]:
    """Makes buses on the test's Redis, with the keywords of RedisBus. In the end no thread of theirs is left."""
    buses: list[RedisBus] = []

    def make(url: Any = None, **options: Any) -> RedisBus:
        buses.append(RedisBus(url or redis_server.url, **options))
        return buses[-1]

    yield make
    closers = [threading.Thread(target=bus.close) for bus in buses]  # each may take half a second
    for closer in closers:
        closer.start()
    for closer in closers:
        closer.join()
    assert bus_threads() == []


def bus_threads() -> list[str]:
    """The threads of all buses of this process."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("picomcp_py bus")]


class Logged(logging.Handler):
    """What the library logs from INFO on, as it comes."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._lines: SimpleQueue[str] = SimpleQueue()

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.put(f"{record.levelname} {record.getMessage()}")

    def next(self) -> str:
        return self._lines.get(timeout=PATIENCE)

    def so_far(self) -> list[str]:
        return [self.next() for _ in range(self._lines.qsize())]


@pytest.fixture
def logged() -> Iterator[Logged]:
    handler = Logged()
    logger = logging.getLogger("picomcp_py")
    level = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(level)
