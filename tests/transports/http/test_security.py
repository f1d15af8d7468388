"""Who is let in: Host, Origin, CORS, and the options that say so."""

from __future__ import annotations

from typing import Any

import pytest

from picomcp_py import ConfigError
from picomcp_py.transports.http import rules
from tests.transports.http.driver import ask, exchange, initialize, modern
from tests.transports.http.servers import make

pytestmark = pytest.mark.anyio

DEFAULT: dict[str, Any] = {}
NAMED = {"allowedHosts": ["mcp.example.com", "other.example.com:8443"]}
PAGES = {"allowedOrigins": ["https://App.example.com/"]}
OPEN = {"allowedHosts": ["*"], "allowedOrigins": ["*"]}

ROWS: list[tuple[dict[str, Any], str | None, str | None, int]] = [
    (DEFAULT, "localhost", None, 200),
    (DEFAULT, "localhost:3000", None, 200),
    (DEFAULT, "LOCALHOST:3000", None, 200),
    (DEFAULT, "127.0.0.1", None, 200),
    (DEFAULT, "[::1]:3000", None, 200),
    (DEFAULT, "[::1]", None, 200),
    (DEFAULT, "evil.test", None, 421),
    (DEFAULT, "evil.test:3000", None, 421),
    (DEFAULT, "localhost.evil.test", None, 421),
    (DEFAULT, "127.0.0.1.evil.test", None, 421),
    (DEFAULT, "localhost:evil.test", None, 421),
    (DEFAULT, "", None, 421),
    (DEFAULT, None, None, 421),
    (DEFAULT, "localhost", "http://localhost:5173", 200),
    (DEFAULT, "localhost", "https://127.0.0.1", 200),
    (DEFAULT, "localhost", "http://[::1]:8080", 200),
    (DEFAULT, "localhost", "http://evil.test", 403),
    (DEFAULT, "localhost", "http://localhost.evil.test", 403),
    (DEFAULT, "localhost", "http://localhost@evil.test", 403),
    (DEFAULT, "localhost", "file://localhost", 403),
    (DEFAULT, "localhost", "null", 403),
    (DEFAULT, "localhost", "", 403),
    (NAMED, "mcp.example.com", None, 200),
    (NAMED, "mcp.example.com:443", None, 200),
    (NAMED, "other.example.com:8443", None, 200),
    (NAMED, "other.example.com", None, 421),
    (NAMED, "localhost", None, 421),
    (NAMED, "mcp.example.com", "https://mcp.example.com", 200),
    (NAMED, "mcp.example.com", "http://localhost", 403),
    (PAGES, "localhost", "https://app.example.com", 200),
    (PAGES, "localhost", "https://APP.example.com", 200),
    (PAGES, "localhost", "http://app.example.com", 403),
    (PAGES, "localhost", "https://app.example.com:444", 403),
    (PAGES, "localhost", "http://localhost:1", 200),
    (OPEN, "anything.test", "http://evil.test", 200),
    (OPEN, None, "null", 200),
    ({"cors": ["https://app.example.com"]}, "localhost", "https://app.example.com", 200),
    ({"cors": ["https://app.example.com"], **PAGES}, "localhost", "https://app.example.com", 200),
    ({"cors": ["https://app.example.com"]}, "localhost", "https://evil.test", 403),
]


@pytest.mark.parametrize(("options", "host", "origin", "status"), ROWS)
async def test_hosts_and_origins(options: dict[str, Any], host: str | None, origin: str | None, status: int) -> None:
    app = make().asgi(options)
    given = modern("tools/list", headers={"Host": host, "Origin": origin})
    for _ in range(2):  # what was let in is remembered
        answered = await ask(app, **given)
        assert answered.status == status
    if status != 200:
        assert ("allowedHosts" if status == 421 else "allowedOrigins") in answered.json["error"]["message"]
        assert "id" not in answered.json


async def test_clients_that_take_turns_are_each_judged_by_their_own_headers() -> None:
    app = make().asgi({"allowedHosts": ["mcp.example.com"]})
    hosts = ["mcp.example.com", "mcp.example.com", "evil.test", "mcp.example.com:80", "mcp.example.com"] * 3
    statuses = [(await ask(app, **modern("tools/list", headers={"Host": host}))).status for host in hosts]
    assert statuses == [200, 200, 421, 200, 200] * 3


