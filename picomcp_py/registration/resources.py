"""`server.resource`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from .offering import Offering

if TYPE_CHECKING:
    from os import PathLike

    from ..offered.prompt_types import Complete
    from ..offered.resource_types import (
        ResourceAnnotations,
        ResourceConfig,
        ResourceDecorator,
        ResourceFile,
        ResourceFolder,
        ResourceList,
        ResourceReader,
        ResourceShown,
    )
    from ..offered.tool_types import Icon


class Resources(Offering):
    """The part of a Server that has to do with resources."""

    # As in `tools`: the shapes of a registration, for type checkers alone.
    if TYPE_CHECKING:

        @overload
        def resource(self, uri: str, config: ResourceConfig | ResourceFile | ResourceFolder, /) -> Self: ...
        @overload
        def resource(self, uri: str, config: ResourceShown, /) -> ResourceDecorator: ...
        @overload
        def resource(
            self,
            uri: str,
            /,
            *,
            read: ResourceReader,
            name: str = ...,
            title: str = ...,
            description: str = ...,
            mime_type: str = ...,
            list: ResourceList = ...,
            complete: Mapping[str, Complete] = ...,
            annotations: ResourceAnnotations = ...,
            icons: Sequence[Icon] = ...,
            size: int = ...,
            meta: Mapping[str, Any] = ...,
            ttl_ms: int = ...,
            cache_scope: Literal["public", "private"] = ...,
            tags: Sequence[str] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
        ) -> Self: ...
        @overload
        def resource(
            self,
            uri: str,
            /,
            *,
            file: str | PathLike[str],
            name: str = ...,
            title: str = ...,
            description: str = ...,
            mime_type: str = ...,
            annotations: ResourceAnnotations = ...,
            icons: Sequence[Icon] = ...,
            size: int = ...,
            meta: Mapping[str, Any] = ...,
            ttl_ms: int = ...,
            cache_scope: Literal["public", "private"] = ...,
            tags: Sequence[str] | set[str] = ...,
            timeout: float | None = ...,
        ) -> Self: ...
        @overload
        def resource(
            self,
            uri: str,
            /,
            *,
            folder: str | PathLike[str],
            name: str = ...,
            title: str = ...,
            description: str = ...,
            mime_type: str = ...,
            complete: Mapping[str, Complete] = ...,
            annotations: ResourceAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            ttl_ms: int = ...,
            cache_scope: Literal["public", "private"] = ...,
            tags: Sequence[str] | set[str] = ...,
            timeout: float | None = ...,
        ) -> Self: ...
        @overload
        def resource(
            self,
            uri: str,
            /,
            *,
            name: str = ...,
            title: str = ...,
            description: str = ...,
            mime_type: str = ...,
            list: ResourceList = ...,
            complete: Mapping[str, Complete] = ...,
            annotations: ResourceAnnotations = ...,
            icons: Sequence[Icon] = ...,
            size: int = ...,
            meta: Mapping[str, Any] = ...,
            ttl_ms: int = ...,
            cache_scope: Literal["public", "private"] = ...,
            tags: Sequence[str] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
        ) -> ResourceDecorator: ...

    def resource(self, uri: str, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> Any:
        """Register a resource under a URI, or under a URI template (RFC 6570) all URIs that it matches:
        `server.resource("note://{date}", {...})`, or the same keys as keywords.

        With `read` it returns the server, so that calls chain; without, a decorator for that function. `read` takes
        (uri, ctx), of a template (uri, params, ctx), and gives str, bytes, data, contents, or None for "there is none".
        In its place `file` names a file to serve, and for a template `folder` a directory. The other keys, all
        optional: `list`, for a template, a function that gives its resources, and `complete`, suggestions for its
        variables; `name`, `title`, `description`, `mimeType`, `annotations` (audience, priority, lastModified),
        `icons`, `size` in bytes, `meta`: what clients are shown; `ttlMs` and `cacheScope`; `tags`, your own labels;
        `timeout` in seconds; `thread`, False runs a def handler in the event loop.

        Raises ConfigError for whatever can't work.
        """
        given = {_SPELLING.get(key, key): value for key, value in keywords.items()}
        sources = ("read", "file", "folder")
        return self._offer("resource", uri, config, given, self._check_resource, self._add_resource, sources)

    def _check_resource(self, uri: str) -> None:
        from ..offered.resource_entry import check_scheme, label_of

        check_scheme(label_of(uri), uri)  # the rest once there is a function
        if not self._replaces:
            self._registry(uri).refuse_duplicate(uri)

    def _registry(self, uri: str) -> Any:
        from ..offered.resource_entry import label_of
        from ..uri_template import has_expression

        label_of(uri)  # what isn't even text
        return self._app.templates if has_expression(uri) else self._app.resources

    def _add_resource(self, uri: str, config: Any) -> None:
        from ..offered.resource import make_resource

        made = make_resource(uri, config)
        self._registry(uri).add(made, replace=self._replaces)

    def remove_resource(self, uri: str) -> None:
        """Of a URI, or a URI template. Clients are told. Raises KeyError when there is none, ConfigError for what is no
        string.
        """
        self._registry(uri).remove(uri)

    def notify_resource(self, uri: str) -> None:
        """Tell the clients that follow this resource that its contents have changed. From any thread."""
        if not isinstance(uri, str):
            raise TypeError(f"notify_resource: the URI must be a string, not {type(uri).__name__}")
        from ..bus import Change

        self._app.publish(Change("resource", uri))

    def notify_resources(self) -> None:
        """Tell clients that the list of resources is another: for what a template's `list` gives, as registering and
        removing tell it themselves. From any thread.
        """
        from ..bus import Change

        self._app.publish(Change("resources"))

    def list_resources(self) -> list[dict[str, Any]]:
        """The resources with fixed URIs as resources/list shows them at the newest revision, in the order of
        registration. What templates list is not among them.
        """
        return self._entries(self._app.resources)

    def list_resource_templates(self) -> list[dict[str, Any]]:
        """The templates as resources/templates/list shows them at the newest revision, in the order of registration."""
        return self._entries(self._app.templates)

    def _entries(self, registry: Any) -> list[dict[str, Any]]:
        self._check_finished()
        from copy import deepcopy

        return [deepcopy(each.entry) for each in registry]


_SPELLING = {"mime_type": "mimeType", "ttl_ms": "ttlMs", "cache_scope": "cacheScope"}
"""Keywords in snake_case -> keys."""
