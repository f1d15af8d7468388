"""One result, as each revision wants it.

Inside the library a result has its 2026-07-28 form. For that revision it is stamped with what every result must carry;
for older ones it goes through a sieve: what they don't know is left out, wrapped or replaced.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import deepcopy
from typing import Any

from msgspec import UNSET, Raw, Struct, to_builtins

from ..content import Text
from ..jsontext import encode_json
from ..offered.config import ServerOptions
from ..offered.result import CallResult
from ..revisions import STATELESS, has, keep
from ..schemas.subschemas import children, walk
from .methods import SERVER_INFO_KEY

WRAPPED = "result"
"""The member that holds a structuredContent which is no object, for revisions that want one."""


def capabilities(features: Collection[str], *, pushes: bool) -> dict[str, Any]:
    """ServerCapabilities. `pushes`: changes can be told to this client; without it, none are promised."""
    found: dict[str, Any] = {"logging": {}}
    if "completions" in features:
        found["completions"] = {}
    for feature in ("prompts", "resources", "tools"):
        if feature in features:
            found[feature] = {"listChanged": True} if pushes else {}
    if pushes and "resources" in features:
        found["resources"]["subscribe"] = True
    return found


def implementation(options: ServerOptions, revision: str) -> dict[str, Any]:
    """serverInfo."""
    members = {
        "name": options.name,
        "version": options.version,
        "title": options.title,
        "websiteUrl": options.website_url,
        "icons": options.icons,
    }
    return keep(revision, "implementation", {k: v for k, v in members.items() if v is not None})


class Stamp:
    """What every result of 2026-07-28 carries, made once a server."""

    def __init__(self, options: ServerOptions) -> None:
        self.meta = {SERVER_INFO_KEY: implementation(options, STATELESS[-1])}
        self.raw_meta = Raw(encode_json(self.meta))
        self.caching = {"ttlMs": options.ttl_ms, "cacheScope": options.cache_scope}
        self.options = options

    def hints(self, which: str) -> dict[str, Any]:
        """The cache hints of a list, or of "read" and "discover": its own, else the server's."""
        return {**self.caching, **(self.options.caching or {}).get(which, {})}

    def on_call(self, result: CallResult) -> CallResult:
        """Stamp a tools/call result, in place. The handler's own `_meta` keys win."""
        result.resultType = "complete"
        own = result.meta
        result.meta = {**self.meta, **own} if isinstance(own, dict) else self.raw_meta
        return result

    def on_result(self, result: dict[str, Any], hints: dict[str, Any] | None) -> dict[str, Any]:
        """Stamp any other result, with cache hints if it is a cacheable one. The handler's own `_meta` keys win."""
        own = result.get("_meta")
        meta = {**self.meta, **own} if isinstance(own, dict) else self.raw_meta
        return {**result, "resultType": "complete", **(hints or {}), "_meta": meta}

    def discover(self, features: Collection[str]) -> dict[str, Any]:
        """The DiscoverResult, not stamped yet."""
        found = capabilities(features, pushes=True)
        result: dict[str, Any] = {"supportedVersions": list(STATELESS), "capabilities": found}
        if self.options.instructions:
            result["instructions"] = self.options.instructions
        return result


def sieve_call(result: CallResult, revision: str, wraps: bool) -> CallResult:
    """A tools/call result for a handshake revision, in place. `wraps`: the tool's output is no object at its root."""
    structured = result.structuredContent
    if structured is not UNSET:
        raw = bytes(structured)
        if not has(revision, "result.structuredContent"):
            result.structuredContent = UNSET
        elif wraps or not raw.startswith(b"{"):
            result.structuredContent = Raw(b'{"%b":%b}' % (WRAPPED.encode(), raw))
    if not has(revision, "block.resource_link"):
        result.content = [_old_block(block, revision) for block in result.content]
    return result


def sieve_result(result: dict[str, Any], revision: str) -> dict[str, Any]:
    """Any other result for a handshake revision."""
    messages = result.get("messages")
    if messages is not None and not has(revision, "block.resource_link"):
        kept = [{**message, "content": _old_block(message["content"], revision)} for message in messages]
        return {**result, "messages": kept}
    return result


def list_entry(kind: str, entry: dict[str, Any], revision: str) -> dict[str, Any]:
    """An entry of a list for a revision: the rows `kind.member` of SINCE."""
    kept = keep(revision, kind, entry)
    if "arguments" in kept:
        kept["arguments"] = [keep(revision, "argument", argument) for argument in kept["arguments"]]
    if kind == "resource" and "annotations" in kept:
        kept["annotations"] = keep(revision, "annotations", kept["annotations"])
    return kept


def _old_block(block: Any, revision: str) -> Any:
    """The block, or one that says the same in kinds that old clients know: they fail on a kind they don't know."""
    plain = to_builtins(block) if isinstance(block, Struct) else block
    kind = plain.get("type")
    if kind == "resource_link":
        name = plain.get("title") or plain["name"]
        return Text(f"{name}: {plain['uri']}")
    if kind == "audio" and not has(revision, "block.audio"):
        contents = {"uri": "data:" + plain["mimeType"], "mimeType": plain["mimeType"], "blob": plain["data"]}
        return {"type": "resource", "resource": contents}
    return block


def tool_entry(entry: dict[str, Any], revision: str, wraps: bool) -> dict[str, Any]:
    """A tools/list entry for a revision."""
    kept = keep(revision, "tool", entry)
    if wraps and "outputSchema" in kept and not has(revision, "structured.any"):
        kept["outputSchema"] = wrap_schema(kept["outputSchema"])
    return kept


def wrap_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of `{"result": value}`, a copy. References from the root keep pointing at what they did."""
    inner = deepcopy(schema)
    _move_refs(inner)
    wrapped: dict[str, Any] = {"type": "object", "properties": {WRAPPED: inner}, "required": [WRAPPED]}
    if "$schema" in inner:  # only a root may name the dialect
        wrapped = {"$schema": inner.pop("$schema"), **wrapped}
    return wrapped


def _move_refs(root: dict[str, Any]) -> None:
    """In place: `#` and `#/...` lead below the new root. What has its own `$id` has its own root."""
    todo: list[Any] = [root]
    done: set[int] = set()
    while todo:
        node = todo.pop()
        if not isinstance(node, dict) or id(node) in done or isinstance(node.get("$id"), str):
            continue
        done.add(id(node))
        for key in ("$ref", "$dynamicRef"):
            ref = node.get(key)
            if isinstance(ref, str) and (ref == "#" or ref.startswith("#/")):
                node[key] = f"#/properties/{WRAPPED}{ref[1:]}"
                todo.append(walk(root, ref[1:]))  # it may stand where a schema is only by being referred to
        todo += [sub for _, sub in children(node)]
