"""What pydantic types accept, how their faults are told, and what they give out."""

import datetime
import decimal
import enum
import json
import uuid
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    RootModel,
    SecretStr,
    TypeAdapter,
    computed_field,
    field_validator,
    model_validator,
)

from picomcp_py.jsontext import encode_json
from picomcp_py.schemas.schema import Invalid, Valid, render_issues, schema_of


def _even(n: int) -> int:
    if n % 2:
        raise ValueError("must be even")
    return n


Even = Annotated[int, AfterValidator(_even)]


class Cat(BaseModel):
    kind: Literal["cat"]
    n: int


class Dog(BaseModel):
    kind: Literal["dog"]
    n: int


class Search(BaseModel):
    query: str
    limit: int = Field(10, ge=1, le=50)
    tags: list[str] = []


class Tree(BaseModel):
    n: int = 0
    kids: "list[Tree]" = []


class Color(enum.Enum):
    red = "red"


def check(source: Any, value: Any) -> Any:
    """The value, or the text of the issues; from JSON text, as on the wire."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    outcome = schema_of(source).validate_json(data)
    return outcome.value if isinstance(outcome, Valid) else render_issues(outcome.issues)


def test_json_text_becomes_the_model_with_its_defaults():
    assert check(Search, {"query": "x"}) == Search(query="x")


def test_mutable_defaults_are_fresh_each_time():
    schema = schema_of(Search)
    schema.validate_json(b'{"query":"x"}').value.tags.append("kept")
    assert schema.validate_json(b'{"query":"x"}').value.tags == []


def test_validate_takes_json_as_python_values_and_dates_from_text():
    class Event(BaseModel):
        at: datetime.datetime

    (at,) = (schema_of(Event).validate({"at": "2026-07-28T09:30:00Z"}).value.at,)
    assert at == datetime.datetime(2026, 7, 28, 9, 30, tzinfo=datetime.UTC)
    assert isinstance(schema_of(Event).validate({"at": 5}), Invalid)


def test_instances_are_validated_and_not_passed_on():
    assert isinstance(schema_of(Search).validate(Search.model_construct(query="x", limit=100)), Invalid)


def test_a_boolean_is_never_an_integer():
    assert check(Search, {"query": "x", "limit": True}) == "limit: Invalid input: expected number, received boolean"


@pytest.mark.parametrize("text", ["5.0", "5e0", "0.5e1"])
def test_whole_numbers_in_any_spelling_are_integers(text):
    value = check(Search, f'{{"query":"x","limit":{text}}}'.encode())
    assert value.limit == 5
    assert type(value.limit) is int


@pytest.mark.parametrize("text", ['{"a":1}', "12345", "true", "null", "[1]", " 5 ", "5_0"])
def test_strings_are_never_parsed(text):
    assert check(Search, {"query": text}).query == text
    assert "expected number, received string" in check(Search, {"query": "x", "limit": text})


def test_booleans_are_not_read_from_words_or_numbers():
    for value in ("yes", "true", 1, 0):
        assert "Invalid input: expected boolean" in check(bool_holder(), {"b": value})


def bool_holder() -> type[BaseModel]:
    class Holder(BaseModel):
        b: bool

    return Holder


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (datetime.date, "2026-07-28", datetime.date(2026, 7, 28)),
        (datetime.timedelta, "PT5S", datetime.timedelta(seconds=5)),
        (decimal.Decimal, "1.50", decimal.Decimal("1.50")),
        (uuid.UUID, "12345678-1234-5678-1234-567812345678", uuid.UUID("12345678-1234-5678-1234-567812345678")),
        (Path, "/x", Path("/x")),
        (Color, "red", Color.red),
        (bytes, "hi", b"hi"),
    ],
)
def test_values_that_json_writes_as_text_are_read_from_text(kind, text, expected):
    assert check(TypeAdapter(kind), text) == expected


def test_an_authors_own_strict_false_is_respected():
    class Inner(BaseModel):
        z: int = 0
        loose: int = Field(0, strict=False)

    class Mixed(BaseModel):
        a: int = Field(strict=False)
        b: int = 1
        inner: Inner = Inner()

    class Lenient(BaseModel):
        model_config = ConfigDict(strict=False)
        n: int

    assert check(Mixed, {"a": "5", "inner": {"loose": "6"}}).inner.loose == 6
    assert check(Mixed, {"a": "5", "b": 5.0}).b == 5
    assert check(Lenient, {"n": "5"}).n == 5
    text = "Invalid input: expected number, received string"
    assert check(Mixed, {"a": "5", "b": "5", "inner": {"z": "1", "loose": "6"}}) == f"b: {text}\ninner.z: {text}"


def test_null_is_refused_where_the_schema_does_not_say_null():
    class Optional(BaseModel):
        q: str = ""
        r: str | None = None

    assert check(Optional, {"q": None}) == "q: Invalid input: expected string, received null"
    assert check(Optional, {"r": None}) == Optional()


@pytest.mark.parametrize("number", [9007199254740993, 2512292042121000001, 10**30])
def test_integers_are_exact(number):
    assert check(TypeAdapter(int), number) == number


def test_unknown_members_are_dropped_unless_forbidden():
    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")
        max_depth: int = 1

    assert check(Search, {"query": "x", "sessionId": "y"}) == Search(query="x")
    assert check(Closed, {"depth": 1}).startswith('depth: Unrecognized key: "depth"')


def test_every_faulty_field_is_told_in_schema_order():
    assert check(Search, {"tags": [1, "a", None], "limit": 100}).splitlines() == [
        "query: Invalid input: expected string, received undefined",
        "limit: Too big: expected number to be <=50",
        "tags[0]: Invalid input: expected string, received number",
        "tags[2]: Invalid input: expected string, received null",
    ]


def test_validators_of_the_author_speak_for_themselves_beside_other_faults():
    class Holder(BaseModel):
        a: Even
        b: int
        c: list[Even]

        @field_validator("b")
        @classmethod
        def small(cls, b: int) -> int:
            if b > 10:
                raise AssertionError("b is too big for us")
            return b

    assert check(Holder, {"a": 1, "b": 11, "c": [2, 3, "x"]}).splitlines() == [
        "a: must be even",
        "b: b is too big for us",
        "c[1]: must be even",
        "c[2]: Invalid input: expected number, received string",
    ]


def test_a_model_validator_speaks_at_its_model():
    class Range(BaseModel):
        low: int
        high: int

        @model_validator(mode="after")
        def ordered(self):
            if self.low > self.high:
                raise ValueError("low must not be above high")
            return self

    class Holder(BaseModel):
        ranges: dict[str, Range]

    assert check(Range, {"low": 2, "high": 1}) == "low must not be above high"
    assert check(Holder, {"ranges": {"a.b": {"low": 2, "high": 1}}}) == 'ranges["a.b"]: low must not be above high'


def test_a_before_validator_decides_what_is_readable():
    def minutes(value: Any) -> Any:
        if isinstance(value, str) and not value.endswith("m"):
            raise ValueError("write minutes as 5m")
        return int(value[:-1]) if isinstance(value, str) else value

    class Timer(BaseModel):
        length: Annotated[int, BeforeValidator(minutes)]
        name: str

    assert check(Timer, {"length": "5m", "name": "x"}).length == 5
    assert check(Timer, {"length": "5m"}) == "name: Invalid input: expected string, received undefined"
    assert check(Timer, {"length": "5h", "name": "x"}) == "length: write minutes as 5m"


def test_other_exceptions_of_validators_are_crashes():
    def crash(value: int) -> int:
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        schema_of(TypeAdapter(Annotated[int, AfterValidator(crash)])).validate_json(b"1")


def test_paths_lead_through_the_input_and_never_through_names_of_members():
    class Holder(BaseModel):
        plain: Cat | Dog
        tagged: Annotated[Cat | Dog, Field(discriminator="kind")]
        mixed: int | list[int] = 0

    text = "Invalid input: expected number, received string"
    bad = {"kind": "cat", "n": "x"}
    assert check(Holder, {"plain": bad, "tagged": bad, "mixed": [1, "x"]}).splitlines() == [
        f"plain.n: {text}",
        f"tagged.n: {text}",
        f"mixed[1]: {text}",
    ]
    assert check(Holder, {"plain": {"kind": "cat", "n": 1}, "tagged": {"kind": "cow", "n": 1}}) == (
        "tagged.kind: Invalid discriminator value. Expected 'cat' | 'dog'"
    )


def test_a_member_name_that_is_also_a_key_is_no_path():
    class Holder(BaseModel):
        tagged: Annotated[Cat | Dog, Field(discriminator="kind")]

    assert check(Holder, {"tagged": {"kind": "cat", "cat": {"other": 1}, "n": "x"}}) == (
        "tagged.n: Invalid input: expected number, received string"
    )


def test_a_long_path_with_tags_is_read_quickly():
    class Node(BaseModel):
        child: "Node | int | list[Node]" = 0

    data = b'{"child":' * 60 + b'"x"' + b"}" * 60
    lines = check(Node, data).splitlines()
    assert any(line.startswith(".".join(["child"] * 60)) for line in lines)


def test_a_custom_fault_inside_a_union_has_its_path():
    class Box(BaseModel):
        kind: Literal["box"]
        size: Even

    class Holder(BaseModel):
        thing: Annotated[Box | Cat, Field(discriminator="kind")]

    assert check(Holder, {"thing": {"kind": "box", "size": 3}}) == "thing.size: must be even"


def test_keys_of_a_dict_are_told_at_the_key():
    class Holder(BaseModel):
        ids: dict[int, int]

    assert check(Holder, {"ids": {"1": 2}}).ids == {1: 2}
    first, second = check(Holder, {"ids": {"a": 1, "2": "x"}}).splitlines()
    assert first.startswith("ids.a: Invalid key")
    assert second == "ids.2: Invalid input: expected number, received string"


def test_aliases_are_the_names_in_paths():
    class Aliased(BaseModel):
        first_name: str = Field(alias="firstName")
        number: int = Field(validation_alias=AliasChoices("id", "component_id"))

    assert check(Aliased, {"component_id": 5}) == "firstName: Invalid input: expected string, received undefined"
    assert check(Aliased, {"firstName": 5, "id": 1}) == "firstName: Invalid input: expected string, received number"


def test_a_name_accepted_beside_the_alias_is_a_path_too():
    class Both(BaseModel):
        model_config = ConfigDict(validate_by_name=True, alias_generator=str.upper)
        ab: Even
        cd: int = 0

    assert check(Both, {"ab": 2}).ab == 2
    assert check(Both, {"ab": 3}) == "ab: must be even"


def test_no_url_and_no_input_in_any_text():
    class Holder(BaseModel):
        big: Annotated[list[Even], Field(max_length=1)]
        secret: SecretStr
        url: pydantic.AnyUrl

    text = check(Holder, {"big": [1, 3], "secret": 5, "url": "s3cr3t" * 1000})
    assert "http" not in text
    assert "s3cr3ts3cr3t" not in text
    assert len(text.splitlines()) == 3
    assert max(map(len, text.splitlines())) < 200


def test_recursive_models_are_told_at_depth():
    assert check(Tree, {"kids": [{"kids": [{"n": "x"}]}]}) == (
        "kids[0].kids[0].n: Invalid input: expected number, received string"
    )


@pytest.mark.parametrize("data", [b"", b"{", b"{bad}", b'{"query":"x"} x', b'{"query":NaN}', b'{"query":"\xff"}'])
def test_broken_json_is_an_issue(data):
    assert check(Search, data).startswith("Invalid JSON: ")


@pytest.mark.parametrize(
    "kind", [float, float | None, Any, list, dict[str, Any], list[float], dict[str, float], Literal["x"] | float]
)
@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
def test_tokens_that_are_not_json_are_not_read(kind, token):
    for text in (token, f"[{token}]", f'{{"a":{token}}}'):
        assert isinstance(check(TypeAdapter(kind), text.encode()), str)


def test_an_open_model_does_not_read_them_either():
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")

    assert check(Open, b'{"x":NaN}').startswith("Invalid JSON: ")


def test_their_words_in_strings_are_harmless():
    class Note(BaseModel):
        text: str
        weight: float = 1

    assert check(Note, {"text": "NaN and Infinity"}).text == "NaN and Infinity"
    assert check(Note, {"text": "NaN", "weight": "x"}) == "weight: Invalid input: expected number, received string"


def test_nesting_beyond_all_limits_is_an_issue():
    assert check(TypeAdapter(Any), b"[" * 200_000 + b"]" * 200_000).startswith("Invalid JSON: ")


def test_faulty_values_at_any_depth_are_answered():
    for depth in (150, 1_000, 20_000):
        data = b'{"kids":[' * depth + b'{"n":"x"}' + b"]}" * depth
        assert isinstance(check(Tree, data), str)


def test_a_list_of_many_faults_is_told_in_part():
    lines = check(TypeAdapter(list[Even]), ["x"] * 5_000).splitlines()
    assert len(lines) == 51
    assert lines[-1] == "Only the first 50 issues are listed"
    assert len(check(TypeAdapter(list[Even]), [1] * 5_000).splitlines()) == 51


def test_a_lone_surrogate_is_read_as_the_replacement_character():
    assert check(Search, b'{"query":"\\ud800"}').query == "\ufffd"


# ---- output --------------------------------------------------------------------------------------------------------


def output(source: Any, value: Any) -> Any:
    schema = schema_of(source)
    data = encode_json(schema.dump(value))
    outcome = schema.validate_output(data)
    return json.loads(data) if isinstance(outcome, Valid) else render_issues(outcome.issues)


class Component(BaseModel):
    number: int = Field(validation_alias=AliasChoices("id", "component_id"), serialization_alias="componentId")
    price: decimal.Decimal = decimal.Decimal(1)

    @computed_field
    def double(self) -> int:
        return self.number * 2


def test_output_is_checked_under_the_names_that_it_is_written_with():
    assert output(Component, Component(id=1)) == {"componentId": 1, "price": "1", "double": 2}
    assert output(list[Component], [Component(id=1)])[0]["componentId"] == 1


def test_output_under_the_names_of_the_input_is_refused():
    text = output(Component, {"id": 1, "price": "1", "double": 2})
    assert text == "componentId: Invalid input: expected number, received undefined"


def test_a_dict_in_the_shape_of_the_output_is_accepted():
    assert output(Search, {"query": "x", "limit": 5, "tags": []}) == {"query": "x", "limit": 5, "tags": []}


def test_bad_instances_are_refused_without_a_warning():
    assert output(Search, Search.model_construct(query=5, limit=100)).splitlines() == [
        "query: Invalid input: expected string, received number",
        "limit: Too big: expected number to be <=50",
    ]
    assert output(Component, Component.model_construct(number=1, price="x" * 10)) != {}


def test_an_authors_serializer_is_what_counts():
    class Shown(BaseModel):
        n: Annotated[int, PlainSerializer(lambda n: f"#{n}", return_type=str)]

    assert output(Shown, Shown(n=5)) == {"n": "#5"}


def test_roots_that_are_no_objects_are_dumped():
    class Numbers(RootModel[list[int]]):
        pass

    assert output(Numbers, Numbers([1, 2])) == [1, 2]
    assert output(TypeAdapter(dict[str, datetime.date]), {"a": datetime.date(2026, 7, 28)}) == {"a": "2026-07-28"}


def test_a_missing_part_of_the_output_is_an_issue():
    assert output(Search, None) == "Invalid input: expected object, received null"
    assert schema_of(Component).validate_output(b"{").issues[0].message.startswith("Invalid JSON: ")


def test_validators_that_expect_raw_input_do_not_get_output():
    class Tags(BaseModel):
        tags: list[str]

        @field_validator("tags", mode="before")
        @classmethod
        def split(cls, text: str) -> list[str]:
            return text.split(",")

    assert check(Tags, {"tags": "a,b"}).tags == ["a", "b"]
    assert output(Tags, Tags(tags="a,b")) == {"tags": ["a", "b"]}


def test_naive_times_are_given_out_whatever_else_differs():
    class Event(BaseModel):
        at: datetime.datetime
        name: str = Field(serialization_alias="title")

    naive = datetime.datetime(2026, 7, 28, 9, 30)
    assert output(Event, Event(at=naive, name="x")) == {"at": "2026-07-28T09:30:00", "title": "x"}
