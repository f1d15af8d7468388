"""What RedisBus can't be made of, and how it says so."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import redis.asyncio

import picomcp_py.bus
from picomcp_py import ConfigError
from picomcp_py.bus import RedisBus


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (6379, "RedisBus: url must be a URL or a redis.Redis (the synchronous client), not builtins.int"),
        (
            redis.asyncio.Redis(),
            "RedisBus: url must be a URL or a redis.Redis (the synchronous client), not redis.asyncio.client.Redis",
        ),
    ],
)
def test_neither_a_url_nor_a_client(url: Any, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        RedisBus(url)
    assert str(error.value) == message


@pytest.mark.parametrize("url", ["", "localhost:6379", "http://localhost", "redis://localhost:port"])
def test_a_url_that_redis_does_not_take(url: str) -> None:
    with pytest.raises(ConfigError, match=r"^RedisBus: the URL can't be used: .+"):
        RedisBus(url)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"channel": ""}, 'RedisBus: channel must be a name, such as "picomcp:notes"'),
        ({"channel": b"notes"}, 'RedisBus: channel must be a name, such as "picomcp:notes"'),
        ({"max_pending": 0}, "RedisBus: max_pending must be an int of 1 or more"),
        ({"max_pending": 2.5}, "RedisBus: max_pending must be an int of 1 or more"),
        ({"health_check_interval": 0}, "RedisBus: health_check_interval must be a number of seconds above 0"),
        (
            {"health_check_interval": float("nan")},
            "RedisBus: health_check_interval must be a number of seconds above 0",
        ),
        ({"health_check_interval": "15"}, "RedisBus: health_check_interval must be a number of seconds above 0"),
    ],
)
def test_options_that_cannot_work(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        RedisBus(**options)
    assert str(error.value) == message


def test_without_the_redis_package_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['redis'] = None\n"
        "from picomcp_py import ConfigError\n"
        "from picomcp_py.bus import RedisBus\n"
        "try: RedisBus()\n"
        "except ConfigError as error: print(error)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, encoding="utf-8")
    assert answer.stderr == ""
    assert answer.stdout == "RedisBus needs the redis package: pip install 'picomcp-py[redis]'\n"


def test_the_redis_package_is_imported_when_a_bus_is_made() -> None:
    code = "import sys; from picomcp_py.bus import RedisBus; print('redis' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    assert answer.stdout == "False\n"


def test_the_names_of_the_room() -> None:
    assert sorted(picomcp_py.bus.__all__) == ["Bus", "Change", "LocalBus", "RedisBus"]
    for name in picomcp_py.bus.__all__:
        assert getattr(picomcp_py.bus, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'KafkaBus'"):
        picomcp_py.bus.KafkaBus  # noqa: B018 # looking it up is the test
