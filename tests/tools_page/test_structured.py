"""Structured output, as the page has it, for each way of writing a schema."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from picomcp_py import Server, pico
from tests.peer import EVERY, connected, text_of
from tests.tools_page.kinds import KINDS, field, kind
from tests.tools_page.manifest import covers

ROOT = Path(__file__).parents[2]
PRICE = {"sku": "tea", "cents": 450, "currency": "EUR"}
SKU = {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}

in_both_loops = pytest.mark.anyio


def shop(kind_name: str, returned: Any = None) -> Server:
    """A server with get_price, which returns a price or what it is told to."""

    async def run(input: Any) -> Any:
        return {**PRICE, "sku": field(input, "sku")} if returned is None else returned

    return pico({"name": "s"}).tool("get_price", {"input": SKU, "output": kind(kind_name).price, "run": run})


@covers("S1", "S6", "S7", "F26")
@in_both_loops
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind_name", KINDS)
async def test_programs_get_structured_content_and_models_the_same_as_text(revision: str, kind_name: str) -> None:
    async with connected(shop(kind_name), revision) as peer:
        result = await peer.call("get_price", {"sku": "tea"})
    assert "isError" not in result
    assert text_of(result) == '{"sku":"tea","cents":450,"currency":"EUR"}'
    if revision >= "2025-06-18":
        assert result["structuredContent"] == PRICE == json.loads(text_of(result))
    else:  # the older clients that the text is for
        assert "structuredContent" not in result


@covers("S2")
@in_both_loops
@pytest.mark.parametrize("kind_name", KINDS)
async def test_the_example_get_price(kind_name: str) -> None:
    async with connected(shop(kind_name)) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
        assert not tool.keys() & {"description", "title", "annotations"}, "the example has none"
        assert (await peer.call("get_price", {"sku": "mug"}))["structuredContent"] == {**PRICE, "sku": "mug"}
        failed = await peer.call("get_price", {})
        assert text_of(failed).endswith("sku: Invalid input: expected string, received undefined")


@covers("S2")
@in_both_loops
@pytest.mark.parametrize("kind_name", ["msgspec", "pydantic"])
async def test_an_instance_of_the_output_type_is_as_good_as_a_dict(kind_name: str) -> None:
    price = kind(kind_name).price(sku="tea", cents=450, currency="EUR")
    async with connected(shop(kind_name, price)) as peer:
        assert (await peer.call("get_price", {"sku": "tea"}))["structuredContent"] == PRICE


@covers("S3", "F24")
@in_both_loops
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind_name", KINDS)
async def test_the_schema_is_listed_as_output_schema(revision: str, kind_name: str) -> None:
    async with connected(shop(kind_name), revision) as peer:
        (tool,) = (await peer.request("tools/list"))["result"]["tools"]
    if revision < "2025-06-18":
        assert "outputSchema" not in tool
        return
    schema = tool["outputSchema"]
    assert schema["type"] == "object"
    assert schema["required"] == ["sku", "cents", "currency"]
    assert schema["properties"]["sku"]["type"] == "string"
    assert schema["properties"]["cents"]["type"] == "integer"
    currency = schema["properties"]["currency"]
    assert currency.get("const", currency.get("enum")) in ("EUR", ["EUR"])


TYPED = """
from typing import Literal
from msgspec import Struct
from picomcp_py import pico

class Sku(Struct):
    sku: str

class Price(Struct):
    sku: str
    cents: int
    currency: Literal["EUR"]

server = pico(name="s")

@server.tool("good", input=Sku, output=Price)
async def good(input: Sku) -> Price:
    return Price(input.sku, 450, "EUR")

@server.tool("bad", input=Sku, output=Price)
async def bad(input: Sku) -> str:
    return "450"
"""


@covers("S4", "F25")
@pytest.mark.timeout(300)  # a first run without a cache, on a busy machine
@pytest.mark.parametrize(
    "checker", [["mypy", "--strict", "--config-file", os.devnull], ["ty", "check"]], ids=["mypy", "ty"]
)
def test_a_type_checker_finds_a_wrong_return_value_and_only_that(checker: list[str], tmp_path: Path) -> None:
    if importlib.util.find_spec(checker[0]) is None:
        pytest.skip(f"{checker[0]} is not installed")
    program = tmp_path / "program.py"
    program.write_text(TYPED, encoding="utf-8")
    options = (
        ["--python", sys.prefix, "--project", str(ROOT), "--output-format", "concise"] if checker[0] == "ty" else []
    )
    done = subprocess.run(
        [sys.executable, "-m", *checker, *options, str(program)],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    wrong = TYPED.splitlines().index('@server.tool("bad", input=Sku, output=Price)') + 1
    lines = [line for line in done.stdout.splitlines() if "program.py:" in line and "error" in line]
    assert lines, done.stdout + done.stderr
    assert all(f"program.py:{wrong}:" in line for line in lines), done.stdout


BROKEN = [
    ({**PRICE, "cents": 4.5}, "cents: Invalid input: expected int, received number"),
    ({**PRICE, "cents": "450"}, "cents: Invalid input: expected number, received string"),
    ({**PRICE, "currency": "USD"}, 'currency: Invalid input: expected "EUR"'),
    ({"sku": "tea", "currency": "EUR"}, "cents: Invalid input: expected number, received undefined"),
]


@covers("S5", "S8", "F27")
@in_both_loops
@pytest.mark.parametrize("revision", EVERY)
@pytest.mark.parametrize("kind_name", KINDS)
@pytest.mark.parametrize(("value", "line"), BROKEN)
async def test_a_value_that_does_not_fit_is_a_tool_error_naming_the_field(
    revision: str, kind_name: str, value: Any, line: str
) -> None:
    async with connected(shop(kind_name, value), revision) as peer:
        result = await peer.call("get_price", {"sku": "tea"})
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert text_of(result) == f'Tool "get_price" returned a value that does not fit its output schema:\n{line}'


@covers("S8", "F27")
@in_both_loops
@pytest.mark.parametrize("kind_name", KINDS)
async def test_nothing_and_mere_text_are_no_price(kind_name: str) -> None:
    for value in ("450 cents", ["tea"], 450):
        result = await shop(kind_name, value).call("get_price", {"sku": "tea"})
        assert result["isError"] is True
        assert "structuredContent" not in result


@covers("S5")
@in_both_loops
@pytest.mark.parametrize("kind_name", ["msgspec", "pydantic"])
async def test_an_instance_that_was_filled_wrongly_is_found_too(kind_name: str) -> None:
    price_type = kind(kind_name).price
    wrong = price_type(sku="tea", cents=450, currency="EUR")
    wrong.cents = "450"  # neither library checks an assignment
    result = await shop(kind_name, wrong).call("get_price", {"sku": "tea"})
    assert text_of(result).endswith("\ncents: Invalid input: expected number, received string")
