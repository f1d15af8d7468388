"""What the configs of resources and templates are checked for, and how lists show them.

Every mistake is a ConfigError that begins with `where`, which names the entry: `resource "note://index"`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..content_checks import is_annotations, is_mime, is_size
from ..errors import MAX_URI, ConfigError, shown
from ..uri_template import has_expression
from .config import check_choice, check_count, check_icons, check_keys, check_meta, check_type, plain_icons
from .entry import check_entry, plain_entry

KEYS = (
    "name",
    "title",
    "description",
    "mimeType",
    "read",
    "file",
    "folder",
    "list",
    "complete",
    "annotations",
    "icons",
    "size",
    "meta",
    "ttlMs",
    "cacheScope",
    "tags",
    "timeout",
    "thread",
)
ANNOTATIONS = ("audience", "priority", "lastModified")

# RFC 3986, appendix A: scheme, authority and path or path alone, query, fragment. A literal in brackets is not read.
_PCHAR = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})"
_URI = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.\-]*:(?://(?:{_PCHAR}*@)?(?:\[[0-9A-Fa-fVv.:]+\]|(?:(?!:){_PCHAR})*)(?::[0-9]*)?(?:/{_PCHAR}*)*"
    rf"|(?!//)(?:{_PCHAR}|/)*)(?:\?(?:{_PCHAR}|[/?])*)?(?:\#(?:{_PCHAR}|[/?])*)?"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def label_of(uri: Any) -> str:
    """How messages name a resource or a template. Raises ConfigError for what isn't even text."""
    if not isinstance(uri, str):
        raise ConfigError(f"a resource's URI must be a string, not {type(uri).__name__}: server.resource(uri, config)")
    return f'{"resource template" if has_expression(uri) else "resource"} "{shown(uri)}"'


def check_uri(where: str, uri: str) -> None:
    """A fixed URI: absolute, as RFC 3986 has it."""
    check_scheme(where, uri)
    if not _URI.fullmatch(uri):
        raise ConfigError(f"{where}: it is no URI (RFC 3986): {_fix(uri)}")


def check_scheme(where: str, uri: str) -> None:
    """The beginning and the length of a URI or a template, whose rest UriTemplate checks."""
    if len(uri) > MAX_URI:
        raise ConfigError(f"{where}: its URI has {len(uri)} characters: write one of at most {MAX_URI}")
    if not _SCHEME.match(uri):
        raise ConfigError(f'{where}: its URI has no scheme: write it in full, as in "note://{_after_slashes(uri)}"')


def _after_slashes(uri: str) -> str:
    path = re.sub(r"[^\w./{}-]", "", uri, flags=re.ASCII).lstrip("/.")
    return path[:60] or "index"


def _fix(uri: str) -> str:
    from urllib.parse import quote

    if any(ord(c) < 32 or ord(c) == 127 for c in uri):
        return "leave out the control characters"
    try:
        encoded = quote(re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", uri), safe="%:/?#[]@!$&'()*+,;=~")
    except UnicodeEncodeError:
        return "leave out the lone surrogates"
    if encoded != uri and _URI.fullmatch(encoded):
        return f'percent-encode what can\'t stand in one, "{shown(encoded)}"'
    return '"#", "[" and "]" may stand only where it gives them a meaning: percent-encode them elsewhere'


def check_config(where: str, config: Any) -> dict[str, Any]:
    """The config without what is None. What depends on the kind of resource isn't checked here."""
    check_entry(where, config, KEYS)
    given = {key: value for key, value in config.items() if value is not None}
    check_shown(where, given)
    check_count(where, given, "ttlMs", 0)
    check_choice(where, given, "cacheScope", ("public", "private"))
    return given


def check_shown(where: str, given: Mapping[str, Any]) -> None:
    """What lists show of a resource, apart from its URI."""
    for key in ("name", "title", "description", "mimeType"):
        check_type(where, given, key, str, "a string")
    if given.get("name") == "":
        raise ConfigError(f'{where}: "name" is empty: leave it out, or give one')
    for key, check in (("mimeType", is_mime), ("size", is_size)):
        if given.get(key) is not None and (fault := check(given[key])):
            raise ConfigError(f'{where}: "{key}": {fault}')
    check_annotations(where, given.get("annotations"))
    check_icons(where, given)
    check_meta(where, given)


def check_annotations(where: str, annotations: Any) -> None:
    """{"audience": ["user", "assistant"], "priority": 0..1, "lastModified": ISO 8601}, each of which may be absent."""
    if annotations is None:
        return
    here = f"{where}: annotations"
    if not isinstance(annotations, Mapping):
        raise ConfigError(f"{here} must be a dict of {', '.join(ANNOTATIONS)}, not {type(annotations).__name__}")
    check_keys(here, annotations, ANNOTATIONS)
    given = _without_none(annotations)
    fault = is_annotations(given)
    modified = given.get("lastModified")
    if not fault and isinstance(modified, str) and not _is_iso(modified):
        fault = f'lastModified must be an ISO 8601 string, as in "2026-01-12T15:00:58Z", not {modified!r:.40}'
    if fault:
        raise ConfigError(f"{here}: {fault}")


def _is_iso(text: str) -> bool:
    import datetime

    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def published(where: str, members: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a list at 2026-07-28: `members`, its URI and name, and what the config has to show."""
    return plain_entry(
        where,
        {
            **members,
            "title": given.get("title"),
            "description": given.get("description"),
            "mimeType": given.get("mimeType"),
            "size": given.get("size"),
            "annotations": _without_none(given.get("annotations") or {}) or None,
            "icons": plain_icons(given.get("icons") or ()) or None,
            "_meta": given.get("meta"),
        },
    )


def _without_none(members: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value is not None}


def short_name(uri: str) -> str:
    """The name of a resource that was given none: the last part of its path or host, decoded; else the whole URI."""
    path = re.split(r"[?#]", uri, maxsplit=1)[0].partition(":")[2].rstrip("/")
    last = path.rpartition("/")[2]
    if "%" in last:
        from urllib.parse import unquote

        last = unquote(last)
    return last if last and "/" in path else uri


def the_source(where: str, given: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    """Which one of `sources` it has, key -> what it is. Exactly one."""
    found = [key for key in sources if key in given]
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigError(f'{where}: "{found[0]}" and "{found[1]}" say both what is read: leave one of them out')
    either = ", or ".join(f'"{key}", {what}' for key, what in sources.items())
    raise ConfigError(f"{where}: nothing says what is read: give {either}")


def refuse_keys(where: str, given: Mapping[str, Any], misplaced: Mapping[str, str]) -> None:
    """ConfigError for a key that the other kind of resource has; `misplaced` says what to do about it."""
    for key, fix in misplaced.items():
        if key in given:
            raise ConfigError(f'{where}: "{key}" {fix}')
