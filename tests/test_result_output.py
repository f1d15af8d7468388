"""Returned values against output schemas of every kind, and the words for those that don't fit."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Awaitable
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

import anyio
import msgspec
import pydantic
import pytest
from msgspec import UNSET, Raw, Struct

from picomcp_py.content import text
from picomcp_py.offered.result import CallResult, Output, result, to_result
from picomcp_py.schemas.schema import Invalid, Issue, Schema, Valid, schema_of
from tests.results import MISFIT, SENT, error_text, texts, wire

MISSING = (
    "The structured output is missing: the tool returned {}. "
    "Return the data, or result(content=..., structured=...) for both."
)


@dataclasses.dataclass
class Data:
    x: int


class Model(pydantic.BaseModel):
    some_x: int = pydantic.Field(alias="someX")


class Bare:
    """A schema with the required members only: an object with a whole number x."""

    vendor = "own"

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @property
    def __standard_schema__(self) -> Bare:
        return self

    def json_schema(self, io: str) -> dict[str, Any]:
        return {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}

    def validate(self, value: Any) -> Any:
        self.seen.append(value)
        if not isinstance(value, dict):
            return Invalid((Issue("Invalid input: expected object"),))
        if not isinstance(value.get("x"), int):
            return Invalid((Issue("Invalid input: expected int", ("x",)),))
        return Valid(value)


class FromJson(Bare):
    """It also reads JSON text, and dumps."""

    def dump(self, value: Any) -> Any:
        return {"x": value} if isinstance(value, int) else value

    def validate_json(self, data: bytes) -> Any:
        return Bare.validate(self, json.loads(data))

    def validate(self, value: Any) -> Any:
        raise AssertionError("validate_json comes first")


class Later(Bare):
    """It answers with an awaitable."""

    async def validate(self, value: Any) -> Any:
        await anyio.lowlevel.checkpoint()
        return super().validate(value)


def test_a_fitting_value_goes_out_twice_from_one_encoding() -> None:
    for output, value in ((Bare(), {"x": 1}), (FromJson(), {"x": 1}), (FromJson(), 1), (Bare(), Data(1))):
        made = wire(value, output)
        assert made == {"content": texts('{"x":1}'), "structuredContent": {"x": 1}}
        assert output.seen == [{"x": 1}]


def test_structured_content_is_raw_json_and_equals_the_text() -> None:
    made = to_result({"x": 1, "y": [2.0, "é"]}, Output(Bare()), "t")
    assert isinstance(made, CallResult)
    assert isinstance(made.structuredContent, Raw)
    assert bytes(made.structuredContent).decode() == made.content[0].text == '{"x":1,"y":[2,"é"]}'
    assert made.isError is UNSET


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_schema_may_take_its_time(backend: str) -> None:
    async def main(value: Any) -> CallResult:
        made = to_result(value, Output(Later()), "t")
        assert isinstance(made, Awaitable)
        return await made

    assert wire(anyio.run(main, {"x": 1}, backend=backend)) == {
        "content": texts('{"x":1}'),
        "structuredContent": {"x": 1},
    }
    bad = anyio.run(main, {"x": "1"}, backend=backend)
    assert bad.content[0].text == MISFIT + "x: Invalid input: expected int"
    explicit = anyio.run(main, result("a", structured={"x": 1}), backend=backend)
    assert wire(explicit) == {"content": texts("a"), "structuredContent": {"x": 1}}


def test_a_schema_that_answers_nonsense_is_named() -> None:
    class Nonsense(Bare):
        def validate(self, value: Any) -> Any:
            return True

    with pytest.raises(TypeError, match=r"the output schema \(own\) answered boolean, not Valid or Invalid"):
        to_result({}, Output(Nonsense()), "t")


class X(Struct):
    x: int


class Limited(Struct):
    sku: str
    cents: Annotated[int, msgspec.Meta(ge=0)]
    day: date


class XModel(pydantic.BaseModel):
    x: int


X_SCHEMAS = [
    {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
    X,
    XModel,
    Bare(),
]
KINDS = ["dict", "msgspec", "pydantic", "own"]


@pytest.mark.parametrize("output", X_SCHEMAS, ids=KINDS)
def test_every_kind_of_schema_gets_both_copies(output: Any) -> None:
    assert wire({"x": 1}, output) == {"content": texts('{"x":1}'), "structuredContent": {"x": 1}}


@pytest.mark.parametrize("output", X_SCHEMAS, ids=KINDS)
@pytest.mark.parametrize(
    ("value", "returned"),
    [
        ("hello", "text"),
        (None, "nothing"),
        (text("a"), "content"),
        ([text("a")], "content"),
        ({"content": texts("a")}, "content"),
        ({"content": [text("a")]}, "content"),
        (result("a"), "content"),
        (result(), "content"),
    ],
)
def test_content_without_the_promised_data_is_an_error_that_says_so(output: Any, value: Any, returned: str) -> None:
    message = error_text(value, output)
    assert message.startswith(MISFIT)
    assert message.endswith("\n" + MISSING.format(returned))


def test_an_explicit_result_with_both_parts_is_told_to_use_result() -> None:
    message = error_text({"content": texts("a"), "structuredContent": {"x": 1}}, X)
    assert "With an output schema the returned value is the data: return result(content=..., structured=...)" in message


@pytest.mark.parametrize("output", X_SCHEMAS, ids=KINDS)
def test_an_explicit_error_needs_no_data(output: Any) -> None:
    expected = {"content": texts("no such x"), "isError": True}
    assert wire({"content": texts("no such x"), "isError": True}, output) == expected
    assert wire({"content": [text("no such x")], "isError": True}, output) == expected
    assert wire(result("no such x", is_error=True), output) == expected
    unfit = {**expected, "structuredContent": {"x": "?"}}
    assert wire(result("no such x", structured={"x": "?"}, is_error=True), output) == unfit


@pytest.mark.parametrize("output", X_SCHEMAS, ids=KINDS)
def test_the_structured_part_of_an_explicit_result_is_validated(output: Any) -> None:
    fit = {"content": texts("one"), "structuredContent": {"x": 1}}
    assert wire(result("one", structured={"x": 1}), output) == fit
    assert wire(result("one", structured=Raw(b'{"x": 1.0}')), output) == fit
    assert error_text(result("one", structured={"x": "1"}), output).startswith(MISFIT + "x: Invalid input: expected ")


@pytest.mark.parametrize("output", [{"type": "object", "properties": {"x": {"type": "number"}}}, Bare()])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_nan_where_a_schema_says_number_is_an_error_naming_field_and_value(output: Any, number: float) -> None:
    name = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(number)]
    message = error_text({"x": number}, output)
    assert message.startswith(MISFIT + "x: Invalid input: expected ")
    assert message.endswith(f"(the value is {name}, which JSON does not have)")


def test_nan_in_a_struct_is_found_under_its_json_name() -> None:
    class Stats(Struct, rename="camel"):
        the_mean: float

    message = error_text(Stats(float("nan")), Stats)
    assert message.startswith(MISFIT + "theMean: Invalid input: expected number, received null (the value is NaN")


def test_nan_is_null_where_the_schema_allows_it() -> None:
    output = {"type": "object", "properties": {"x": {"type": ["number", "null"]}}}
    assert wire({"x": float("nan")}, output) == {"content": texts('{"x":null}'), "structuredContent": {"x": None}}


def test_every_faulty_field_is_in_one_answer() -> None:
    message = error_text({"sku": 5, "cents": -1, "day": "soon"}, Limited)
    assert [line.partition(":")[0] for line in message.splitlines()[1:]] == ["sku", "cents", "day"]


def test_python_values_fit_the_types_that_they_are() -> None:
    value = {"sku": "a", "cents": 5.0, "day": date(2026, 7, 28)}
    expected = {"sku": "a", "cents": 5, "day": "2026-07-28"}
    for returned in (value, Limited("a", 5, date(2026, 7, 28))):
        assert wire(returned, Limited)["structuredContent"] == expected


def test_a_pydantic_model_goes_out_under_its_aliases() -> None:
    assert wire(Model(someX=1), Model) == {"content": texts('{"someX":1}'), "structuredContent": {"someX": 1}}


class Square(pydantic.BaseModel):
    side: int

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def area(self) -> int:
        return self.side**2


def test_a_computed_field_is_part_of_the_output() -> None:
    assert wire(Square(side=3), Square)["structuredContent"] == {"side": 3, "area": 9}
    assert error_text({"side": 3}, Square).startswith(MISFIT + "area: Invalid input: expected ")


def test_a_value_that_the_dump_chokes_on_is_judged_all_the_same() -> None:
    class Choking(Bare):
        def dump(self, value: Any) -> Any:
            raise ZeroDivisionError

    assert wire({"x": 1}, Choking()) == {"content": texts('{"x":1}'), "structuredContent": {"x": 1}}
    assert error_text({"x": "1"}, Choking()) == MISFIT + "x: Invalid input: expected int"
    assert error_text({"x": 1j}, Choking()).startswith(SENT + "x: a value of type complex has no JSON form")


def test_with_a_schema_a_value_is_never_sniffed() -> None:
    output = {"type": "object", "properties": {"content": {"type": "string"}}}
    message = error_text({"content": texts("x")}, output)
    assert message.startswith(MISFIT + "content: Invalid input: expected string, received array")
    block = {"type": "text", "text": "x"}
    made = wire(block, {"type": "object"})
    assert made["structuredContent"] == block
    assert json.loads(made["content"][0]["text"]) == block


@pytest.mark.parametrize(
    ("value", "output"),
    [
        ([], {"type": "array"}),
        ((), {"type": "array"}),
        ({}, {"type": "object"}),
        ("", {"type": "string"}),
        (None, {"type": "null"}),
        (5, {"type": "integer"}),
        ([1, 2], list[int]),
    ],
)
def test_output_may_be_any_json_and_stays_natural(value: Any, output: Any) -> None:
    encoded = json.dumps(value, separators=(",", ":"))
    assert wire(value, output) == {"content": texts(encoded), "structuredContent": json.loads(encoded)}


def test_text_where_a_string_of_another_kind_is_wanted_gets_no_talk_of_missing_output() -> None:
    assert error_text("purple", {"type": "string", "enum": ["red", "blue"]}) == MISFIT + (
        'Invalid option: expected one of "red"|"blue"'
    )


def test_a_large_misfit_is_told_in_few_words_to_the_client_and_a_few_more_to_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    message = error_text(["x" * 1000] * 1000, {"type": "object"})
    assert message == MISFIT + "Invalid input: expected object, received array"
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("picomcp_py", logging.ERROR)
    logged = record.getMessage()
    assert "(root): Invalid input: expected object, received array: array" in logged
    assert len(logged) < 300


def test_the_log_has_field_type_and_excerpt(caplog: pytest.LogCaptureFixture) -> None:
    error_text({"x": "secret-value"}, X)
    assert 'x: Invalid input: expected number, received string: string "secret-value"' in caplog.text
    assert "secret-value" not in error_text({"x": "secret-value"}, X)


def test_thousands_of_faults_are_cut_short() -> None:
    lines = error_text(["x"] * 1000, {"type": "array", "items": {"type": "integer"}}).splitlines()
    assert len(lines) < 60


def test_a_value_without_a_json_form_is_no_misfit() -> None:
    assert error_text({"x": 1j}, X) == SENT + (
        "x: a value of type complex has no JSON form: return a dict or a dataclass"
    )


def test_own_schemas_pass_the_public_door() -> None:
    assert isinstance(schema_of(Bare()), Schema)


class Priced(pydantic.BaseModel):
    price: float


PRICED = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}
EXACT = {"type": "object", "properties": {"price": {"type": "string"}}, "required": ["price"]}


@pytest.mark.parametrize("output", [PRICED, Priced, dict[str, float]])
def test_a_decimal_is_a_number_where_the_schema_says_number(output: Any) -> None:
    made = wire({"price": Decimal("1.50")}, output)
    assert made["structuredContent"] == {"price": 1.5}
    assert made["content"] == texts('{"price":1.5}')


def test_a_decimal_is_a_string_everywhere_else() -> None:
    assert wire({"price": Decimal("1.50")}, EXACT)["structuredContent"] == {"price": "1.50"}


@pytest.mark.parametrize("value", [Decimal("1.50"), [Decimal("1.50")], (1, [Decimal("1.50")])])
def test_decimals_are_found_in_lists_and_tuples(value: Any) -> None:
    output = {"anyOf": [{"type": "number"}, {"type": "array", "items": {"not": {"type": "string"}}}]}
    if isinstance(value, tuple):
        output["anyOf"][1]["items"] = {"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]}
    text = {"Decimal": "1.5", "list": "[1.5]", "tuple": "[1,[1.5]]"}[type(value).__name__]
    assert wire(value, output)["content"] == texts(text)


NULLABLE = {"type": "object", "properties": {"price": {"type": ["number", "null"]}}}
WHOLE = {"type": "object", "properties": {"price": {"type": "integer"}}}


@pytest.mark.parametrize("price", ["NaN", "sNaN", "Infinity", "1e999"])
def test_a_decimal_that_json_has_no_number_for_is_a_misfit(price: str) -> None:
    assert "expected number" in error_text({"price": Decimal(price)}, NULLABLE)


def test_a_whole_decimal_keeps_all_its_digits() -> None:
    made = wire({"price": Decimal("12345678901234567891")}, WHOLE)
    assert made["content"] == texts('{"price":12345678901234567891}')
    made = wire({"price": Decimal("1e50")}, PRICED)
    assert made["content"] == texts('{"price":1e+50}')


MIXED = {
    "type": "array",
    "items": {"type": "object", "properties": {"exact": {"type": "string"}, "price": {"type": "number"}}},
}


def test_only_what_is_refused_becomes_a_number() -> None:
    rows = [{"exact": Decimal("1.50"), "price": Decimal("1.50")} for _ in range(200)]  # more than issues are told
    made = to_result(rows, Output(schema_of(MIXED)), "t")
    assert json.loads(bytes(made.structuredContent)) == [{"exact": "1.50", "price": 1.5}] * 200  # type: ignore[union-attr]


def test_a_misfit_beside_decimals_is_told_alone() -> None:
    text = error_text([{"exact": 1, "price": Decimal("1.50")}], MIXED)
    assert text == MISFIT + "[0].exact: Invalid input: expected string, received number"


class Late(Bare):
    """It refuses strings at once, and takes its time for all else."""

    def __init__(self, always_late: bool) -> None:
        super().__init__()
        self.always_late = always_late

    def validate(self, value: Any) -> Any:
        verdict = Invalid((Issue("no string", ("x",)),)) if isinstance(value["x"], str) else Valid(value)
        return self.later(verdict) if self.always_late or type(verdict) is Valid else verdict

    async def later(self, verdict: Any) -> Any:
        await anyio.lowlevel.checkpoint()
        return verdict


@pytest.mark.anyio
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("always_late", [False, True])
async def test_a_decimal_is_a_number_for_schemas_that_take_their_time(always_late: bool) -> None:
    made = to_result({"x": Decimal(2)}, Output(schema_of(Late(always_late))), "t")
    assert isinstance(made, Awaitable)
    assert bytes((await made).structuredContent) == b'{"x":2}'


def test_a_misfit_with_decimals_in_it_is_told_as_it_was_returned() -> None:
    text = error_text({"price": "x", "other": Decimal("1.50")}, PRICED)
    assert text == MISFIT + "price: Invalid input: expected number, received string"


@pytest.mark.parametrize("depth", [390, 500, 900, 1100])
def test_a_misfit_nested_very_deeply_is_told(depth: int) -> None:
    value: Any = Decimal(1)
    for _ in range(depth):
        value = [value]
    text = error_text(value, PRICED)
    assert "expected object" in text or "nested deeper than 400 levels" in text
