"""The words for a value that doesn't fit the tool's output schema: short ones for the client, more in the log."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any

from msgspec import Struct

from ..content import is_block
from ..content_checks import received
from ..jsontext import decode_json, encode_json
from ..log import log
from ..schemas.schema import Issue, Path, Schema, render_issues, render_path

MAX_ISSUES = 50
"""Issues in one text; a list of thousands of wrong items must not become thousands of lines for a model."""
_EXCERPT = 80


def describe_misfit(tool: str, issues: Sequence[Issue], value: Any, output: Schema[Any] | None) -> str:
    """The tool error's text. Without issues and schema: the result has no structured part at all."""
    lines = [f'Tool "{tool}" returned a value that does not fit its output schema:']
    if issues:
        lines.append(render_issues([_with_number(issue, value) for issue in issues[:MAX_ISSUES]]))
    if len(issues) > MAX_ISSUES:
        lines.append(f"and {len(issues) - MAX_ISSUES} more")
    if hint := _hint(value, output):
        lines.append(hint)
    return "\n".join(lines)


def log_details(tool: str, issues: Sequence[Issue], encoded: bytes) -> None:
    """One line an issue for the developer: field, fault, type and a short excerpt of what was there."""
    data = decode_json(encoded)
    details = []
    for issue in issues[:MAX_ISSUES]:
        found = _at(data, issue.path)
        excerpt = "" if found is _NOTHING else encode_json(found).decode()
        if len(excerpt) > _EXCERPT:
            excerpt = excerpt[:_EXCERPT] + "..."
        kind = "nothing there" if found is _NOTHING else f"{received(found)} {excerpt}"
        details.append(f"{render_path(issue.path) or '(root)'}: {issue.message}: {kind}")
    log().error("tool %s returned a value that does not fit its output schema:\n%s", tool, "\n".join(details))


def _hint(value: Any, output: Schema[Any] | None) -> str:
    """What to do for values that look like content where data was promised."""
    if isinstance(value, dict) and "structuredContent" in value and "content" in value:
        return (
            "With an output schema the returned value is the data: return result(content=..., structured=...) "
            "to send content of your own beside it."
        )
    if output is None or _is_content(value):
        returned = "content"
    elif value is None or isinstance(value, str):
        if not _wants_object(output):
            return ""
        returned = "nothing" if value is None else "text"
    else:
        return ""
    return (
        f"The structured output is missing: the tool returned {returned}. "
        "Return the data, or result(content=..., structured=...) for both."
    )


def _is_content(value: Any) -> bool:
    if isinstance(value, dict) and isinstance(value.get("content"), list):
        value = value["content"]
    return any(map(is_block, value)) if isinstance(value, list | tuple) else is_block(value)


def _wants_object(output: Schema[Any]) -> bool:
    return output.json_schema("output").get("type") == "object"


def _with_number(issue: Issue, value: Any) -> Issue:
    """NaN is null in JSON: an issue about such a null says what it was."""
    found = _at(value, issue.path)
    if not isinstance(found, float) or isfinite(found):
        return issue
    name = "NaN" if isnan(found) else "Infinity" if found > 0 else "-Infinity"
    return Issue(f"{issue.message} (the value is {name}, which JSON does not have)", issue.path)


_NOTHING = object()


def _at(value: Any, path: Path) -> Any:
    """What is at a path of JSON names in a returned value, as far as it can be followed."""
    for key in path:
        if isinstance(value, dict):
            value = value.get(key, _NOTHING)
        elif isinstance(value, list | tuple) and isinstance(key, int):
            value = value[key] if key < len(value) else _NOTHING
        elif isinstance(value, Struct):
            names = dict(zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True))
            value = getattr(value, names.get(str(key), ""), _NOTHING)
        else:
            value = getattr(value, str(key), _NOTHING)
    return value
