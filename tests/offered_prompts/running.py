"""Prompts and completions run as they are for a client, and read back from JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from picomcp_py import ConfigError, McpError
from picomcp_py.jsontext import encode_json
from picomcp_py.offered.app import App
from picomcp_py.offered.completion import Completer
from picomcp_py.offered.config import server_options
from picomcp_py.offered.job import Job
from picomcp_py.offered.prompt import Prompt
from picomcp_py.running.runtime import open_runtime


async def perform(job: Job, arguments: Any = None) -> Any:
    """What the request is answered with. Raises McpError."""
    raw = arguments if isinstance(arguments, bytes) else encode_json(arguments or {})
    async with open_runtime(App(server_options({"name": "test"}, {})), None, shared=False) as runtime:
        return wire(await runtime.perform(job, raw))


async def got(config: Mapping[str, Any], arguments: Any = None) -> Any:
    """The result of a prompts/get of a prompt "p"."""
    return await perform(Prompt("p", config).getting(), arguments)


async def fault(config: Mapping[str, Any], arguments: Any = None) -> McpError:
    """The error of one."""
    with pytest.raises(McpError) as caught:
        await got(config, arguments)
    return caught.value


async def completed(completer: Completer, argument: str, value: str = "", **others: str) -> Any:
    """What is in a completion/complete's result."""
    answer = completer.completing(argument, value, others)
    result = wire(answer) if isinstance(answer, dict) else await perform(answer)
    assert result.keys() == {"completion"}
    return result["completion"]


def refused(config: Any, name: Any = "p") -> str:
    """The text of the ConfigError."""
    with pytest.raises(ConfigError) as caught:
        Prompt(name, config)
    return str(caught.value)


def wire(value: Any) -> Any:
    """As it goes over, read back; strictly JSON."""
    return json.loads(encode_json(value).decode(), parse_constant=pytest.fail)


def said(*texts: str, role: str = "user") -> dict[str, Any]:
    """A result of text messages."""
    return {"messages": [{"role": role, "content": {"type": "text", "text": text}} for text in texts]}
