"""The published JSON Schemas of the protocol, as checks of single messages. They lie beside the checkout, if at all.

The schemas allow members that they don't name. Here a member that a revision doesn't name is a fault: a peer of that
revision has no use for it. Left open is what the specification leaves to the author, and content blocks: a tool wrote
them, and what a later revision added to them (`_meta`, icons) is for old clients one more member to ignore.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for

FOLDER = Path(__file__).parents[2] / "../shared/wire-schemas"

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
REVISIONS = (*HANDSHAKE, STATELESS)

RESULTS = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "completion/complete": "CompleteResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}
NOTIFICATIONS = {
    "notifications/message": "LoggingMessageNotification",
    "notifications/progress": "ProgressNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "notifications/cancelled": "CancelledNotification",
}

AUTHORS_SCHEMAS = ("inputSchema", "outputSchema")
AUTHORS_DATA = ("structuredContent", "data", *AUTHORS_SCHEMAS)
"""Members in which null is the author's own: structured values, log data and the data of errors, schemas."""


def faults(revision: str, message: dict[str, Any], method: str | None) -> list[str]:
    """What is wrong with a message from a server; `method` is that of the request which a reply answers."""
    found = [f"{path}: null" for path in nulls(message)]
    for kind, part in _kinds(revision, message, method):
        errors = _validator(revision, kind).iter_errors(part)
        found += [f"{kind} {error.json_path}: {error.message[:300]}" for error in errors]
    for tool in message.get("result", {}).get("tools", ()):
        for key in AUTHORS_SCHEMAS:
            Draft202012Validator.check_schema(tool.get(key, {}))
    return found


def nulls(value: Any, path: str = "$") -> Iterator[str]:
    """Where null stands, apart from an author's own data."""
    if value is None:
        yield path
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from nulls(item, f"{path}[{number}]")
    elif isinstance(value, dict):
        for key, member in value.items():
            if key not in AUTHORS_DATA:
                yield from nulls(member, f"{path}.{key}")


def _kinds(revision: str, message: dict[str, Any], method: str | None) -> Iterator[tuple[str, Any]]:
    """The names of the definitions that a message and its parts have to meet."""
    new = revision >= "2025-11-25"
    if "error" in message:
        # Older definitions require an id, which an unreadable request doesn't tell.
        yield ("JSONRPCErrorResponse", message) if new else ("JSONRPCError", {"id": "", **message})
    elif "result" in message:
        yield ("JSONRPCResultResponse" if new else "JSONRPCResponse"), message
        assert method, f"a reply to nothing: {message}"
        yield RESULTS[method], message["result"]
        if RESULTS[method] == "EmptyResult":
            assert message["result"] == {}
    else:
        yield "JSONRPCNotification", message
        # Older definitions of notifications leave the member `jsonrpc` to the one before.
        part = message if new else {key: value for key, value in message.items() if key != "jsonrpc"}
        yield NOTIFICATIONS[message["method"]], part


@functools.cache
def _validator(revision: str, kind: str) -> Validator:
    document = _document(revision)
    home = "$defs" if "$defs" in document else "definitions"
    assert kind in document[home], f"{revision} has no {kind}"
    schema = {"$schema": document["$schema"], "$ref": f"#/{home}/{kind}", home: document[home]}
    found = validator_for(schema)
    return found(schema, format_checker=found.FORMAT_CHECKER)


@functools.cache
def _document(revision: str) -> dict[str, Any]:
    if not FOLDER.is_dir():
        pytest.skip("the published wire schemas are not beside the checkout")
    document: dict[str, Any] = json.loads((FOLDER / f"{revision}.json").read_text("utf-8"))
    definitions = document.get("$defs") or document["definitions"]
    for name, definition in definitions.items():
        if name not in OPEN and "allOf" not in definition:
            _close(definition)
    return document


BLOCKS = ("TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource")
OPEN = (
    *("JSONRPCNotification", "Notification", "MetaObject", "ResultMetaObject", "NotificationMetaObject"),
    *BLOCKS,
    *("Annotations", "Annotated", "ResourceContents", "TextResourceContents", "BlobResourceContents"),
)


def _close(schema: Any) -> None:
    """Forbid members that aren't named, in place."""
    if isinstance(schema, list):
        for item in schema:
            _close(item)
    elif isinstance(schema, dict):
        if schema.get("properties") and "additionalProperties" not in schema:
            schema["additionalProperties"] = False
        for key, part in schema.items():
            if key == "properties":
                for name, member in part.items():
                    if name not in AUTHORS_SCHEMAS:
                        _close(member)
            elif key in ("items", "anyOf", "oneOf"):
                _close(part)
