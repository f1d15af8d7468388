"""What `serve` takes: the options of stdio, or with `port` those of HTTP, never both.

HTTP's are looked at only when they are used: a server on stdio starts without importing them.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from ..offered.config import check_count, check_keys

if TYPE_CHECKING:
    from .http.options import HttpOptions

WHERE = "serve()"
STDIO = {"maxMessageBytes": "max_message_bytes", "drainSeconds": "drain_seconds"}
ARGUMENTS = {"maxMessageBytes": "max_line", "drainSeconds": "drain_seconds"}
"""key -> argument of `serve_stdio`."""


def serve_options(config: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> dict[str, Any] | HttpOptions:
    """The checked options: for stdio the arguments of `serve_stdio`, else HttpOptions. Raises ConfigError."""
    config = {key: value for key, value in (config or {}).items() if key != "port" or value is not None}
    keywords = {key: value for key, value in keywords.items() if key != "port" or value is not None}
    if all(key in STDIO for key in config) and all(key in STDIO.values() for key in keywords):
        return _stdio(config, keywords)
    from .http.options import KEYS, http_options

    check_keys(WHERE, config, (*STDIO, *KEYS))
    check_keys(WHERE, keywords, (*STDIO.values(), *KEYS.values()))
    of_stdio = next((k for k in (*config, *keywords) if k in STDIO or k in STDIO.values()), None)
    of_http = next((k for k in (*config, *keywords) if k in KEYS or k in KEYS.values()), None)
    if of_stdio is not None and of_http is not None:
        raise ConfigError(f'{WHERE}: "{of_stdio}" is for stdio, and "{of_http}" for HTTP: leave one of them out')
    if "port" not in config and "port" not in keywords:
        raise ConfigError(f'{WHERE}: "{of_http}" is for HTTP: add "port" (0 takes any that is free), or leave it out')
    return http_options(WHERE, config, keywords)


def _stdio(config: Mapping[str, Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
    by_keyword = {keyword: key for key, keyword in STDIO.items()}
    given = {**config, **{by_keyword[k]: v for k, v in keywords.items()}}
    check_count(WHERE, given, "maxMessageBytes", 1024)
    drain = given.get("drainSeconds") or 0
    if isinstance(drain, bool) or not isinstance(drain, int | float) or not 0 <= drain < inf:
        raise ConfigError(f'{WHERE}: "drainSeconds" must be a number of seconds from 0, not {drain!r:.40}')
    return {ARGUMENTS[k]: v for k, v in given.items() if v is not None}
