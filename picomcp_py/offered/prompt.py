"""One prompt: its config checked when it is registered, and what a prompts/get runs.

On the wire all arguments of a prompt are strings, so they are read in the lenient mode: "5" is an integer where the
schema wants one (schemas/coerce.py). Every mistake in a config is a ConfigError that names the prompt, the key and the
fix (https://modelcontextprotocol.io/specification/2026-07-28/server/prompts).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ConfigError
from .completion import Completer
from .config import plain_icons
from .entry import check_entry, check_entry_name, plain_entry
from .handler import Runs
from .job import Errand
from .messages import to_messages
from .sendable import Refused, unsendable
from .validation import Check, check_input_root, document_of, lenient, published_by, schema_in

KEYS = (
    "title",
    "description",
    "input",
    "complete",
    "run",
    "icons",
    "meta",
    "tags",
    "timeout",
    "thread",
)


class Prompt:
    """A registered prompt. `entry` is how prompts/list shows it at 2026-07-28; older revisions are shaped from that.

    `completer` completes its arguments.
    """

    __slots__ = ("_check", "_runs", "completer", "entry", "input", "label", "name", "tags")

    def __init__(self, name: str, config: Mapping[str, Any]) -> None:
        check_name(name)
        where = self.label = f'prompt "{name}"'
        check_entry(where, config, KEYS)
        if config.get("run") is None:
            raise ConfigError(f'{where}: "run" is missing: a function of (input, ctx) that gives the messages')
        self._runs = Runs(where, config)
        self.name = name
        self.tags: tuple[str, ...] = tuple(config.get("tags") or ())
        self.input = schema_in(where, "input", config.get("input"))
        self._check: Check | None = None
        arguments: list[dict[str, Any]] = []
        suggestions: dict[str, list[str]] = {}
        published = published_by(where, "input", self.input)
        if self.input is not None and published is not None:
            from .prompt_arguments import arguments_of, suggestions_of  # what a server without prompts needn't load

            check_input_root(where, published)
            document = document_of(published)
            self._check = lenient(self.input, document)
            arguments, suggestions = arguments_of(document), suggestions_of(document)
        names = [argument["name"] for argument in arguments]
        self.completer = Completer(where, names, config.get("complete"), suggestions, how=config)
        self.entry = plain_entry(
            where,
            {
                "name": name,
                "title": config.get("title"),
                "description": config.get("description"),
                "arguments": arguments if self.input is not None else None,
                "icons": plain_icons(config.get("icons") or ()) or None,
                "_meta": config.get("meta"),
            },
        )

    def getting(self) -> Errand:
        """What one prompts/get runs, from the raw arguments (an object) to the members of the result."""
        return Errand(self.label, self._runs, ({},), self._finish, check=self._check)

    def _finish(self, returned: Any) -> dict[str, Any]:
        try:
            return to_messages(returned)
        except Refused as error:
            raise unsendable(self.label, error) from error


def check_name(name: str) -> None:
    """The name rule: 1 to 128 of letters, digits, `_`, `.`, `-`."""
    check_entry_name("prompt", name)
