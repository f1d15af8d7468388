"""The Standard Schema counterpart: what the library asks of a schema, whoever wrote it.

A tool's `input` and `output` go through one door, `schema_of(x)`:

1. `x.__standard_schema__`, if there is one, is a `Schema`: any library can bring its own.
2. Else the first adapter in `adapters` that recognises `x` makes one.

The TypeScript original is https://standardschema.dev. Python needs one member more, `dump`: a JavaScript object is
JSON already, a Python object has to be turned into it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from msgspec import Struct

from ..errors import ConfigError
from ..jsontext import OutOfRange

Out = TypeVar("Out", covariant=True)
Io = Literal["input", "output"]
Path = tuple[str | int, ...]


class Issue(Struct, frozen=True):
    """One fault: `message` for the model, `path` from the root in JSON names and list indices (`("filters", 0)`)."""

    message: str
    path: Path = ()


class Valid(Struct, Generic[Out], frozen=True, gc=False):
    """The value, with defaults and transforms applied."""

    value: Out


class Invalid(Struct, frozen=True):
    """Every fault found, in schema order; never empty."""

    issues: tuple[Issue, ...]


@runtime_checkable
class Schema(Protocol[Out]):
    """What `__standard_schema__` gives.

    Four members are optional:

    - `validate_json(data: bytes) -> Valid | Invalid` does the same from JSON text (the fast path). `data` is one
      JSON value, not yet checked: the method answers broken JSON with `Invalid` too.
    - `dump(value) -> JSON` turns a Python value of this type into plain JSON values before it is validated as output.
    - `validate_output(data: bytes) -> Valid | Invalid` checks what was dumped against `json_schema("output")`, for
      types that write other JSON than they read (aliases, computed fields). Without it `validate_json` serves for both.
    - `encode_output(value: dict) -> bytes | None` does all of that at once: JSON text that fits for sure. None, for
      whatever reason: the value is dumped, encoded and checked.
    """

    @property
    def vendor(self) -> str:
        """The library behind it, as a short lower-case word: "msgspec"."""
        ...

    def validate(self, value: Any) -> Valid[Out] | Invalid | Awaitable[Valid[Out] | Invalid]:
        """`value` is JSON as Python values (dict, list, str, int, float, bool, None); it is not changed."""
        ...

    def json_schema(self, io: Io) -> dict[str, Any]:
        """The JSON Schema (2020-12 unless it says otherwise) of what is taken in ("input") or given out ("output")."""
        ...


def schema_of(source: Any) -> Schema[Any]:
    """The Schema behind what a user wrote as `input` or `output`.

    Raises ConfigError when nothing recognises `source`, or when it can't work (the text names the fault and the fix,
    not the tool: the caller adds that).
    """
    found = getattr(source, "__standard_schema__", None)
    if found is not None:
        if not isinstance(found, Schema):
            raise ConfigError(
                f"__standard_schema__ of {source!r:.80} lacks a member of picomcp_py.Schema: "
                "it needs vendor, validate(value) and json_schema(io)"
            )
        return found
    from .adapters import adapt

    return adapt(source)


def unreadable(error: ValueError) -> Invalid:
    """The verdict on JSON text that `decode_json` refused with this error."""
    if isinstance(error, OutOfRange):
        return Invalid((Issue(f"Invalid input: {error}", error.path),))
    return Invalid((Issue(f"Invalid JSON: {error}"),))


MAX_NAME = 80
"""Characters of one name in a rendered path: a client chooses the names of what has free keys."""
MAX_PATH = 600
"""Characters of a rendered path, the first and the last ones."""


def render_path(path: Path) -> str:
    """`("filters", 0, "since")` as `filters[0].since`; "" for the root. A name that is no word is quoted: `["a.b"]`.

    Long names and long paths are cut, with "…" for what is left out.
    """
    out = ""
    for key in path:
        if isinstance(key, str) and len(key) > MAX_NAME:
            key = key[: MAX_NAME - 1] + "…"
        if isinstance(key, int):
            out += f"[{key}]"
        elif key.replace("-", "_").replace("$", "_").isidentifier() or key.isdigit():
            out += f".{key}" if out else key
        else:
            import json  # takes a lone surrogate as well

            out += f"[{json.dumps(key, ensure_ascii=False)}]"
    half = MAX_PATH // 2
    return out if len(out) <= MAX_PATH else f"{out[:half]}…{out[-half:]}"


def render_issues(issues: Sequence[Issue]) -> str:
    """One line an issue, `path: message`; without a path the message alone."""
    lines = []
    for issue in issues:
        where = render_path(issue.path)
        lines.append(f"{where}: {issue.message}" if where else issue.message)
    return "\n".join(lines)
