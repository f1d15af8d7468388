"""What the adapters of type libraries share: tidying generated JSON Schemas, merging two reports of a failure.

Tidying (`tidy`) makes any generated schema fit for a client that has never heard of the library: no `$ref` at the root,
no dangling or needless `$defs`, no OpenAPI `discriminator`, tuples that are closed, patterns that ECMA-262 can read.

Merging (`merge`): after a failure two parties know something. The library knows *where* it refused, and what its
author's own validators said. The `Explainer` knows the words, the same for every kind of schema, and finds every fault
that JSON Schema can express. Rules: the Explainer's words win where both speak of one place; an author's own words win
over both; what only the library knows is added; what the library accepts is no fault, whatever the schema says.

Non-goals: generating schemas, validating.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from ...errors import ConfigError
from ...jsontext import decode_json, encode_json
from ..explain import MAX_ISSUES
from ..patterns import to_python
from ..schema import Invalid, Issue, Path
from ..subschemas import every

_COMBINED = ("anyOf", "oneOf", "allOf", "prefixItems")
# Keywords that may stand beside an inlined definition without changing what is valid.
_ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
_MAX_MESSAGE = 300
MAX_COMPLAINTS = 500  # well above the number of issues that are told; a list of 100,000 faults need not be gone through
TOO_DEEP = Invalid((Issue("Invalid input: nested too deeply"),))


class Complaint(Struct, frozen=True):
    """A library's own word on a fault.

    `authored`: the text comes from the author of the type (a validator). `union`: the place of the union of which this
    is one member's complaint, if it is one: whatever is explained inside that union explains this as well.
    """

    message: str
    path: Path = ()
    authored: bool = False
    union: Path | None = None

    def is_told_by(self, path: Path) -> bool:
        """Is an issue at `path` about this fault?"""
        if self.authored:
            return path == self.path
        return related(path, self.path if self.union is None else self.union)


def shorten(text: str) -> str:
    """At most 300 characters: an author's message may echo the value, which may be a megabyte."""
    text = text.strip()
    return text if len(text) <= _MAX_MESSAGE else text[: _MAX_MESSAGE - 3] + "..."


def merge(
    explained: Sequence[Issue], complaints: Sequence[Complaint], accepted: Callable[[Path], bool]
) -> tuple[Issue, ...]:
    """One list of issues, in schema order; never empty if there is a complaint.

    `explained` is in schema order, `complaints` in the library's. `accepted(path)`: is the library content there?
    """
    authored = {c.path for c in complaints if c.authored}
    issues = [i for i in explained if i.path not in authored and not accepted(i.path)]
    after = 0
    for complaint in complaints:
        covered = [index for index, issue in enumerate(issues) if complaint.is_told_by(issue.path)]
        same = Issue(shorten(complaint.message), complaint.path)
        if covered and not complaint.authored:
            after = covered[-1] + 1
        elif same not in issues:
            issues.insert(after, same)
            after += 1
    if len(issues) > MAX_ISSUES + 1:
        issues[MAX_ISSUES:] = [Issue(f"Only the first {MAX_ISSUES} issues are listed")]
    return tuple(issues)


def related(a: Path, b: Path) -> bool:
    """Is one path the other or within it?"""
    shared = min(len(a), len(b))
    return a[:shared] == b[:shared]


def tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema, self-contained and of plain JSON values. Changes `schema`.

    Raises ConfigError for a pattern or a reference that can't work, and for an author's addition that isn't JSON.
    """
    defs: dict[str, Any] = schema.pop("$defs", {})
    for _, node in every({"$defs": defs, "items": schema}):
        if "$ref" in node and _target(node) not in defs:
            raise ConfigError(f'the reference {node["$ref"]!r:.80} leads nowhere: only "#/$defs/..." of its own works')
    seen: set[str] = set()
    while (name := _target(schema)) is not None and name not in seen:
        seen.add(name)
        del schema["$ref"]
        schema = {**defs[name], **schema}
    for _, node in every({"$defs": defs, "items": schema}):
        _plain(node)
    used = _inline(schema, defs)
    if schema.get("type") == "object":
        schema.setdefault("properties", {})
    if used:
        schema["$defs"] = used
    try:
        plain: dict[str, Any] = decode_json(encode_json(schema))
    except TypeError as error:
        raise ConfigError(f"the JSON Schema holds something that is not JSON: {error}") from None
    return plain


def takes_any_number(schema: dict[str, Any]) -> bool:
    """Is there a place for a number that is no integer? (pydantic's reader takes NaN there, which is no JSON.)"""
    return any(_is_number_or_open(node) for _, node in every(schema))


def with_local_times(schema: dict[str, Any]) -> dict[str, Any]:
    """A copy that lets in times without an offset, as Python writes naive ones. RFC 3339 has no format for them."""
    loose = copy.deepcopy(schema)
    for _, node in every(loose):
        if node.get("format") in ("date-time", "time"):
            del node["format"]
    return loose


def _is_number_or_open(node: dict[str, Any]) -> bool:
    if node.get("additionalProperties") is True or "number" in node.get("type", ()):
        return True
    if node.get("type") == "array":
        return "items" not in node
    return not node.keys() & {"type", "$ref", "enum", "const", *_COMBINED}


def _plain(node: dict[str, Any]) -> None:
    node.pop("discriminator", None)
    if node.get("required") == []:
        del node["required"]
    prefix = node.get("prefixItems")
    if prefix and node.get("maxItems") == len(prefix):
        node.setdefault("items", False)
    if "pattern" in node:
        try:
            to_python(node["pattern"])
        except ValueError as error:
            raise ConfigError(
                f"the pattern {node['pattern']!r:.80} is not one that MCP clients can read: {error}"
            ) from None


def _inline(schema: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    """Puts definitions with one use where they are used (some clients drop `$defs`); returns those still needed."""
    while True:
        reachable = _reachable(schema, defs)
        uses: dict[str, list[dict[str, Any]]] = {}
        for root in (schema, *(defs[name] for name in reachable)):
            for _, node in every(root):
                if (name := _target(node)) is not None:
                    uses.setdefault(name, []).append(node)
        for name, nodes in uses.items():
            node = nodes[0]
            if len(nodes) == 1 and node.keys() - {"$ref"} <= _ANNOTATIONS and name not in _reachable(defs[name], defs):
                del node["$ref"]
                beside = dict(node)
                node.clear()
                node.update({**defs[name], **beside})
                break
        else:
            return {name: defs[name] for name in defs if name in reachable}


def _reachable(schema: dict[str, Any], defs: dict[str, Any]) -> set[str]:
    found: set[str] = set()
    todo = [schema]
    while todo:
        for _, node in every(todo.pop()):
            name = _target(node)
            if name is not None and name not in found:
                found.add(name)
                todo.append(defs[name])
    return found


def _target(node: dict[str, Any]) -> str | None:
    ref = node.get("$ref")
    return ref.removeprefix("#/$defs/") if isinstance(ref, str) else None
