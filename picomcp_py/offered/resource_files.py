"""Resources that are files: the `read` and `list` that stand for `file` and `folder` in a config.

They run in worker threads. Which files are served is in `folder.py` and `files.py`; a client never learns why one
isn't.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ..errors import ConfigError, ResourceNotFound
from ..uri_template import UriTemplate
from .contents import Served, served
from .files import NotServed, read_file
from .folder import Folder
from .mime import by_name
from .resource_list import to_entries


class Listed(Struct, frozen=True):
    """The entries of a folder, which are checked no more."""

    entries: list[dict[str, Any]]


def of_file(where: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The config with a `read` for its `file`, and the MIME type that its name tells. Raises ConfigError."""
    path = _path(where, given, "file")
    if not os.path.isfile(path):
        fix = "make it first, or name another one"
        fault = "is not a regular file" if os.path.exists(path) else "does not exist"
        if os.path.isdir(path):
            fault, fix = "is a directory", 'use "folder" and a template for the files in it'
        raise ConfigError(f'{where}: "file": "{path}" {fault}: {fix}')
    mime_type = given.get("mimeType")

    def read(uri: str) -> Served:
        try:
            return served(read_file(path), uri, mime_type, path)
        except NotServed:
            raise ResourceNotFound(uri) from None

    return {"mimeType": by_name(path), **given, "read": read}


def of_folder(where: str, given: Mapping[str, Any], template: UriTemplate) -> tuple[dict[str, Any], Any]:
    """The config with a `read` and a `list` for its `folder`; and its `complete`, which completes the path, too.

    Raises ConfigError, also for a template that can't hold a path.
    """
    root = _path(where, given, "folder")
    try:
        folder = Folder(root)
    except ConfigError as error:
        raise ConfigError(f'{where}: "folder": {error}') from None
    variable = _path_variable(where, template)
    mime_type = given.get("mimeType")
    annotations = given.get("annotations") or {}

    def read(uri: str, params: Mapping[str, str]) -> Served:
        path = params.get(variable, "")  # a query may be absent
        try:
            return served(folder.read(path), uri, mime_type, path)
        except NotServed:
            raise ResourceNotFound(uri) from None

    def list_files() -> Listed:
        items = []
        for file in folder.walk():
            uri = _uri_of(template, variable, file.path)
            if uri is not None:
                items.append(
                    {
                        "uri": uri,
                        "name": file.path,
                        "mimeType": mime_type or by_name(file.path),
                        "size": file.size,
                        "annotations": {**annotations, "lastModified": file.modified},
                    }
                )
        return Listed(to_entries(items, template, given))

    complete = given.get("complete", {})
    if isinstance(complete, Mapping):  # anything else is refused by who reads it
        complete = {variable: folder.complete, **complete}
    return {**given, "read": read, "list": list_files}, complete


def _path(where: str, given: Mapping[str, Any], key: str) -> str:
    """The absolute path under `key`, which is a str or a pathlib.Path. A later chdir doesn't change it."""
    path = given[key]
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str) or not os.fspath(path):
        raise ConfigError(f'{where}: "{key}" must be a path, a str or a pathlib.Path, not {path!r:.40}')
    if given.get("thread") is False:
        raise ConfigError(f'{where}: "thread": False would have the disk hold up the event loop: leave it out')
    return os.path.abspath(path)


def _path_variable(where: str, template: UriTemplate) -> str:
    """The one variable of a folder's template, which must be able to hold a path."""
    if len(template.names) != 1:
        raise ConfigError(
            f'{where}: "folder" needs one variable, for the path: write {{+path}} and no other; '
            f"it has {', '.join(template.names)}"
        )
    variable = template.names[0]
    example = "folder one/of many.v1.txt"
    if _uri_of(template, variable, example) is None:
        raise ConfigError(f'{where}: "folder": {{{variable}}} can\'t hold a path such as "{example}": write {{+path}}')
    return variable


def _uri_of(template: UriTemplate, variable: str, path: str) -> str | None:
    """The URI of a file of a folder: one that leads back to it. None if there is none."""
    from urllib.parse import quote

    for value in (quote(path), path):  # {+path} lets what is encoded pass, and would let "#" pass; {path} encodes
        try:
            uri = template.expand({variable: value})
        except ValueError:
            continue
        if template.match(uri) == {variable: path}:
            return uri
    return None
