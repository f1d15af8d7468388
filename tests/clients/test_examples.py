"""The official clients, with the examples: each lists its tool, takes a good call, refuses a bad one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.clients.drivers import CLIENTS, ERAS, ROOT, Steps, drive

EXAMPLES = ROOT / "examples"
ORDER: dict[str, Any] = {
    "customer": {"name": "Ada Lovelace", "email": "ada@example.com"},
    "items": [{"sku": "TEA-01", "quantity": 2}, {"sku": "MUG-02"}],
}
ORDERED = (
    "place_order",
    (ORDER, "3 articles for Ada Lovelace, standard: 21.95 EUR"),
    ({**ORDER, "shipping": "drone"}, 'shipping: Invalid option: expected one of "standard"|"express"'),
)
STORIES = {  # file -> tool, (good arguments, the answer's text), (bad arguments, the fault that is told)
    "chart": ("chart", ({"values": [1, 4]}, "Here is the chart:"), ({}, "values: Invalid input: expected array")),
    "get_price": (
        "get_price",
        ({"sku": "tea"}, '{"sku":"tea","cents":450,"currency":"EUR"}'),
        ({"sku": 1}, "sku: Invalid input: expected string, received number"),
    ),
    "json_schema": ORDERED,
    "msgspec_types": ORDERED,
    "pydantic_models": ORDERED,
    "search_issues": (
        "search_issues",
        ({"repo": "picomcp/picomcp", "query": "windows"}, "Windows"),
        ({"repo": "picomcp/picomcp", "query": "windows", "limit": 51}, "limit: Too big: expected number to be <=50"),
    ),
}


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a token search_issues would ask GitHub. (The Python client passes on only a few variables anyway.)"""
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)


def test_every_example_has_a_story() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py") if not path.stem.startswith("_")} == STORIES.keys()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("example", STORIES)
def test_an_example_serves_the_official_clients(example: str, client: str, era: str) -> None:
    tool, (good, answer), (bad, fault) = STORIES[example]
    steps: Steps = [
        {"do": "list"},
        *({"do": "call", "name": tool, "arguments": arguments} for arguments in (good, bad)),
    ]
    listed, served, refused = drive(client, era, Path(EXAMPLES / f"{example}.py"), steps)["outcomes"]
    assert [one["name"] for one in listed["tools"]] == [tool]
    assert not served["result"].get("isError")
    assert answer in served["result"]["content"][0]["text"]
    assert refused["result"]["isError"] is True
    said = refused["result"]["content"][0]["text"]
    assert said.startswith(f'Invalid arguments for tool "{tool}":\n')
    assert fault in said
