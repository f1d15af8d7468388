"""The headers of a message, which repeat what its body says so that it can be routed without being read.

2026-07-28: MCP-Protocol-Version, Mcp-Method, Mcp-Name, and Mcp-Param-* for the arguments that a tool annotates
(https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#streamable-http). Before, only the revision
and the session's id. The message is read back from its bytes: what a header repeats is what was really encoded.
"""

from __future__ import annotations

import logging
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from ...errors import ConfigError
from ...jsontext import decode_json
from ...offered.param_headers import param_headers
from ...protocol.methods import VERSION_KEY
from ...revisions import LATEST
from ...transports.http.rules import NAMED_BY, encode_value

log = logging.getLogger("picomcp_py")

ACCEPT = "application/json, text/event-stream"


class _Meta(Struct):
    version: str | UnsetType = field(default=UNSET, name=VERSION_KEY)


class _Params(Struct):
    name: Any = UNSET
    uri: Any = UNSET
    arguments: Raw = Raw()
    cancelled: Any = field(default=UNSET, name="requestId")
    meta: _Meta | UnsetType = field(default=UNSET, name="_meta")


class Outgoing(Struct):
    """A message of ours: a request (id and method), a notification (method), or the answer to the server's request."""

    id: int | str | UnsetType = UNSET
    method: str | UnsetType = UNSET
    params: _Params | UnsetType = UNSET

    @property
    def is_request(self) -> bool:
        return self.id is not UNSET and self.method is not UNSET

    @property
    def version(self) -> str | None:
        """The revision that the envelope says; None without one."""
        if isinstance(self.params, _Params) and isinstance(self.params.meta, _Meta):
            return self.params.meta.version or None
        return None

    @property
    def cancels(self) -> Any:
        """The id of the request that this notification cancels."""
        return self.params.cancelled if isinstance(self.params, _Params) else UNSET


read_outgoing = msgspec.json.Decoder(Outgoing).decode


class ParamHeaders:
    """Which arguments of which tool are repeated in headers, as far as the tools have been listed."""

    def __init__(self) -> None:
        self._tools: dict[str, dict[str, tuple[str, ...]]] = {}

    def keep(self, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The tools that can be called: those with a broken annotation are left out, as the specification wants."""
        kept = []
        for tool in tools:
            schema, name = tool.get("inputSchema"), str(tool.get("name"))
            try:
                self._tools[name] = param_headers(schema) if isinstance(schema, dict) else {}
            except ConfigError as error:
                log.warning("the server's tool %.100r is left out: %s", name, error)
                continue
            kept.append(tool)
        return kept

    def knows(self, name: str) -> bool:
        return name in self._tools

    def headers(self, message: Outgoing) -> dict[str, str]:
        """The Mcp-Param-* headers of a tools/call."""
        params = message.params
        if not isinstance(params, _Params) or not isinstance(params.name, str):
            return {}
        annotated = self._tools.get(params.name)
        if not annotated or not bytes(params.arguments):
            return {}
        arguments = decode_json(params.arguments)
        found = {title: _at(arguments, path) for title, path in annotated.items()}
        return {f"Mcp-Param-{title}": encode_value(_text(value)) for title, value in found.items() if value is not None}


def stateless_headers(message: Outgoing, params: ParamHeaders) -> dict[str, str]:
    """The headers of a message at 2026-07-28."""
    headers = {"MCP-Protocol-Version": message.version or LATEST}
    method = message.method
    if isinstance(method, str):
        headers["Mcp-Method"] = encode_value(method)
        name = getattr(message.params, NAMED_BY.get(method, ""), UNSET)
        if isinstance(name, str):
            headers["Mcp-Name"] = encode_value(name)
        if method == "tools/call":
            headers |= params.headers(message)
    return headers


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
