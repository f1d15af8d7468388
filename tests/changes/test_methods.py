"""What a server offers is what it declares and serves: also after its first resource or prompt came while it serves."""

from __future__ import annotations

from typing import Any

import pytest

from picomcp_py import Server, pico
from tests.peer import EVERY, HANDSHAKE, MODERN, Peer, connected
from tests.transports.http.driver import ask, connect, modern, request

pytestmark = pytest.mark.anyio

NEEDS = {
    "prompts": ["prompts/list", "prompts/get"],
    "resources": ["resources/list", "resources/templates/list", "resources/read"],
    "completions": ["completion/complete"],
}
FOLLOWING = ["resources/subscribe", "resources/unsubscribe"]


def tools_only() -> Server:
    return pico({"name": "test"}).tool("tool", run=lambda: None)


async def declared(peer: Peer) -> dict[str, Any]:
    if peer.revision == MODERN:
        result = (await peer.request("server/discover"))["result"]
    else:
        params = {"protocolVersion": peer.revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        result = (await peer.request("initialize", params))["result"]
    capabilities: dict[str, Any] = result["capabilities"]
    return capabilities


async def codes(peer: Peer, methods: list[str], params: Any) -> set[int | None]:
    return {(await peer.request(method, params)).get("error", {}).get("code") for method in methods}


@pytest.mark.parametrize("revision", EVERY)
async def test_what_is_not_offered_is_not_declared_and_not_found(revision: str) -> None:
    """Before the params are looked at: an older client tells by -32601 that there is no such thing here."""
    async with connected(tools_only(), revision) as peer:
        assert await declared(peer) == {"logging": {}, "tools": {"listChanged": True}}
        methods = [method for kind in NEEDS.values() for method in kind] + FOLLOWING
        for params in ({}, {"cursor": 5, "uri": 5, "name": []}, {"uri": "note://1", "name": "x"}):
            assert await codes(peer, methods, params) == {-32601}
        assert (await peer.request("prompts/list"))["error"]["message"] == "Method not found: prompts/list"


@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("uri", ["note://1", "note://{x}"])
async def test_the_first_resource_makes_the_methods_and_the_capability(revision: str, uri: str) -> None:
    server = tools_only()
    async with connected(server, revision) as peer:
        assert await codes(peer, ["resources/list"], {}) == {-32601}
        server.resource(uri, read=lambda: "held")
        assert await codes(peer, ["resources/list", "resources/templates/list"], {}) == {None}
        assert (await peer.request("resources/read", {"uri": "note://1"}))["result"]["contents"][0]["text"] == "held"
        assert await codes(peer, FOLLOWING, {"uri": "note://1"}) == {-32601 if revision == MODERN else None}
        assert await codes(peer, NEEDS["prompts"], {}) == {-32601}
        found = await declared(peer)
        assert found["resources"] == {"listChanged": True, "subscribe": True}
        assert "prompts" not in found
        assert ("completions" in found) is ("{" in uri and revision >= "2025-03-26")
        server.remove_resource(uri)  # clients were told of the capability: it stays, with an empty list
        assert (await peer.request("resources/list"))["result"]["resources"] == []


@pytest.mark.parametrize("revision", EVERY)
async def test_the_first_prompt_makes_the_methods_and_the_capability(revision: str) -> None:
    server = tools_only()
    async with connected(server, revision) as peer:
        assert await codes(peer, [*NEEDS["prompts"], *NEEDS["completions"]], {}) == {-32601}
        server.prompt("prompt", {"input": {"type": "object", "properties": {"a": {}}}, "run": lambda: "said"})
        assert (await peer.request("prompts/get", {"name": "prompt"}))["result"]["messages"]
        ref = {"ref": {"type": "ref/prompt", "name": "prompt"}, "argument": {"name": "a", "value": ""}}
        assert await codes(peer, NEEDS["completions"], ref) == {None}
        assert await codes(peer, NEEDS["resources"], {}) == {-32601}
        found = await declared(peer)
        assert found["prompts"] == {"listChanged": True}
        assert "resources" not in found
        server.remove_prompt("prompt")
        assert (await peer.request("prompts/list"))["result"]["prompts"] == []
        assert (await peer.request("prompts/get", {"name": "prompt"}))["error"]["code"] == -32602


async def test_methods_that_are_not_found_have_their_status() -> None:
    """404 at 2026-07-28; in the handshake era the error is the answer to a good POST."""
    server = tools_only()
    app = server.asgi()
    client = await connect(app)
    for kind in NEEDS.values():
        for method in kind:
            missing = await ask(app, **modern(method, {"uri": 5}))
            assert (missing.status, missing.json["error"]["code"]) == (404, -32601)
            older = await client.ask(request(method))
            assert (older.status, older.reply["error"]["code"]) == (200, -32601)
    server.prompt("prompt", run=lambda: "said")
    assert (await ask(app, **modern("prompts/list"))).status == 200
    missing = await ask(app, **modern("resources/subscribe", {}))
    assert (missing.status, missing.json["error"]["code"]) == (404, -32601)


async def test_errors_of_what_is_offered_are_answers() -> None:
    """Status 200: a client that sees another may take the server for one of the handshake era."""
    server = tools_only().prompt("prompt", run=lambda: "said").resource("note://{x}", read=lambda: None)
    app = server.asgi()
    cases: list[tuple[str, dict[str, Any]]] = [
        ("prompts/get", {"name": "nope"}),
        ("resources/read", {"uri": "nope://"}),
        ("resources/read", {"uri": "note://none"}),
        ("resources/list", {"cursor": "junk"}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}),
    ]
    for method, params in cases:
        header = params.get("uri") or params.get("name")
        answered = await ask(app, **modern(method, params, headers={"Mcp-Name": header} if header else None))
        assert (answered.status, answered.json["error"]["code"]) == (200, -32602), method


@pytest.mark.parametrize(
    ("method", "params", "name"),
    [("resources/read", {"uri": "note://1"}, "note://1"), ("prompts/get", {"name": "prompt"}, "prompt")],
)
async def test_what_is_asked_for_stands_in_a_header_too(method: str, params: dict[str, str], name: str) -> None:
    server = tools_only().prompt("prompt", run=lambda: "said").resource("note://{x}", read=lambda: "held")
    app = server.asgi()
    for header, status in ((name, 200), (None, 400), ("other", 400)):
        answered = await ask(app, **modern(method, params, headers={"Mcp-Name": header}))
        assert answered.status == status
        if status == 400:
            assert answered.json["error"]["code"] == -32020


@pytest.mark.parametrize("revision", HANDSHAKE)
async def test_a_bad_template_of_arguments_names_what_is_missing(revision: str) -> None:
    schema = {"type": "object", "properties": {"a": {}, "b": {"type": "string"}}, "required": ["a", "b"]}
    server = pico({"name": "test"}).prompt("prompt", {"input": schema, "run": lambda: "said"})
    async with connected(server, revision) as peer:
        error = (await peer.request("prompts/get", {"name": "prompt"}))["error"]
        assert error["code"] == -32602
        first, *lines = error["message"].split("\n")
        assert first == 'Invalid arguments for prompt "prompt":'
        assert [line.split(":")[0] for line in lines] == ["a", "b"]
