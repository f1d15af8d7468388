"""ResourceNotFound, which handlers may raise themselves."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from picomcp_py import McpError
from picomcp_py.errors import INVALID_PARAMS, ResourceNotFound
from tests.offered_resources.reading import failure


def test_it_is_an_error_of_the_protocol_with_the_uri_as_data() -> None:
    error = ResourceNotFound("note://x")
    assert isinstance(error, McpError)
    assert (error.code, error.message, error.data) == (
        INVALID_PARAMS,
        "Resource not found: note://x",
        {"uri": "note://x"},
    )
    for same in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (type(same), same.uri, same.data) == (ResourceNotFound, "note://x", {"uri": "note://x"})


def test_its_message_is_one_short_line_and_its_data_exact() -> None:
    uri = "note://\n\x1b[31m" + "x" * 5000
    error = ResourceNotFound(uri)
    assert len(error.message) <= len("Resource not found: ") + 200
    assert error.message.isprintable()
    assert error.data == {"uri": uri}


def test_another_type_is_a_type_error() -> None:
    other: Any = 5
    with pytest.raises(TypeError, match="uri must be a str, not int"):
        ResourceNotFound(other)


def test_a_handler_may_raise_it_for_another_uri() -> None:
    def read() -> str:
        raise ResourceNotFound("note://gone")

    assert failure("note://x", {"read": read}).data == {"uri": "note://gone"}
