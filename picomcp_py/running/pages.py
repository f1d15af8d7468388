"""The pages of the four lists, encoded once and kept until what they show changes.

Where templates list resources of their own, resources/list runs those functions each time: first come the registered
resources, then what each template lists, in the order of registration. A cursor into such a list names the template and
the entries before and after the end of the page; if both are gone, the place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Raw

from ..jsontext import encode_json
from ..offered.handler import Runs
from ..offered.job import Errand
from ..offered.registry import Registry, bad_cursor, open_cursor, seal_cursor
from ..protocol.shaping import list_entry, tool_entry
from ..revisions import STATELESS

if TYPE_CHECKING:
    from .context import Context
    from .dispatch import Call
    from .runtime import Runtime

KINDS = {"prompts": "prompt", "resources": "resource", "resourceTemplates": "resource"}
"""Lists whose entries are shaped by the rows of a kind; tools have a function of their own."""


class Pages:
    """The lists of a server in one event loop."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        app = runtime.app
        self._registries: dict[str, Registry[Any]] = {
            "tools": app.tools,
            "prompts": app.prompts,
            "resources": app.resources,
            "resourceTemplates": app.templates,
        }

    def page(self, which: str, revision: str, cursor: str | None) -> Raw | Errand:
        """One page as the result of a list request, or what must be run for it. McpError for a bad cursor."""
        if which == "resources":
            place = _place(cursor)  # a bad one is refused before anything runs
            if place is not None or self._listing_templates():
                return self._collecting(revision, cursor, place)
        registry = self._registries[which]
        return registry.keep((revision, cursor), lambda: self._encode(which, registry, revision, cursor))

    def _encode(self, which: str, registry: Registry[Any], revision: str, cursor: str | None) -> Raw:
        entries, following = registry.page(cursor, self._runtime.app.options.page_size)
        if which == "tools":
            shown = [tool_entry(tool.entry, revision, tool.wraps) for tool in entries]
        else:
            shown = [list_entry(KINDS[which], entry.entry, revision) for entry in entries]
        result: dict[str, Any] = {which: shown}
        if following is not None:
            result["nextCursor"] = following
        stamp = self._runtime.stamp
        return Raw(encode_json(stamp.on_result(result, stamp.hints(which)) if revision in STATELESS else result))

    # ------------------------------------------------------------ resources that templates list

    def _listing_templates(self) -> list[Any]:
        templates = self._runtime.app.templates
        return templates.keep("listing", lambda: [each for each in templates if each.listing() is not None])

    def _collecting(self, revision: str, cursor: str | None, place: Place | None) -> Errand:
        own = self._runtime.app.resources.after(cursor) if place is None else []

        async def collect(ctx: Context) -> dict[str, Any]:
            return await self._collect(revision, own, place, ctx._call)

        runs = Runs("resources/list", {"run": collect}, given=())
        hints = self._runtime.stamp.hints("resources")
        return Errand("resources/list", runs, (), lambda result: result, caching=hints)

    async def _collect(
        self, revision: str, own: list[tuple[int, Any]], place: Place | None, call: Call
    ) -> dict[str, Any]:
        """The page of `own`, the registered resources that are left, and what templates list from `place` on."""
        app = self._runtime.app
        size = app.options.page_size
        following = app.resources.cursor(own[size - 1][0]) if size is not None and len(own) >= size else ""
        found: list[tuple[dict[str, Any], int, int]] = [(resource.entry, 0, 0) for _, resource in own]
        for template in self._listing_templates():
            number = app.templates.number(template)
            if not number or (place is not None and number < place.template):
                continue  # removed meanwhile, or listed on an earlier page
            if size is not None and len(found) > size:
                break  # the page is full
            job = template.listing()
            listing: Any = await self._runtime.perform(job, outer=call)
            entries = listing["resources"]
            start = _start(entries, place) if place is not None and number == place.template else 0
            found += [
                (entry, number, index)
                for index, entry in enumerate(entries)
                if index >= start and entry["uri"] not in app.resources
            ]
        page = found if size is None else found[:size]
        result: dict[str, Any] = {"resources": [list_entry("resource", entry, revision) for entry, *_ in page]}
        if len(found) > len(page):
            result["nextCursor"] = following or _cursor(page[-1], found[len(page)])
        return result


class Place(NamedTuple):
    """The end of a page, in what a template lists: the template's number; where the last entry stood, and its
    mark; the mark of the entry after it, if it is the same template's, else "".
    """

    template: int
    at: int
    last: str
    following: str


def _start(entries: list[dict[str, Any]], place: Place) -> int:
    """The index of the first entry after a place."""
    if place.at < len(entries) and _mark(entries[place.at]["uri"]) == place.last:
        return place.at + 1
    marks = [_mark(entry["uri"]) for entry in entries]
    if place.last in marks:
        return marks.index(place.last) + 1
    return marks.index(place.following) if place.following in marks else place.at


def _cursor(last: tuple[dict[str, Any], int, int], following: tuple[dict[str, Any], int, int]) -> str:
    entry, number, index = last
    after = _mark(following[0]["uri"]) if following[1] == number else ""
    return seal_cursor(f"listed:{number}:{index}:{_mark(entry['uri'])}:{after}")


def _place(cursor: str | None) -> Place | None:
    """What a cursor names; None for one of the registered resources."""
    if cursor is None:
        return None
    parts = open_cursor(cursor).split(":")
    if parts[0] != "listed":
        return None
    if len(parts) != 5 or not all(part.isdecimal() and len(part) < 10 for part in parts[1:3]):
        raise bad_cursor()
    return Place(int(parts[1]), int(parts[2]), parts[3], parts[4])


def _mark(uri: str) -> str:
    """Stands for a URI, which may be long."""
    import hashlib

    return hashlib.blake2s(uri.encode("utf-8", "replace"), digest_size=8).hexdigest()
