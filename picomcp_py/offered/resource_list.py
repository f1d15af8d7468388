"""What a template's `list` returned, as entries of resources/list (MCP 2026-07-28, Resource).

A list, any other iterable of at most MAX_FOLLOWED items if it is an iterator, or {"resources": [...]}. Each item is

    "note://2026-09-05"                         a URI
    {"uri": "note://2026-09-05", ...}           a URI and what lists show: name, title, description, mimeType, size, ...
    {"date": "2026-09-05", "title": "Monday"}   the template's variables, and what lists show
    link(uri, name, ...)                        the same as a content block

Rules:
1. A URI must be one of the template's, so that what is listed can be read.
2. What an item doesn't have, it has from the template: description, mimeType, annotations, icons and meta. Its name is
   otherwise the last part of its URI.
3. Everything wrong is `Refused`, with a text that begins with the item's place: `list[3]: ...`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from ..content import ResourceLink
from ..content_checks import is_uri, received
from ..errors import ConfigError, shown
from ..uri_template import UriTemplate
from .config import check_keys
from .items import is_items
from .resource_entry import check_shown, published, short_name
from .sendable import Refused

_SHOWN = ("name", "title", "description", "mimeType", "size", "annotations", "icons", "meta")
_INHERITED = ("description", "mimeType", "annotations", "icons", "meta")


MAX_FOLLOWED = 10_000
"""Items of an iterator: an endless one must not hold up the server."""


def gathered(items: Iterable[Any]) -> Iterable[Any]:
    """The items, gone through once. An iterator that is too long stays one, which `to_entries` refuses."""
    if not isinstance(items, Iterator):
        return list(items)
    found = list(islice(items, MAX_FOLLOWED + 1))
    return found if len(found) <= MAX_FOLLOWED else iter(found)


def to_entries(returned: Any, template: UriTemplate, config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries; None is an empty list. `config` is the template's. Raises Refused."""
    inherited = {key: config[key] for key in _INHERITED if config.get(key) is not None}
    entries = []
    for index, item in enumerate(_items(returned)):
        try:
            entries.append(_entry(f"list[{index}]", item, template, inherited))
        except ConfigError as error:
            raise Refused(str(error)) from error
    return entries


def is_long(returned: Any) -> bool:
    """Whether making the entries is work for a worker thread."""
    items = returned.get("resources") if isinstance(returned, dict) else returned
    return isinstance(items, list | tuple) and len(items) > 200  # each takes some 30 us


def _items(returned: Any) -> Iterable[Any]:
    if returned is None:
        return []
    items = returned
    if isinstance(returned, dict) and "resources" in returned:
        foreign = next((key for key in returned if key != "resources"), None)
        if foreign is not None:
            raise Refused(f'unknown key "{foreign!s:.60}" beside resources: a template lists all at once')
        items = returned["resources"]
    if not is_items(items):
        raise Refused(f"expected a list of URIs or dicts, received {received(items)}")
    found: Iterable[Any] = gathered(items)
    if isinstance(found, Iterator):
        raise Refused(f"an iterator of more than {MAX_FOLLOWED} items: return fewer, or a list")
    return found


def _entry(where: str, item: Any, template: UriTemplate, inherited: Mapping[str, Any]) -> dict[str, Any]:
    uri, own = _read(where, item, template)
    if fault := is_uri(uri):
        raise Refused(f"{where}.uri: {fault}")
    if template.match(uri) is None:
        raise Refused(f'{where}: "{shown(uri, 80)}" is no URI of the template {template.text}: nobody could read it')
    own = {key: value for key, value in own.items() if value is not None}
    check_shown(where, own)
    return published(where, {"uri": uri, "name": own.get("name") or short_name(uri)}, {**inherited, **own})


def _read(where: str, item: Any, template: UriTemplate) -> tuple[Any, dict[str, Any]]:
    """The URI of an item, and what else it says, by the keys of a config."""
    if isinstance(item, str):
        return item, {}
    if isinstance(item, ResourceLink):
        return item.uri, {key: getattr(item, key) for key in _SHOWN}
    if not isinstance(item, Mapping):
        raise Refused(f"{where}: expected a URI or a dict, received {received(item)}")
    own = {"meta" if key == "_meta" else key: value for key, value in item.items()}
    if "uri" in own:
        uri = own.pop("uri")
        check_keys(where, own, _SHOWN)
        return uri, own
    params = {name: own.pop(name) for name in template.names if name in own}
    check_keys(where, own, ("uri", *template.names, *_SHOWN))
    if not params:
        raise Refused(f'{where}: "uri" is missing: give it, or the variables {", ".join(template.names)}')
    try:
        return template.expand(params), own
    except (TypeError, ValueError) as error:
        raise Refused(f"{where}: {error}") from error
