"""The options of a server, and how configuration is checked: an unknown key or a wrong value is an error with the fix.

Configuration is a dict with the TypeScript and wire spelling, or the same as keywords in snake_case. None is an absent
value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

from ..errors import ConfigError

if TYPE_CHECKING:
    from ..bus import Bus

Lifespan: TypeAlias = "Callable[[Any], AbstractAsyncContextManager[Any]]"

# key -> keyword. One row an option; what each means stands in ServerOptions.
OPTIONS = {
    "name": "name",
    "version": "version",
    "title": "title",
    "instructions": "instructions",
    "websiteUrl": "website_url",
    "icons": "icons",
    "lifespan": "lifespan",
    "coerce": "coerce",
    "onDuplicate": "on_duplicate",
    "pageSize": "page_size",
    "ttlMs": "ttl_ms",
    "cacheScope": "cache_scope",
    "caching": "caching",
    "bus": "bus",
    "maskErrors": "mask_errors",
    "backend": "backend",
}


class ServerOptions(Struct, frozen=True, kw_only=True):
    """What `pico(config)` takes, checked."""

    name: str
    """Identifies the server to clients."""
    version: str = "0.0.0"
    title: str | None = None
    """Display name."""
    instructions: str | None = None
    """How to use the server as a whole; hosts may put it into the model's prompt."""
    website_url: str | None = None
    icons: list[dict[str, Any]] | None = None
    lifespan: Lifespan | None = None
    """`lifespan(server)` is an async context manager around serving; what it yields is `ctx.state`."""
    coerce: bool = False
    """The lenient mode of `coerce` for all tools that don't say otherwise."""
    on_duplicate: Literal["error", "replace"] = "error"
    page_size: int | None = None
    """Entries on a page of a list; None puts all on one."""
    ttl_ms: int = 0
    """How long clients may cache lists, in milliseconds (2026-07-28)."""
    cache_scope: Literal["public", "private"] = "private"
    """Who may share a cached list (2026-07-28)."""
    caching: dict[str, dict[str, Any]] | None = None
    """`ttlMs` and `cacheScope` of single lists, where they differ: see CACHED for the names."""
    bus: Bus | None = None
    """Tells other processes what changes here; None tells this one only."""
    mask_errors: bool = False
    """Hide the messages of exceptions other than ToolError and McpError from clients."""
    backend: Literal["asyncio", "trio"] = "asyncio"
    """The event loop that `serve()` starts."""


