"""The words of `call`, `read` and `prompt`: whose, which, and with what."""

from __future__ import annotations

import sys
from typing import Any

from ..jsontext import decode_json
from .faults import Fault

STDIN = "-"

MISSING = {
    "call": "say which tool to call: picomcp-py call FILE TOOL [JSON], or call TOOL [JSON] -- COMMAND",
    "read": "say which resource to read: picomcp-py read FILE URI, or read URI -- COMMAND",
    "prompt": "say which prompt to get: picomcp-py prompt FILE NAME [JSON], or prompt NAME [JSON] -- COMMAND",
}


def split_words(verb: str, words: list[str], has_command: bool) -> tuple[str | None, str, list[str]]:
    """Target, name, and what follows; the target is None when a command after `--` takes its place."""
    rest = list(words)
    target = None if has_command else rest.pop(0)
    if not rest:
        raise Fault(MISSING[verb])
    name, *rest = rest
    return target, name, rest


def json_word(rest: list[str], what: str) -> str | None:
    """The one word of JSON that may follow the name."""
    if len(rest) > 1:
        raise Fault(f"too many words after the {what}: {' '.join(rest[1:])[:100]!r}. Put the JSON into quotes")
    return rest[0] if rest else None


def read_arguments(text: str | None, pairs: list[str]) -> dict[str, Any]:
    """The call's arguments from JSON text (`-`: from stdin), with those of `--arg key=value` added as strings."""
    if text == STDIN:
        text = sys.stdin.read()
    arguments = {} if text is None else _read_object(text)
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise Fault(f"--arg {pair!r} is not key=value")
        arguments[key] = value
    return arguments


def _read_object(text: str) -> dict[str, Any]:
    try:
        value = decode_json(text.encode("utf-8", "surrogateescape"))
    except ValueError as error:
        raise Fault(f"the arguments are not JSON: {error}. Given: {text[:100]!r}") from None
    if not isinstance(value, dict):
        raise Fault(f'the arguments must be a JSON object such as {{"city": "Lyon"}}, not {text[:100]!r}')
    return value
