"""`server.tool`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

from ..offered.tool import Tool, check_name
from .offering import Offering

if TYPE_CHECKING:
    from ..offered.tool_shapes import (
        InOnly,
        InOnlyRun,
        InOut,
        InOutRun,
        InputDecorator,
        Json,
        OutOnly,
        OutOnlyRun,
        ToolDecorator,
        Untyped,
        UntypedRun,
    )
    from ..offered.tool_types import (
        Handler,
        Icon,
        In,
        JsonSchema,
        Out,
        SchemaSource,
        ToolAnnotations,
    )


class Tools(Offering):
    """The part of a Server that has to do with tools."""

    # The shapes of a registration, for type checkers alone: dict or keywords, with `run` or a decorator, `input` typed
    # or not, `output` typed or not. Keywords are spelt out: ty does not check `**options: Unpack[ToolOptions]`.
    if TYPE_CHECKING:

        @overload
        def tool(self, name: str, config: InOutRun[In, Out], /) -> Self: ...
        @overload
        def tool(self, name: str, config: InOnlyRun[In], /) -> Self: ...
        @overload
        def tool(self, name: str, config: OutOnlyRun[Out], /) -> Self: ...
        @overload
        def tool(self, name: str, config: UntypedRun, /) -> Self: ...
        @overload
        def tool(self, name: str, config: InOut[In, Out], /) -> ToolDecorator[In, Out]: ...
        @overload
        def tool(self, name: str, config: InOnly[In], /) -> InputDecorator[In]: ...
        @overload
        def tool(self, name: str, config: OutOnly[Out], /) -> ToolDecorator[Json, Out]: ...
        @overload
        def tool(self, name: str, config: Untyped, /) -> InputDecorator[Json]: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            output: SchemaSource[Out],
            run: Handler[In, Out],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> Self: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            output: SchemaSource[Out],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> ToolDecorator[In, Out]: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            output: JsonSchema = ...,
            run: Handler[In, Any],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> Self: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            output: JsonSchema = ...,
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> InputDecorator[In]: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            output: SchemaSource[Out],
            run: Handler[Json, Out],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> Self: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            output: SchemaSource[Out],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> ToolDecorator[Json, Out]: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            output: JsonSchema = ...,
            run: Handler[Json, Any],
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> Self: ...
        @overload
        def tool(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            output: JsonSchema = ...,
            title: str = ...,
            description: str = ...,
            annotations: ToolAnnotations = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
            coerce: bool = ...,
        ) -> InputDecorator[Json]: ...

    def tool(self, name: str, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> Any:
        """Register a tool: `server.tool("name", {...})`, or the same keys as keywords.

        With `run`, a function of (input, ctx), it returns the server, so that calls chain; without, a decorator for
        that function. The other keys, all optional: `input` and `output`, schemas (a msgspec or pydantic type, a JSON
        Schema dict, or an object with `__standard_schema__`); `title`, `description`, `annotations` (readOnlyHint,
        destructiveHint, idempotentHint, openWorldHint, title), `icons`, `meta`: what clients are shown; `tags`, your
        own labels; `timeout` in seconds; `thread`, False runs a def handler in the event loop; `coerce`, the lenient
        mode. Names have 1 to 128 characters of A-Z a-z 0-9 _ . -

        Raises ConfigError for whatever can't work: a bad or duplicate name, an unknown key, a wrong value, a schema or
        handler that can't be used.
        """
        return self._offer("tool", name, config, keywords, self._check_tool, self._add_tool)

    def _check_tool(self, name: str) -> None:
        check_name(name)
        if not self._replaces:
            self._app.tools.refuse_duplicate(name)

    def _add_tool(self, name: str, config: Any) -> None:
        tool = Tool(name, config, coerce=self._app.options.coerce)
        self._app.tools.add(tool, replace=self._replaces)

    def remove_tool(self, name: str) -> None:
        """Raises KeyError when there is none of that name. Clients are told."""
        self._app.tools.remove(name)

    def list_tools(self) -> list[dict[str, Any]]:
        """The tools as tools/list shows them at the newest revision, in the order of registration."""
        self._check_finished()
        from copy import deepcopy

        return [deepcopy(tool.entry) for tool in self._app.tools]
