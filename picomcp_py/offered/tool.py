"""One tool: its config checked when it is registered, and everything a call needs computed then.

Every mistake is a ConfigError that names the tool, the key and the fix, when the server starts and not when a model
calls (https://modelcontextprotocol.io/specification/2026-07-28/server/tools).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ..errors import ConfigError
from ..jsontext import decode_json, encode_json
from ..schemas.schema import Invalid, Issue, Schema, Valid, schema_of, unreadable
from .config import check_icons, check_keys, check_meta, check_type, plain_icons
from .handler import arity, refuse_generator, runs_in_loop
from .param_headers import param_headers

KEYS = (
    "description",
    "title",
    "input",
    "output",
    "annotations",
    "run",
    "icons",
    "meta",
    "tags",
    "timeout",
    "thread",
    "coerce",
)
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
NO_INPUT: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")

Outcome = Valid[Any] | Invalid
Check = Callable[[bytes], Outcome | Awaitable[Outcome]]


class Tool:
    """A registered tool. `entry` is how tools/list shows it at 2026-07-28; older revisions are shaped from that."""

    __slots__ = (
        "arity",
        "check",
        "entry",
        "headers",
        "in_loop",
        "input",
        "movable",
        "name",
        "output",
        "plain",
        "run",
        "tags",
        "threaded",
        "timeout",
        "wraps",
    )

    def __init__(self, name: str, config: Mapping[str, Any], *, coerce: bool = False) -> None:
        where = f'tool "{name}"'
        check_config(name, config)
        self.name = name
        self.run: Callable[..., Any] = config["run"]
        self.arity = arity(self.run, where)
        refuse_generator(self.run, where)
        self.in_loop = runs_in_loop(self.run)
        self.movable = config.get("thread") is not False
        """Whether a worker thread may do what the tool's own code does: large arguments are validated there."""
        self.threaded = config.get("thread") is not False and not self.in_loop
        self.timeout: float | None = config.get("timeout")
        self.plain = not self.threaded and self.timeout is None
        """Whether `run` is called in the loop, and nothing else is to be done about it."""
        if self.timeout is not None and not self.threaded and not self.in_loop:
            raise ConfigError(
                f'{where}: "timeout" can\'t stop a def handler that runs in the event loop: make "run" async def, or '
                'drop "thread": False'
            )
        self.tags: tuple[str, ...] = tuple(config.get("tags") or ())
        self.input = _schema(where, "input", config.get("input"))
        self.output = _schema(where, "output", config.get("output"))
        published = _published(where, "input", self.input)
        if published is None:
            published = NO_INPUT
        _check_input_root(where, published)
        try:
            self.headers = param_headers(published)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        lenient = config.get("coerce")
        self.check = _check(self.input, published, coerce if lenient is None else lenient)
        output = _published(where, "output", self.output)
        self.wraps = output is not None and output.get("type") != "object"
        self.entry = _entry(name, config, published, output)


def check_name(name: str) -> None:
    """The name rule: 1 to 128 of letters, digits, `_`, `.`, `-`."""
    if not isinstance(name, str):
        raise ConfigError(f"a tool's name must be a string, not {type(name).__name__}: server.tool(name, config)")
    if not _NAME.fullmatch(name):
        shown = name if len(name) <= 140 else name[:60] + "..."
        fault = f"it has {len(name)} characters" if len(name) > 128 or not name else _bad_characters(name)
        raise ConfigError(
            f'tool "{shown}": invalid name: {fault}; use 1 to 128 characters of A-Z, a-z, 0-9, "_", "." and "-"'
        )


def check_config(name: str, config: Mapping[str, Any]) -> None:
    """The keys and their plain types; `run` included. Raises ConfigError."""
    where = f'tool "{name}"'
    check_name(name)
    if not isinstance(config, Mapping):
        raise ConfigError(f"{where}: the config must be a dict, not {type(config).__name__}")
    check_keys(where, config, KEYS)
    for key in ("description", "title"):
        check_type(where, config, key, str, "a string")
    for key in ("thread", "coerce"):
        check_type(where, config, key, bool, "True or False")
    tags = config.get("tags")
    if tags is not None and not (isinstance(tags, list | tuple | set) and all(isinstance(t, str) for t in tags)):
        raise ConfigError(f'{where}: "tags" must be a list of strings')
    timeout = config.get("timeout")
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0):
        raise ConfigError(f'{where}: "timeout" must be a number of seconds above 0, not {timeout!r:.40}')
    check_icons(where, config)
    check_meta(where, config)
    _check_annotations(where, config.get("annotations"))


