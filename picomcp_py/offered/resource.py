"""What can be read: resources with one fixed URI, and templates with variables in it (MCP 2026-07-28,
server/resources).

`read` says what is there, or `file` or `folder` names it on the disk. The config is checked when it is registered:
every mistake is a ConfigError that names the resource, the key and the fix. What `read` may return is in
`contents.py`, what `list` may return in `resource_list.py`, and `resource_files.py` is for files.

A URI is read by the resource that has exactly this URI; else by the most specific template that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..errors import ConfigError, shown
from ..uri_template import UriTemplate, has_expression
from .completion import Completer
from .contents import is_slow, to_result
from .handler import Runs
from .items import gathering
from .job import Errand, Later
from .registry import Registry
from .resource_entry import (
    check_config,
    check_scheme,
    check_uri,
    label_of,
    published,
    refuse_keys,
    short_name,
    the_source,
)
from .resource_files import Listed, of_file, of_folder
from .resource_list import gathered, is_long, to_entries
from .sendable import Refused, unsendable

Params: TypeAlias = dict[str, str | list[str]]

_NOT_FIXED = {
    "list": "is for URI templates: a fixed URI is listed as it is; leave it out",
    "complete": "is for URI templates: this URI has no variable to complete; leave it out",
    "folder": 'is for URI templates: write a variable for the path, as in "docs:///{+path}", or use "file"',
}
_NOT_TEMPLATE = {
    "file": 'is for a fixed URI: use "folder" to serve the files below a directory',
    "size": 'is for a fixed URI: give the sizes in what "list" returns',
}
_NOT_FOLDER = {"list": "is not for a folder, which lists its own files: leave it out"}


class Resource:
    """A resource with a fixed URI. `entry` is how resources/list shows it at 2026-07-28."""

    __slots__ = ("_caching", "_mime_type", "_runs", "entry", "label", "name", "tags")

    def __init__(self, uri: str, config: Mapping[str, Any]) -> None:
        where = self.label = label_of(uri)
        check_uri(where, uri)
        given = check_config(where, config)
        refuse_keys(where, given, _NOT_FIXED)
        read = "a function of (uri, ctx) that returns str, bytes or data"
        if the_source(where, given, {"read": read, "file": "a path"}) == "file":
            given = of_file(where, given)
        self.name = uri
        """The URI, by which a Registry knows it. The name for people is in the entry."""
        self.tags: tuple[str, ...] = tuple(given.get("tags") or ())
        self._runs = Runs(where, given, "read", ("uri",))
        self._mime_type: str | None = given.get("mimeType")
        self._caching = _caching(given)
        self.entry = published(where, {"uri": uri, "name": given.get("name") or short_name(uri)}, given)

    def reading(self, uri: str, params: Params | None, caching: Mapping[str, Any] | None) -> Errand:
        """What one resources/read runs. `caching` are the server's cache hints, over which its own go."""
        finish = _to_read(self.label, self._runs, uri, self._mime_type)
        return Errand(self.label, self._runs, (uri,), finish, caching={**(caching or {}), **self._caching})


class ResourceTemplate:
    """A URI template and what reads its URIs. `entry` is how resources/templates/list shows it at 2026-07-28.

    `completer` completes its variables.
    """

    __slots__ = (
        "_caching",
        "_config",
        "_lists",
        "_mime_type",
        "_runs",
        "completer",
        "entry",
        "label",
        "name",
        "prefix",
        "tags",
        "template",
    )

    def __init__(self, text: str, config: Mapping[str, Any]) -> None:
        where = self.label = label_of(text)
        check_scheme(where, text)
        try:
            self.template = UriTemplate(text)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        given = check_config(where, config)
        refuse_keys(where, given, _NOT_TEMPLATE)
        read = "a function of (uri, params, ctx) that returns str, bytes or data"
        complete = given.get("complete")
        if the_source(where, given, {"read": read, "folder": "a directory"}) == "folder":
            refuse_keys(where, given, _NOT_FOLDER)
            given, complete = of_folder(where, given, self.template)
        self.name = text
        """The template's text, by which a Registry knows it. The name for people is in the entry."""
        self.prefix = _PREFIX.match(text)[0]  # type: ignore[index]  # it matches anything
        """What all its URIs begin with: whatever begins otherwise needn't be matched."""
        self.tags: tuple[str, ...] = tuple(given.get("tags") or ())
        self._runs = Runs(where, given, "read", ("uri", "params"))
        self._lists = Runs(where, given, "list", ()) if "list" in given else None
        if self._lists is not None:
            self._lists.run = gathering(self._lists.run, gathered)
        self._mime_type: str | None = given.get("mimeType")
        self._caching = _caching(given)
        self._config = given
        self.completer = Completer(where, self.template.names, complete, how=given)
        self.entry = published(where, {"uriTemplate": text, "name": given.get("name") or text}, given)

    def reading(self, uri: str, params: Params | None, caching: Mapping[str, Any] | None) -> Errand:
        """What one resources/read runs. `caching` are the server's cache hints, over which its own go."""
        label = f'resource "{shown(uri)}"'
        finish = _to_read(label, self._runs, uri, self._mime_type)
        given = (uri, {} if params is None else params)
        return Errand(label, self._runs, given, finish, caching={**(caching or {}), **self._caching})

    def listing(self) -> Errand | None:
        """What adds the template's resources to resources/list: its result is {"resources": [entries]}. None without
        a `list`.
        """
        if self._lists is None:
            return None
        label = f"list of {self.label}"
        runs = self._lists

        def work(returned: Any) -> dict[str, Any]:
            if isinstance(returned, Listed):
                return {"resources": returned.entries}
            try:
                return {"resources": to_entries(returned, self.template, self._config)}
            except Refused as error:
                raise unsendable(label, error) from error

        def finish(returned: Any) -> Any:
            return _convert(lambda: work(returned), is_long(returned) and runs.movable)

        return Errand(label, runs, (), finish)


_PREFIX = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]*")  # up to a brace or percent-encoding, which has two forms


def make_resource(uri: str, config: Mapping[str, Any]) -> Resource | ResourceTemplate:
    """A Resource, or a ResourceTemplate if there is a brace in the URI. Raises ConfigError."""
    label_of(uri)
    return ResourceTemplate(uri, config) if has_expression(uri) else Resource(uri, config)


def find(
    resources: Registry[Resource], templates: Registry[ResourceTemplate], uri: str
) -> tuple[Resource, None] | tuple[ResourceTemplate, Params] | None:
    """What reads this URI, and the values of a template's variables. None when nothing does."""
    fixed = resources.get(uri)
    if fixed is not None:
        return fixed, None
    for template in templates.keep("by weight", lambda: sorted(templates, key=lambda each: each.template.weight)):
        if uri.startswith(template.prefix):
            params = template.template.match(uri)
            if params is not None:
                return template, params
    return None


# ---- results ----


def _to_read(label: str, runs: Runs, uri: str, mime_type: str | None) -> Callable[[Any], Any]:
    """The `finish` of a reading: from what `read` returned to the members of the result, or an awaitable of them."""

    def work(returned: Any) -> dict[str, Any]:
        try:
            return to_result(returned, uri, mime_type)
        except Refused as error:
            raise unsendable(label, error) from error

    return lambda returned: _convert(lambda: work(returned), is_slow(returned) and runs.movable)


def _convert(work: Callable[[], dict[str, Any]], slow: bool) -> dict[str, Any] | Later:
    return Later(work) if slow else work()


def _caching(given: Mapping[str, Any]) -> dict[str, Any]:
    return {key: given[key] for key in ("ttlMs", "cacheScope") if key in given}
