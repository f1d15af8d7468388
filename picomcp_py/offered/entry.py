"""What the configs of tools, prompts and resources are checked for alike: the name of the first two, the keys that all
have, the published entry.

Every mistake is a ConfigError that begins with `where`, which names the entry: `tool "add"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import ConfigError
from ..jsontext import decode_json, encode_json
from .config import check_icons, check_keys, check_meta, check_type

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


def check_entry_name(kind: str, name: Any) -> None:
    """The name rule of tools and prompts: 1 to 128 of letters, digits, `_`, `.`, `-`. `kind` is "tool" or "prompt"."""
    if not isinstance(name, str):
        raise ConfigError(f"a {kind}'s name must be a string, not {type(name).__name__}: server.{kind}(name, config)")
    if not _NAME.fullmatch(name):
        shown = name if len(name) <= 140 else name[:60] + "..."
        fault = f"it has {len(name)} characters" if len(name) > 128 or not name else _bad_characters(name)
        raise ConfigError(
            f'{kind} "{shown}": invalid name: {fault}; use 1 to 128 characters of A-Z, a-z, 0-9, "_", "." and "-"'
        )


def _bad_characters(name: str) -> str:
    bad = sorted(set(re.sub(r"[A-Za-z0-9_.-]", "", name)))
    return f"it contains {', '.join(repr(c) for c in bad[:5])}"


def check_entry(where: str, config: Mapping[str, Any], keys: Iterable[str]) -> None:
    """What every entry's config is checked for: its keys, and the plain types of those that all entries have."""
    if not isinstance(config, Mapping):
        raise ConfigError(f"{where}: the config must be a dict, not {type(config).__name__}")
    check_keys(where, config, keys)
    for key in ("description", "title"):
        check_type(where, config, key, str, "a string")
    check_type(where, config, "thread", bool, "True or False")
    tags = config.get("tags")
    if tags is not None and not (isinstance(tags, list | tuple | set) and all(isinstance(t, str) for t in tags)):
        raise ConfigError(f'{where}: "tags" must be a list of strings')
    timeout = config.get("timeout")
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0):
        raise ConfigError(f'{where}: "timeout" must be a number of seconds above 0, not {timeout!r:.40}')
    check_icons(where, config)
    check_meta(where, config)


def plain_entry(where: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """A list's entry as plain JSON values, without the members that are None: absent means absent. ConfigError."""
    try:
        plain: dict[str, Any] = decode_json(encode_json({k: v for k, v in members.items() if v is not None}))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: the config can't be written as JSON: {error}") from error
    return plain
