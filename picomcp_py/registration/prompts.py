"""`server.prompt`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

from .offering import Offering

if TYPE_CHECKING:
    from ..offered.prompt_shapes import PromptDecorator, PromptIn, PromptInRun, PromptUntyped, PromptUntypedRun
    from ..offered.prompt_types import Complete, PromptHandler
    from ..offered.tool_shapes import Json
    from ..offered.tool_types import Icon, In, JsonSchema, SchemaSource


class Prompts(Offering):
    """The part of a Server that has to do with prompts."""

    # As in `tools`: the shapes of a registration, for type checkers alone.
    if TYPE_CHECKING:

        @overload
        def prompt(self, name: str, config: PromptInRun[In], /) -> Self: ...
        @overload
        def prompt(self, name: str, config: PromptUntypedRun, /) -> Self: ...
        @overload
        def prompt(self, name: str, config: PromptIn[In], /) -> PromptDecorator[In]: ...
        @overload
        def prompt(self, name: str, config: PromptUntyped, /) -> PromptDecorator[Json]: ...
        @overload
        def prompt(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            run: PromptHandler[In],
            title: str = ...,
            description: str = ...,
            complete: Mapping[str, Complete] = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
        ) -> Self: ...
        @overload
        def prompt(
            self,
            name: str,
            /,
            *,
            input: SchemaSource[In],
            title: str = ...,
            description: str = ...,
            complete: Mapping[str, Complete] = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
        ) -> PromptDecorator[In]: ...
        @overload
        def prompt(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            run: PromptHandler[Json],
            title: str = ...,
            description: str = ...,
            complete: Mapping[str, Complete] = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
        ) -> Self: ...
        @overload
        def prompt(
            self,
            name: str,
            /,
            *,
            input: JsonSchema = ...,
            title: str = ...,
            description: str = ...,
            complete: Mapping[str, Complete] = ...,
            icons: Sequence[Icon] = ...,
            meta: Mapping[str, Any] = ...,
            tags: list[str] | tuple[str, ...] | set[str] = ...,
            timeout: float | None = ...,
            thread: bool = ...,
        ) -> PromptDecorator[Json]: ...

    def prompt(self, name: str, config: Mapping[str, Any] | None = None, /, **keywords: Any) -> Any:
        """Register a prompt: `server.prompt("name", {...})`, or the same keys as keywords.

        With `run`, a function of (input, ctx) that gives the text, a message, a list of messages or the whole result,
        it returns the server, so that calls chain; without, a decorator for that function. The other keys, all
        optional: `input`, a schema as for tools, whose properties are the arguments; `complete`, suggestions for an
        argument, a list of strings or a function of (value, arguments, ctx); `title`, `description`, `icons`, `meta`:
        what clients are shown; `tags`, your own labels; `timeout` in seconds; `thread`, False runs a def handler in the
        event loop. Arguments come as strings and are read in the lenient mode: "5" fits an integer.

        Raises ConfigError for whatever can't work.
        """
        return self._offer("prompt", name, config, keywords, self._check_prompt, self._add_prompt)

    def _check_prompt(self, name: str) -> None:
        from ..offered.prompt import check_name

        check_name(name)
        if not self._replaces:
            self._app.prompts.refuse_duplicate(name)

    def _add_prompt(self, name: str, config: Any) -> None:
        from ..offered.prompt import Prompt

        self._app.prompts.add(Prompt(name, config), replace=self._replaces)

    def remove_prompt(self, name: str) -> None:
        """Raises KeyError when there is none of that name. Clients are told."""
        self._app.prompts.remove(name)

    def list_prompts(self) -> list[dict[str, Any]]:
        """The prompts as prompts/list shows them at the newest revision, in the order of registration."""
        self._check_finished()
        from copy import deepcopy

        return [deepcopy(prompt.entry) for prompt in self._app.prompts]
