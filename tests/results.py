"""Reading what `to_result` makes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from picomcp_py.jsontext import encode_json
from picomcp_py.offered.result import CallResult, Output, to_result
from picomcp_py.schemas.schema import schema_of

SENT = 'Tool "t" returned a value that cannot be sent: '
MISFIT = 'Tool "t" returned a value that does not fit its output schema:\n'


def wire(value: Any, output: Any = None) -> Any:
    """The result as it goes over the wire, read back; strictly JSON."""
    made = to_result(value, None if output is None else Output(schema_of(output)), "t")
    assert type(made) is CallResult
    encoded = encode_json(made)
    assert b"\n" not in encoded
    return json.loads(encoded.decode(), parse_constant=pytest.fail)


def texts(*parts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": part} for part in parts]


def error_text(value: Any, output: Any = None) -> str:
    made = wire(value, output)
    assert made.keys() == {"content", "isError"}
    assert made["isError"] is True
    (block,) = made["content"]
    text: str = block["text"]
    return text
