"""What a server is, apart from any event loop: its options, what it offers, and the loops it is at work in."""

from __future__ import annotations

from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Literal

from ..errors import INVALID_PARAMS, MAX_URI, McpError, ResourceNotFound
from .config import ServerOptions
from .registry import Registry
from .tool import Tool

if TYPE_CHECKING:
    from ..bus import Bus, Change
    from .prompt import Prompt
    from .resource import Resource, ResourceTemplate

COMPARED = 500
"""Names that a misspelt one is compared with at most: it takes some microseconds each."""


class App:
    """Shared by the Server and everything that serves it."""

    def __init__(self, options: ServerOptions) -> None:
        self.options = options
        self._own_bus: dict[str, Bus] = {}
        self.features: frozenset[str] = frozenset({"tools"})
        """What is offered, as capabilities call it. What was offered once stays: clients have been told."""
        self.tools: Registry[Tool] = Registry("tool", lambda: self._changed("tools"))
        self.prompts: Registry[Prompt] = Registry("prompt", lambda: self._changed("prompts", "completions"))
        self.resources: Registry[Resource] = Registry("resource", lambda: self._changed("resources"))
        self.templates: Registry[ResourceTemplate] = Registry(
            "resource template", lambda: self._changed("resources", "completions")
        )
        self.runtimes: dict[object, Any] = {}
        """The open Runtime of each loop, by its key: calls in process share its lifespan."""
        self.at_work: set[Any] = set()
        """All open Runtimes."""
        self.owners: Any = None
        """The Owners of its loops, once it was served over HTTP."""
        self.context = copy_context()
        """What the program had set when it made the server: the context of what no request starts."""

    def _changed(self, kind: Literal["tools", "prompts", "resources"], *more: str) -> None:
        if kind not in self.features or not self.features.issuperset(more):
            self.features |= {kind, *more}
        if self.at_work:
            from ..bus import Change

            self.publish(Change(kind))

    @property
    def bus(self) -> Bus:
        """The bus of the options, else one within this process; made when the server is first at work."""
        if self.options.bus is not None:
            return self.options.bus
        from ..bus import LocalBus

        return self._own_bus.setdefault("bus", LocalBus())  # two loops in two threads may come here at once

    def publish(self, change: Change) -> None:
        """Tell whoever listens, here and wherever the bus reaches. While nothing is served, nobody does."""
        if self.at_work:
            self.bus.publish(change)

    def tool(self, name: str) -> Tool:
        """McpError -32602 when there is none of that name."""
        return self.tools.get(name) or self._unknown(self.tools, "tool", name)

    def find(self, uri: str) -> tuple[Any, Any]:
        """The resource or template of a URI, and the template's variables, None for a resource. ResourceNotFound."""
        found = None
        if "resources" in self.features and len(uri) <= MAX_URI:
            from .resource import find

            found = find(self.resources, self.templates, uri)
        if found is None:
            raise ResourceNotFound(uri)
        return found

    def template(self, text: str) -> ResourceTemplate:
        """The template of that text, or the one that a URI belongs to. McpError -32602 when there is none."""
        template = self.templates.get(text)
        if template is None:
            try:
                found, params = self.find(text)
            except ResourceNotFound:  # which has a code of its own in the handshake era
                params = None
            template = self._unknown(self.templates, "resource template", text) if params is None else found
        return template

    def prompt(self, name: str) -> Prompt:
        """McpError -32602 when there is none of that name."""
        return self.prompts.get(name) or self._unknown(self.prompts, "prompt", name)

    def _unknown(self, registry: Registry[Any], kind: str, name: str) -> Any:
        from difflib import get_close_matches

        shown = name if len(name) <= 128 else name[:128] + "..."
        names = registry.names()
        near = get_close_matches(shown, names, 1) if len(names) <= COMPARED else []
        hint = f' (did you mean "{near[0]}"?)' if near else ""
        raise McpError(INVALID_PARAMS, f"Unknown {kind}: {shown}{hint}")
