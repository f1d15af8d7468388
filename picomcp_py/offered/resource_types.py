"""The types of resources: what a type checker knows of `server.resource(...)`. In the manner of tool_types.py.

Types only. Whether a URI has variables can't be told from its type, so a `read` is checked to take what a fixed one or
a template's may take; which of both it is, and all the rest, is checked at registration.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, Required, TypeAlias, TypedDict, TypeVar

from .tool_types import Icon

if TYPE_CHECKING:
    from os import PathLike

    from ..running.context import AnyContext
    from .prompt_types import Complete

__all__ = ["ResourceConfig", "ResourceOptions", "ResourceReader"]

ResourceParams: TypeAlias = dict[str, Any]
"""The variables of a template: strings, and lists of strings for exploded ones."""

ResourceReader: TypeAlias = (
    Callable[[], Any]
    | Callable[[str], Any]
    | Callable[[str, "AnyContext"], Any]
    | Callable[[str, ResourceParams], Any]
    | Callable[[str, ResourceParams, "AnyContext"], Any]
)
"""A resource's `read`: (), (uri) or (uri, ctx); of a template also (uri, params) or (uri, params, ctx)."""

Listed: TypeAlias = "Iterable[str | Mapping[str, Any]]"
ResourceList: TypeAlias = (
    "Callable[[], Listed | Awaitable[Listed]] | Callable[[AnyContext], Listed | Awaitable[Listed]]"
)
"""A template's `list`: () or (ctx)."""

Read = TypeVar("Read", bound=Callable[..., Any])


class ResourceDecorator(Protocol):
    """Registers a `read`, and gives it back."""

    def __call__(self, read: Read, /) -> Read: ...


class ResourceAnnotations(TypedDict, total=False):
    """For whom, how important (0 to 1), and since when (ISO 8601)."""

    audience: Sequence[Literal["user", "assistant"]]
    priority: float
    lastModified: str


class ResourceOptions(TypedDict, total=False):
    """The keys of a resource's config besides what reads it. `timeout` is in seconds, `size` in bytes."""

    name: str
    title: str
    description: str
    mimeType: str
    list: ResourceList
    complete: Mapping[str, Complete]
    annotations: ResourceAnnotations
    icons: Sequence[Icon]
    size: int
    meta: Mapping[str, Any]
    ttlMs: int
    cacheScope: Literal["public", "private"]
    tags: Sequence[str] | set[str]
    timeout: float | None
    thread: bool


class ResourceConfig(ResourceOptions, total=False):
    """A resource's whole config, also when it is kept in a variable.

    config: ResourceConfig = {"mimeType": "text/plain", "read": read_note}
    server.resource("note://{date}", config)
    """

    read: Required[ResourceReader]


class ResourceShown(ResourceOptions, total=False):
    """A config whose `read` comes by decorator."""

    read: None
    file: None
    folder: None


class ResourceFile(ResourceOptions, total=False):
    file: Required[str | PathLike[str]]


class ResourceFolder(ResourceOptions, total=False):
    folder: Required[str | PathLike[str]]
