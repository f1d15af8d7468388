"""One tool: its config checked when it is registered, and everything a call needs computed then.

Every mistake is a ConfigError that names the tool, the key and the fix, when the server starts and not when a model
calls (https://modelcontextprotocol.io/specification/2026-07-28/server/tools).
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from ..errors import ConfigError
from ..schemas.schema import Issue, render_issues
from .config import check_keys, check_type, plain_icons
from .entry import check_entry, check_entry_name, plain_entry
from .handler import Runs
from .param_headers import param_headers
from .result import CallResult, Output, error_result, to_result
from .validation import Check, check_input_root, document_of, lenient, published_by, schema_in, strict

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


class Tool(Runs):
    """A registered tool, and the job of each of its calls. `entry` is how tools/list shows it at 2026-07-28; older
    revisions are shaped from that.
    """

    __slots__ = (
        "check",
        "entry",
        "headers",
        "input",
        "input_only",
        "label",
        "name",
        "output",
        "tags",
        "wraps",
    )

    def __init__(self, name: str, config: Mapping[str, Any], *, coerce: bool = False) -> None:
        where = self.label = f'tool "{name}"'
        check_config(name, config)
        super().__init__(where, config)
        self.name = name
        self.input_only = self.passed == (0,)
        self.tags: tuple[str, ...] = tuple(config.get("tags") or ())
        self.input = schema_in(where, "input", config.get("input"))
        output_schema = schema_in(where, "output", config.get("output"))
        self.output = None if output_schema is None else Output(output_schema)
        published = published_by(where, "input", self.input)
        if published is None:
            published = NO_INPUT
        check_input_root(where, published)
        try:
            self.headers = param_headers(published)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        self.check: Check | None = None  # there may be nothing to validate
        if self.input is not None:
            own = config.get("coerce")
            coerces = coerce if own is None else own
            self.check = lenient(self.input, document_of(published)) if coerces else strict(self.input)
        output = published_by(where, "output", output_schema)
        self.wraps = output is not None and output.get("type") != "object"
        self.entry = _entry(name, config, published, output)

    # ---- as a job

    def arguments(self, value: Any, ctx: Any) -> tuple[Any, ...]:
        return (value, ctx)[: len(self.passed)]

    def finish(self, returned: Any) -> CallResult | Awaitable[CallResult]:
        return to_result(returned, self.output, self.name)

    def refuse(self, issues: Sequence[Issue]) -> CallResult:
        return error_result(f'Invalid arguments for tool "{self.name}":\n{render_issues(issues)}')

    def fail(self, text: str) -> CallResult:
        return error_result(text)


def check_name(name: str) -> None:
    """The name rule: 1 to 128 of letters, digits, `_`, `.`, `-`."""
    check_entry_name("tool", name)


def check_config(name: str, config: Mapping[str, Any]) -> None:
    """The name, the keys and their plain types. Raises ConfigError."""
    where = f'tool "{name}"'
    check_name(name)
    check_entry(where, config, KEYS)
    check_type(where, config, "coerce", bool, "True or False")
    _check_annotations(where, config.get("annotations"))


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


def _entry(
    name: str, config: Mapping[str, Any], published: dict[str, Any], output: dict[str, Any] | None
) -> dict[str, Any]:
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
    return plain_entry(f'tool "{name}"', members)