async def test_what_is_remembered_is_bounded() -> None:
    app = make().asgi()
    for port in range(rules.MAX_KNOWN + 10):
        assert (await ask(app, **modern("tools/list", headers={"Host": f"localhost:{port}"}))).status == 200
    assert 0 < len(app._guard._known) <= rules.MAX_KNOWN
    assert (await ask(app, **modern("tools/list", headers={"Host": "evil.test"}))).status == 421


async def test_long_values_are_not_remembered() -> None:
    app = make().asgi()
    assert (await ask(app, **modern("tools/list", headers={"Accept": "*/*" + ", a/b" * 1000}))).status == 200
    assert not app._guard._known


@pytest.mark.parametrize("name", ["Authorization", "Cookie"])
async def test_credentials_are_not_remembered(name: str) -> None:
    app = make().asgi()
    assert (await ask(app, **modern("tools/list", headers={name: "Bearer secret"}))).status == 200
    assert not app._guard._known


async def test_headers_may_come_as_lists() -> None:
    app = make().asgi()
    one = exchange(app, **modern("tools/list"))
    one._scope["headers"] = [list(pair) for pair in one._scope["headers"]]
    await one.run()
    assert one.status == 200
    assert len(app._guard._known) == 1


PAGE = "https://app.example.com"
ASKED = "mcp-protocol-version, mcp-session-id, mcp-method, mcp-param-region, last-event-id, authorization, content-type"


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
async def test_a_preflight_allows_what_clients_send(method: str) -> None:
    app = make().asgi(cors=[PAGE])
    preflight = {
        "Origin": PAGE,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": ASKED,
    }
    answered = await ask(app, method="OPTIONS", headers=preflight)
    assert answered.status == 200
    assert answered.headers["access-control-allow-origin"] == PAGE
    assert method in answered.headers["access-control-allow-methods"]
    allowed = {name.strip() for name in answered.headers["access-control-allow-headers"].split(",")}
    assert allowed >= set(ASKED.split(", "))
    assert "access-control-allow-credentials" not in answered.headers
    assert not app._places
    refused = await ask(app, method="OPTIONS", headers={**preflight, "Origin": "https://evil.test"})
    assert refused.status == 400
    assert "access-control-allow-origin" not in refused.headers


async def test_pages_may_read_answers_errors_and_the_session_id() -> None:
    app = make().asgi(cors=[PAGE])
    given: list[tuple[dict[str, Any], int]] = [
        ({"body": initialize()}, 200),
        ({"body": initialize(), "headers": {"Content-Type": "text/plain"}}, 415),
        ({"body": b"x" * 5_000_000}, 413),
        ({"method": "GET"}, 405),
    ]
    for one, status in given:
        answered = await ask(app, **{**one, "headers": {"Origin": PAGE, **one.get("headers", {})}})
        assert answered.status == status
        assert answered.headers["access-control-allow-origin"] == PAGE
        assert "mcp-session-id" in answered.headers["access-control-expose-headers"].lower()


async def test_without_cors_no_header_lets_a_page_read() -> None:
    answered = await ask(make().asgi(PAGES), initialize(), headers={"Origin": PAGE})
    assert answered.status == 200
    assert not [name for name in answered.headers if name.startswith("access-control")]
    assert (await ask(make().asgi(PAGES), method="OPTIONS", headers={"Origin": PAGE})).status == 405


WRONG = [
    ({"allowedHost": []}, '"allowedHost": did you mean "allowedHosts"'),
    ({"allowedHosts": "localhost"}, '"allowedHosts" must be a list of strings'),
    ({"cors": True}, '"cors" must be a list of strings'),
    ({"path": "mcp"}, '"path" must begin with "/"'),
    ({"sessions": 1}, '"sessions" must be True or False'),
    ({"maxSessions": 0}, '"maxSessions" must be an integer of at least 1'),
    ({"maxBodyBytes": "1"}, '"maxBodyBytes" must be an integer of at least 1'),
    ({"sessionIdleSeconds": 0}, '"sessionIdleSeconds" must be above 0'),
    ({"keepAliveSeconds": -1}, '"keepAliveSeconds" must be above 0'),
    ({"eventStore": {}}, '"eventStore" must be a function'),
]


@pytest.mark.parametrize(("options", "said"), WRONG)
def test_an_option_that_can_not_work_is_an_error(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        make().asgi(options)
    assert said in str(raised.value)
    assert str(raised.value).startswith("asgi(): ")


def test_the_path_of_routes_is_checked() -> None:
    with pytest.raises(ConfigError, match='the path must begin with "/"'):
        make().routes("mcp")
