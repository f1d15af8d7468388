"""Completion of arguments, for prompts and resource templates alike (MCP 2026-07-28, completion/complete).

What completes an argument, in this order:

1. `complete` of the config: a list of strings (or an Enum class), or a function of (value, arguments, ctx) that takes
   as many of them as it wants. `value` is what was typed so far, `arguments` the other arguments chosen already.
2. What the argument's schema names (an enum, booleans, examples).

A list is filtered: what begins with the typed value, then what contains it, whatever the case. What a function gives
is its own choice and stays as it is: any iterable of strings, numbers or enum members; None for nothing; or a dict
{"values", "total"?, "hasMore"?}.

At most 100 values are sent (the protocol's limit), with the total and whether there are more. An iterator is followed
for 10,000 items, then the total is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import Any

from ..content_checks import received
from ..errors import INVALID_PARAMS, ConfigError, McpError, sentence
from ..jsontext import decode_json
from .config import check_keys
from .handler import Runs
from .items import gathering, is_items
from .job import Errand
from .sendable import Refused, encoded_data, unsendable

MAX_VALUES = 100
FOLLOWED = 10_000
"""Items of an iterator that are counted: an endless one must not hold up the server."""
GIVEN = ("value", "arguments")
_KEYS = ("values", "total", "hasMore")


class Completer:
    """The completions of one prompt or template, which `where` names: `prompt "x"`.

    `names` are its arguments; `complete` is that key of its config; `suggestions` are values by argument that its
    schema names; `how` is the config whose `thread` and `timeout` hold for the functions too. Raises ConfigError.
    """

    def __init__(
        self,
        where: str,
        names: Iterable[str],
        complete: Any,
        suggestions: Mapping[str, Sequence[str]] | None = None,
        *,
        how: Mapping[str, Any] | None = None,
    ) -> None:
        self.label = where
        self.names = tuple(names)
        self._sources: dict[str, Sequence[str] | Runs] = dict(suggestions or {})
        if complete is None:
            complete = {}
        if not isinstance(complete, Mapping):
            raise ConfigError(
                f'{where}: "complete" must be a dict of argument names, each with a function or a list of strings, '
                f"not {type(complete).__name__}"
            )
        if complete and not self.names:
            raise ConfigError(f'{where}: "complete" has "{next(iter(complete))}", but there are no arguments')
        check_keys(f"{where}: complete", complete, self.names)
        for name, source in complete.items():
            if source is not None:
                self._sources[name] = _source(f'{where}: argument "{name}"', source, how or {})

    @property
    def completes(self) -> bool:
        """Whether there is anything to suggest, for any argument."""
        return bool(self._sources)

    def completing(
        self, argument: str, value: str, arguments: Mapping[str, str] | None = None
    ) -> dict[str, Any] | Errand:
        """The members of the result, or what has to run for them. McpError -32602 for an argument that isn't there."""
        if argument not in self.names:
            known = f"it has {', '.join(self.names[:20])}" if self.names else "it has none"
            raise McpError(INVALID_PARAMS, f'{sentence(self.label)} has no argument "{argument:.80}": {known}')
        source = self._sources.get(argument)
        if isinstance(source, Runs):
            label = f'completion of "{argument}" for {self.label}'
            given = (value, dict(arguments or {}))
            return Errand(label, source, given, lambda returned: _finish(label, returned))
        if source is None:
            return {"completion": {"values": []}}
        return {"completion": _completion(_matching(source, value))}


def _source(where: str, source: Any, how: Mapping[str, Any]) -> Sequence[str] | Runs:
    if isinstance(source, type) and issubclass(source, Enum):
        try:
            return [_text(member, member.name) for member in source]
        except Refused as error:
            raise ConfigError(f'{where}: "complete" is an enum of other values than strings: {error}') from None
    if isinstance(source, list | tuple | set | frozenset):
        for item in source:
            if not isinstance(item, str):
                raise ConfigError(f'{where}: "complete" must be a list of strings: {item!r:.40} is none')
        return sorted(source) if isinstance(source, set | frozenset) else list(source)
    if not callable(source):
        raise ConfigError(
            f'{where}: "complete" must be a function of ({", ".join(GIVEN)}, ctx) or a list of strings, '
            f"not {type(source).__name__}"
        )
    config = {"thread": how.get("thread"), "timeout": how.get("timeout"), "complete": source}
    runs = Runs(where, config, "complete", GIVEN)
    runs.run = gathering(source, _counted)
    return runs


def _matching(values: Sequence[str], typed: str) -> list[str]:
    wanted = typed.casefold()
    folded = [(value.casefold(), value) for value in values]
    first = [value for fold, value in folded if fold.startswith(wanted)]
    return first + [value for fold, value in folded if wanted in fold and not fold.startswith(wanted)]


def _finish(label: str, returned: Any) -> dict[str, Any]:
    try:
        return {"completion": _completion(returned)}
    except Refused as error:
        raise unsendable(label, error) from error


def _completion(returned: Any) -> dict[str, Any]:
    if returned is None:
        returned = ()
    if not isinstance(returned, dict):
        return _checked(_counted(_iterable(returned, "")))
    if others := [key for key in returned if key not in _KEYS]:
        raise Refused(f"unknown key {str(others[0])!r:.60}: a completion has {', '.join(_KEYS)}")
    if "values" not in returned:
        raise Refused("values: missing: a list of strings")
    counted = _counted(_iterable(returned["values"], "values: "))
    own = {key: value for key, value in returned.items() if value is not None}
    return _checked({**(counted if counted["hasMore"] else {}), **own, "values": counted["values"]}, counted["hasMore"])


def _counted(values: Iterable[Any]) -> dict[str, Any]:
    """The first values, their total where it is known, and whether there are more."""
    if isinstance(values, Iterator):
        first = [*islice(values, MAX_VALUES)]
        total = len(first) + sum(1 for _ in islice(values, FOLLOWED + 1 - MAX_VALUES))
    else:
        known = values if isinstance(values, Sequence) else [*values]
        first, total = [*known[:MAX_VALUES]], len(known)
    counted = {"values": first, "total": total, "hasMore": total > MAX_VALUES}
    if isinstance(values, Iterator) and total > FOLLOWED:
        del counted["total"]
    return counted


def _checked(completion: dict[str, Any], more: bool = False) -> dict[str, Any]:
    """With every value as text. `more`: there are more values, whatever it says itself."""
    total, has_more = completion.get("total", 0), completion.get("hasMore", False)
    if isinstance(total, bool) or not isinstance(total, int) or total < 0:
        raise Refused(f"total: expected a whole number >= 0, received {total!r:.40}")
    if not isinstance(has_more, bool):
        raise Refused(f"hasMore: expected boolean, received {received(has_more)}")
    texts = [_text(value, f"values[{index}]") for index, value in enumerate(completion["values"])]
    return {**completion, "values": texts, **({"hasMore": True} if more else {})}


def _iterable(values: Any, where: str) -> Iterable[Any]:
    if not is_items(values):
        raise Refused(f"{where}expected a list of strings, received {received(values)}")
    found: Iterable[Any] = values
    return found


def _text(value: Any, where: str) -> str:
    """What is a string, a number or a boolean in JSON, as text."""
    if type(value) is str:
        return value
    encoded = encoded_data(value, f"{where}: ")
    plain = decode_json(encoded)
    if isinstance(plain, str):
        return plain
    if isinstance(plain, int | float):
        return encoded.decode()
    raise Refused(f"{where}: expected string, received {received(plain)}")