def server_options(config: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> ServerOptions:
    """The options from `pico`'s arguments. Raises ConfigError."""
    where = "pico()"
    given = dict(config or {})
    by_keyword = {keyword: key for key, keyword in OPTIONS.items()}
    check_keys(where, given, OPTIONS)
    check_keys(where, keywords, by_keyword)
    given |= {by_keyword[k]: v for k, v in keywords.items()}
    given = {key: value for key, value in given.items() if value is not None}
    if not isinstance(given.get("name"), str) or not given["name"]:
        raise ConfigError('pico(): "name" is missing: give the server a name, pico({"name": "weather"})')
    for key in ("version", "title", "instructions", "websiteUrl"):
        check_type(where, given, key, str, "a string")
    for key in ("coerce", "maskErrors"):
        check_type(where, given, key, bool, "True or False")
    check_choice(where, given, "onDuplicate", ("error", "replace"))
    check_choice(where, given, "cacheScope", ("public", "private"))
    check_choice(where, given, "backend", ("asyncio", "trio"))
    check_count(where, given, "pageSize", 1)
    check_count(where, given, "ttlMs", 0)
    if "caching" in given:
        given["caching"] = checked_caching(where, given["caching"])
    if "bus" in given and not (hasattr(given["bus"], "publish") and hasattr(given["bus"], "subscribe")):
        raise ConfigError(f'{where}: "bus" must be a bus, such as picomcp_py.bus.RedisBus(url)')
    check_icons(where, given)
    if "icons" in given:
        given["icons"] = plain_icons(given["icons"])
    if "lifespan" in given and not callable(given["lifespan"]):
        raise ConfigError(f'{where}: "lifespan" must be a function of the server that gives an async context manager')
    return ServerOptions(**{OPTIONS[k]: v for k, v in given.items()})


def check_keys(where: str, given: Iterable[str], known: Iterable[str]) -> None:
    """ConfigError for a key that isn't known, with the nearest one."""
    known = list(known)
    for key in given:
        if key not in known:
            from difflib import get_close_matches

            near = get_close_matches(str(key), known, 1, 0.6)
            hint = f': did you mean "{near[0]}"?' if near else f": it takes {', '.join(known)}"
            raise ConfigError(f'{where}: unknown key "{key}"{hint}')


def check_type(where: str, given: Mapping[str, Any], key: str, kind: type | tuple[type, ...], wanted: str) -> None:
    """ConfigError unless the value is absent, None or of that type."""
    value = given.get(key)
    if value is not None and not isinstance(value, kind):
        raise ConfigError(f'{where}: "{key}" must be {wanted}, not {type(value).__name__}')


def check_choice(where: str, given: Mapping[str, Any], key: str, choices: tuple[str, ...]) -> None:
    if key in given and given[key] not in choices:
        raise ConfigError(f'{where}: "{key}" must be {" or ".join(f"{c!r}" for c in choices)}, not {given[key]!r:.40}')


def check_count(where: str, given: Mapping[str, Any], key: str, least: int) -> None:
    value = given.get(key)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
        raise ConfigError(f'{where}: "{key}" must be an integer of at least {least}, not {value!r:.40}')


CACHED = ("tools", "prompts", "resources", "resourceTemplates", "read", "discover")
"""What a client may cache: the four lists, what resources hold, and what the server says of itself."""


def checked_caching(where: str, caching: Any) -> dict[str, dict[str, Any]]:
    """{"tools": {"ttlMs": 60000, "cacheScope": "public"}, ...}, without what is None."""
    if not isinstance(caching, Mapping):
        raise ConfigError(f'{where}: "caching" must be a dict such as {{"tools": {{"ttlMs": 60000}}}}')
    check_keys(f"{where}: caching", caching, CACHED)
    checked: dict[str, dict[str, Any]] = {}
    for which, hints in caching.items():
        if hints is None:
            continue
        here = f"{where}: caching.{which}"
        if not isinstance(hints, Mapping):
            raise ConfigError(f'{here} must be a dict of "ttlMs" and "cacheScope"')
        check_keys(here, hints, ("ttlMs", "cacheScope"))
        given = checked[which] = {key: value for key, value in hints.items() if value is not None}
        check_count(here, given, "ttlMs", 0)
        check_choice(here, given, "cacheScope", ("public", "private"))
    return checked


ICON_KEYS = ("src", "mimeType", "sizes", "theme")


def check_icons(where: str, given: Mapping[str, Any]) -> None:
    """Icons are a list of {src, mimeType?, sizes?, theme?}; src is an https: or data: URI."""
    icons = given.get("icons")
    if icons is None:
        return
    if not isinstance(icons, list | tuple):
        raise ConfigError(f'{where}: "icons" must be a list of {{"src": ...}} dicts')
    for i, icon in enumerate(icons):
        here = f"{where}: icons[{i}]"
        if not isinstance(icon, Mapping) or not isinstance(icon.get("src"), str):
            raise ConfigError(f'{here} must be a dict with "src", an https:, http: or data: URI')
        check_keys(here, icon, ICON_KEYS)
        if not icon["src"].startswith(("https://", "http://", "data:")):
            raise ConfigError(f'{here}: "src" must be an https:, http: or data: URI, not {icon["src"]!r:.60}')
        check_type(here, icon, "mimeType", str, "a string")
        sizes = icon.get("sizes")
        if sizes is not None and not (isinstance(sizes, list | tuple) and all(isinstance(s, str) for s in sizes)):
            raise ConfigError(f'{here}: "sizes" must be a list such as ["48x48"] or ["any"]')
        if icon.get("theme") not in (None, "light", "dark"):
            raise ConfigError(f'{here}: "theme" must be "light" or "dark"')


def plain_icons(icons: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Checked icons as they are published: None means absent, and no member is null."""
    return [{key: value for key, value in icon.items() if value is not None} for icon in icons]


def check_meta(where: str, given: Mapping[str, Any]) -> None:
    """`meta` is published as `_meta`: a dict with string keys."""
    meta = given.get("meta")
    if meta is not None and not (isinstance(meta, Mapping) and all(isinstance(k, str) for k in meta)):
        raise ConfigError(f'{where}: "meta" must be a dict with string keys: it is published as _meta')
