"""Registering, whatever it is: at once with a function in the config, else by a decorator for the function to come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import ConfigError
from ..offered.app import App


class Offering:
    """The part of a Server that the kinds share."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._unfinished: dict[tuple[str, str], str] = {}
        """Decorators not applied yet: (kind, name) -> where it was written."""

    def _offer(
        self,
        kind: str,
        name: str,
        config: Mapping[str, Any] | None,
        keywords: Mapping[str, Any],
        check: Callable[[str], None],
        add: Callable[[str, Any], None],
        functions: tuple[str, ...] = ("run",),
    ) -> Any:
        """Register with one of `functions` in the config; else a decorator that brings the first of them. `check`
        refuses a name at once; `add` registers.
        """
        merged = {**(config or {}), **keywords} if config is None or isinstance(config, Mapping) else config
        if not isinstance(merged, dict) or any(merged.get(key) is not None for key in functions):
            add(name, merged)
            return self
        key = functions[0]
        merged.pop(key, None)
        check(name)
        frame = sys._getframe(2)
        self._unfinished[kind, name] = f"{frame.f_code.co_filename}:{frame.f_lineno}"

        def register(function: Any) -> Any:
            if not callable(function):
                raise ConfigError(f'{kind} "{name}": the decorator needs a function, not {type(function).__name__}')
            self._unfinished.pop((kind, name), None)
            add(name, {**merged, key: function})
            return function

        return register

    @property
    def _replaces(self) -> bool:
        return self._app.options.on_duplicate == "replace"

    def _check_finished(self) -> None:
        """ConfigError for a decorator that was never applied."""
        if self._unfinished:
            (kind, name), where = next(iter(self._unfinished.items()))
            key = "read" if kind == "resource" else "run"
            raise ConfigError(
                f'{kind} "{name}" at {where} has no "{key}": add "{key}" to its config, or put '
                f'@server.{kind}("{name}", ...) above a function'
            )
