"""Making and reading resources as a request does it, without a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from picomcp_py import ConfigError, McpError
from picomcp_py.jsontext import encode_json
from picomcp_py.offered.job import Errand, Later
from picomcp_py.offered.registry import Registry
from picomcp_py.offered.resource import Resource, ResourceTemplate, find, make_resource


def finished(job: Errand) -> Any:
    """Run a job's handler, which is a plain function, and convert what it gave; as it goes over the wire, read back."""
    result: Any = job.finish(job.run(*job.arguments({}, None)))
    if isinstance(result, Later):
        result = result.work()
    return json.loads(encode_json(result).decode(), parse_constant=pytest.fail)


def read(uri: str, config: Mapping[str, Any], asked: str | None = None) -> Any:
    """The result of reading `asked`, or the fixed `uri` itself."""
    made = make_resource(uri, config)
    asked = asked or uri
    params = made.template.match(asked) if isinstance(made, ResourceTemplate) else None
    return finished(made.reading(asked, params, None))


def listed(uri: str, config: Mapping[str, Any]) -> Any:
    """The entries that a template adds to resources/list."""
    made = make_resource(uri, config)
    assert isinstance(made, ResourceTemplate)
    job = made.listing()
    assert job is not None
    result = finished(job)
    assert result.keys() == {"resources"}
    return result["resources"]


def refused(uri: Any, config: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        make_resource(uri, config)
    return str(caught.value)


def failure(uri: str, config: Mapping[str, Any], asked: str | None = None) -> McpError:
    """The error that answers a reading."""
    with pytest.raises(McpError) as caught:
        read(uri, config, asked)
    return caught.value


def registries(*made: Resource | ResourceTemplate) -> tuple[Registry[Resource], Registry[ResourceTemplate]]:
    resources: Registry[Resource] = Registry("resource")
    templates: Registry[ResourceTemplate] = Registry("resource template")
    for each in made:
        if isinstance(each, Resource):
            resources.add(each)
        else:
            templates.add(each)
    return resources, templates


def who_reads(uri: str, *made: Resource | ResourceTemplate) -> tuple[str, Any] | None:
    """The name of what `find` finds, and the params."""
    found = find(*registries(*made), uri)
    return None if found is None else (found[0].name, found[1])
