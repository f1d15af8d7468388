"""What the tests of changes share: a server to change, listens, and what was told on them."""

from __future__ import annotations

from typing import Any

from picomcp_py import Server, pico
from tests.peer import Peer, envelope

KEY = "io.modelcontextprotocol/subscriptionId"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
UPDATED = "notifications/resources/updated"
TOOLS, PROMPTS, RESOURCES = (f"notifications/{kind}/list_changed" for kind in ("tools", "prompts", "resources"))
EVERYTHING = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
WITNESS = "witness"


def make(**options: Any) -> Server:
    """A server with one of each kind, and notes that can be followed."""
    server = pico(name="test", version="1", **options)
    server.tool("tool", run=lambda: "done", thread=False)
    server.prompt("prompt", run=lambda: "said", thread=False)
    server.resource("note://fixed", read=lambda: "held", thread=False)
    server.resource("note://{day}", read=lambda uri: uri, thread=False)
    return server


def change_each(server: Server) -> None:
    """Add one of each kind and take it away again, which are two changes each."""
    server.tool("extra", run=lambda: None).remove_tool("extra")
    server.prompt("extra", run=lambda: None).remove_prompt("extra")
    server.resource("extra://x", read=lambda: "").remove_resource("extra://x")


EACH = [TOOLS, TOOLS, PROMPTS, PROMPTS, RESOURCES, RESOURCES]


def start_listen(peer: Peer, id: Any, *uris: str, **wanted: Any) -> None:
    """Send a subscriptions/listen with the envelope, whatever the peer's revision is."""
    notifications = {**wanted, **({"resourceSubscriptions": list(uris)} if uris else {})}
    params = {"_meta": envelope(), "notifications": notifications}
    peer.send({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})


def told(peer: Peer, id: Any) -> list[tuple[str, str | None]]:
    """What a listen was told, after its acknowledgement: method and URI."""
    mine = []
    for message in peer.messages:
        params = message.get("params", {})
        tag = params.get("_meta", {}).get(KEY)
        if tag == id and type(tag) is type(id):
            mine.append((message["method"], params.get("uri")))
    assert not mine or mine[0][0] == ACKNOWLEDGED
    return mine[1:]


def methods(peer: Peer, id: Any) -> list[str]:
    return [method for method, _ in told(peer, id)]


def untagged(peer: Peer) -> list[tuple[str, str | None]]:
    """What a handshake session was told."""
    return [
        (message["method"], message.get("params", {}).get("uri"))
        for message in peer.messages
        if "method" in message and "_meta" not in message.get("params", {})
    ]


async def listen(peer: Peer, id: Any, *uris: str, **wanted: Any) -> dict[str, Any]:
    """A listen; gives what is honoured of it."""
    start_listen(peer, id, *uris, **wanted)
    found = await peer.until(
        lambda m: m.get("method") == ACKNOWLEDGED and m["params"]["_meta"] == {KEY: id}
        and type(m["params"]["_meta"][KEY]) is type(id)
    )  # fmt: skip
    honoured: dict[str, Any] = found["params"]["notifications"]
    return honoured


async def settled(peer: Peer, server: Server) -> None:
    """Until all that was changed so far has been told: the last listener hears last."""
    uri = f"witness://{len(peer.messages)}"
    start_listen(peer, WITNESS, uri)
    server.notify_resource(uri)
    await peer.until(lambda m: m.get("method") == UPDATED and m["params"]["uri"] == uri)
    peer.cancel(WITNESS)