def _bad_characters(name: str) -> str:
    bad = sorted(set(re.sub(r"[A-Za-z0-9_.-]", "", name)))
    return f"it contains {', '.join(repr(c) for c in bad[:5])}"


def _check_annotations(where: str, annotations: Any) -> None:
    if annotations is None:
        return
    here = f"{where}: annotations"
    if not isinstance(annotations, Mapping):
        raise ConfigError(f"{here} must be a dict of {', '.join(HINTS)} and title")
    check_keys(here, annotations, ("title", *HINTS))
    check_type(here, annotations, "title", str, "a string")
    for key in HINTS:
        check_type(here, annotations, key, bool, "True or False")


def _schema(where: str, key: str, source: Any) -> Schema[Any] | None:
    if source is None:
        return None
    try:
        return schema_of(source)
    except ConfigError as error:
        raise ConfigError(f'{where}: "{key}": {error}') from error


def _published(where: str, key: str, schema: Schema[Any] | None) -> dict[str, Any] | None:
    if schema is None:
        return None
    try:
        document = schema.json_schema("input" if key == "input" else "output")
    except ConfigError as error:
        raise ConfigError(f'{where}: "{key}": {error}') from error
    if not isinstance(document, dict):
        raise ConfigError(f'{where}: "{key}": its JSON Schema must be an object, not {document!r:.40}')
    return document


def _check_input_root(where: str, schema: Mapping[str, Any]) -> None:
    if schema.get("type") == "object":
        return
    combined = next((k for k in ("oneOf", "anyOf", "allOf", "$ref", "const", "enum", "not") if k in schema), None)
    if "type" not in schema and ("properties" in schema or combined is None):
        raise ConfigError(f'{where}: "input": add "type": "object" at the root of the JSON Schema: MCP requires it')
    raise ConfigError(
        f'{where}: "input" must describe an object, not {schema.get("type", combined)}: arguments have names. Put it '
        'into a field: {"type": "object", "properties": {"value": ...}}'
    )


def _check(schema: Schema[Any] | None, published: dict[str, Any], lenient: bool) -> Check | None:
    """The function from raw arguments to their validated value; None when there is nothing to validate."""
    if schema is None:
        return None
    validate = schema.validate
    if lenient:
        read = _lenient(published)
        return lambda raw: _validate_text(raw, lambda value: _validate_read(read(value), value, validate))
    fast: Check | None = getattr(schema, "validate_json", None)
    if fast is not None:
        return fast
    return lambda raw: _validate_text(raw, validate)


def _lenient(published: dict[str, Any]) -> Callable[[Any], Any]:
    from ..schemas.coerce import Walker
    from ..schemas.document import Document

    return Walker(Document(published), lenient=True)


def _validate_text(raw: bytes, validate: Callable[[Any], Outcome | Awaitable[Outcome]]) -> Outcome | Awaitable[Outcome]:
    try:
        value = decode_json(raw)
    except ValueError as error:
        return unreadable(error)
    return validate(value)


def _validate_read(
    value: Any, sent: Any, validate: Callable[[Any], Outcome | Awaitable[Outcome]]
) -> Outcome | Awaitable[Outcome]:
    """What the lenient mode made of `sent`: text may hold what is nested deeper than any message may be."""
    from ..jsonrpc import MAX_DEPTH
    from ..schemas.plain import is_deeper

    if value is not sent and is_deeper(value, MAX_DEPTH):
        return Invalid((Issue(f"Invalid input: nested deeper than {MAX_DEPTH} levels"),))
    return validate(value)


def _entry(
    name: str, config: Mapping[str, Any], published: dict[str, Any], output: dict[str, Any] | None
) -> dict[str, Any]:
    """Absent means absent: no member is null."""
    annotations = {k: v for k, v in (config.get("annotations") or {}).items() if v is not None}
    members = {
        "name": name,
        "title": config.get("title"),
        "description": config.get("description"),
        "inputSchema": published,
        "outputSchema": output,
        "annotations": annotations or None,
        "icons": plain_icons(config.get("icons") or ()) or None,
        "_meta": config.get("meta"),
    }
    entry = {k: v for k, v in members.items() if v is not None}
    try:
        plain: dict[str, Any] = decode_json(encode_json(entry))
    except (TypeError, ValueError) as error:
        raise ConfigError(f'tool "{name}": the config can\'t be written as JSON: {error}') from error
    return plain
