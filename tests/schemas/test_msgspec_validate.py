"""What msgspec types accept, and how their faults are told."""

import dataclasses
import datetime
import decimal
import json
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import attrs
import pytest
from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

from picomcp_py.jsontext import encode_json
from picomcp_py.schemas.schema import Invalid, Valid, render_issues, schema_of


class Even(Struct):
    n: int

    def __post_init__(self):
        if self.n % 2:
            raise ValueError("n must be even - at `$.x`")


class Cat(Struct, tag="cat"):
    n: int


class Dog(Struct, tag="dog"):
    n: int


class Person(TypedDict):
    name: str
    age: NotRequired[int]


class Pair(NamedTuple):
    b: int
    a: str = "q"


class Search(Struct):
    query: str
    limit: Annotated[int, Meta(ge=1, le=50)] = 10
    tags: list[str] = []


def check(source: Any, value: Any) -> Any:
    """The value, or the text of the issues; from JSON text, as on the wire."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    outcome = schema_of(source).validate_json(data)
    return outcome.value if isinstance(outcome, Valid) else render_issues(outcome.issues)


def test_json_text_becomes_the_type_with_its_defaults():
    assert check(Search, {"query": "x"}) == Search("x", 10, [])


def test_mutable_defaults_are_fresh_each_time():
    schema = schema_of(Search)
    schema.validate_json(b'{"query":"x"}').value.tags.append("kept")
    assert schema.validate_json(b'{"query":"x"}').value.tags == []


def test_validate_takes_json_as_python_values():
    assert schema_of(Search).validate({"query": "x"}) == Valid(Search("x"))
    assert isinstance(schema_of(Search).validate({"query": 5}), Invalid)


def test_instances_are_validated_and_not_passed_on():
    """msgspec's convert gives an instance back as it is."""
    assert isinstance(schema_of(Search).validate(Search(5)), Invalid)
    assert isinstance(schema_of(Search).validate_json(encode_json(Search(5))), Invalid)
    assert isinstance(schema_of(list[Search]).validate([Search("x", limit=100)]), Invalid)


def test_a_boolean_is_never_an_integer():
    assert check(Search, {"query": "x", "limit": True}) == "limit: Invalid input: expected number, received boolean"


@pytest.mark.parametrize("text", ["5.0", "5e0", "0.5e1"])
def test_whole_numbers_in_any_spelling_are_integers(text):
    value = check(Search, f'{{"query":"x","limit":{text}}}'.encode())
    assert value.limit == 5
    assert type(value.limit) is int


def test_a_float_field_keeps_floats():
    class Measured(Struct):
        x: float
        n: int

    value = check(Measured, b'{"x":5.0,"n":5.0}')
    assert type(value.x) is float
    assert type(value.n) is int


@pytest.mark.parametrize("text", ['{"a":1}', "12345", "true", "null", "[1]", " 5 "])
def test_strings_are_never_parsed(text):
    assert check(Search, {"query": text}).query == text
    assert "expected number, received string" in check(Search, {"query": "x", "limit": text})


def test_an_object_as_json_text_is_refused_at_its_key():
    class Holder(Struct):
        node: Even

    assert check(Holder, {"node": '{"n":2}'}) == "node: Invalid input: expected object, received string"


def test_null_is_refused_where_the_schema_does_not_say_null():
    class Optional(Struct):
        q: str = ""
        r: str | None = None

    assert check(Optional, {"q": None}) == "q: Invalid input: expected string, received null"
    assert check(Optional, {"r": None}) == Optional()


def test_empty_values_are_not_missing():
    class Falsy(Struct):
        s: str
        n: int
        b: bool
        items: list[int]

    assert check(Falsy, {"s": "", "n": 0, "b": False, "items": []}) == Falsy("", 0, False, [])


@pytest.mark.parametrize("number", [9007199254740993, 2512292042121000001, 10**30, -(10**19)])
def test_integers_are_exact(number):
    assert check(int, number) == number


def test_dates_and_decimals_are_read_from_text():
    class Sale(Struct):
        at: datetime.datetime
        price: decimal.Decimal

    sale = check(Sale, {"at": "2026-07-28T09:30:00Z", "price": "1.50"})
    assert sale.at == datetime.datetime(2026, 7, 28, 9, 30, tzinfo=datetime.UTC)
    assert sale.price == decimal.Decimal("1.50")
    assert check(Sale, b'{"at":"2026-07-28T09:30:00Z","price":1.5}').price == decimal.Decimal("1.5")


def test_tuples_have_their_length_and_types():
    class Holder(Struct):
        pair: tuple[int, int]

    assert check(Holder, {"pair": [1, 2]}).pair == (1, 2)
    for bad in ([1], [1, 2, 3], [1, "x"]):
        assert check(Holder, {"pair": bad}).startswith("pair")


def test_unknown_members_are_dropped_unless_forbidden():
    class Closed(Struct, forbid_unknown_fields=True):
        max_depth: int = 1

    assert check(Search, {"query": "x", "sessionId": "y"}) == Search("x")
    assert check(Closed, {"depth": 1}).startswith('depth: Unrecognized key: "depth"')


def test_every_faulty_field_is_told_in_schema_order():
    assert check(Search, {"tags": [1, "a", None], "limit": 100}).splitlines() == [
        "query: Invalid input: expected string, received undefined",
        "limit: Too big: expected number to be <=50",
        "tags[0]: Invalid input: expected string, received number",
        "tags[2]: Invalid input: expected string, received null",
    ]


def test_post_init_of_the_author_speaks_for_itself_beside_other_faults():
    class Holder(Struct):
        a: Even
        b: int
        c: list[Even]
        d: dict[str, Even]

    text = check(Holder, {"a": {"n": 1}, "b": "x", "c": [{"n": 2}, {"n": 3}, {"n": "x"}], "d": {"k.k": {"n": 1}}})
    assert text.splitlines() == [
        "a: n must be even - at `$.x`",
        "b: Invalid input: expected number, received string",
        "c[1]: n must be even - at `$.x`",
        "c[2].n: Invalid input: expected number, received string",
        'd["k.k"]: n must be even - at `$.x`',
    ]


def test_an_empty_error_of_post_init_names_its_type():
    class Silent(Struct):
        def __post_init__(self):
            raise TypeError

    assert check(Silent, {}) == "Invalid input: TypeError"


def test_a_long_message_of_an_author_is_cut():
    class Chatty(Struct):
        text: str

        def __post_init__(self):
            raise ValueError(f"bad: {self.text}")

    assert len(check(Chatty, {"text": "x" * 100_000})) == 300


def test_other_exceptions_of_post_init_are_crashes():
    class Crashing(Struct):
        def __post_init__(self):
            raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        schema_of(Crashing).validate_json(b"{}")


def test_attrs_validators_are_told():
    @attrs.define
    class Limits:
        n: int = attrs.field(validator=attrs.validators.ge(3))
        s: Any = attrs.field(default="", validator=attrs.validators.instance_of(str))

    assert check(Limits, {"n": 3}) == Limits(3)
    assert check(Limits, {"n": 1}) == "'n' must be >= 3: 1"
    assert check(Limits, {"n": 3, "s": 5}).startswith("s: 's' must be <class 'str'>")


def test_tagged_unions_are_told_within_the_member_that_was_meant():
    class Holder(Struct):
        pet: Cat | Dog | None

    assert check(Holder, {"pet": {"type": "dog", "n": 1}}).pet == Dog(1)
    assert check(Holder, {"pet": {"type": "dog", "n": "x"}}) == "pet.n: Invalid input: expected number, received string"
    assert (
        check(Holder, {"pet": {"type": "cow", "n": 1}})
        == "pet.type: Invalid discriminator value. Expected 'cat' | 'dog'"
    )


def test_keys_of_a_dict_are_told_at_the_key():
    class Holder(Struct):
        ids: dict[int, int]

    assert check(Holder, {"ids": {"1": 2}}).ids == {1: 2}
    lines = check(Holder, {"ids": {"a": 1, "2": "x"}}).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["ids.a", "ids.2"]


def test_named_tuples_and_arrays_of_fields_are_told_by_index():
    class Row(Struct, array_like=True):
        a: int
        b: Even

    assert check(Pair, [1]) == Pair(1)
    assert check(Pair, ["x", 5]).splitlines() == [
        "[0]: Invalid input: expected number, received string",
        "[1]: Invalid input: expected string, received number",
    ]
    assert check(Row, [1, {"n": 1}]) == "[1]: n must be even - at `$.x`"


def test_renamed_fields_have_their_json_names_in_paths():
    class Camel(Struct, rename="camel"):
        first_name: str
        last_seen: Even

    assert check(Camel, {"lastSeen": {"n": 1}}).splitlines() == [
        "firstName: Invalid input: expected string, received undefined",
        "lastSeen: n must be even - at `$.x`",
    ]


def test_a_value_that_msgspec_takes_is_no_fault_whatever_the_schema_says():
    """RFC 3339 wants an offset; msgspec reads times without one. A set takes repetitions."""

    class Loose(Struct):
        at: datetime.datetime
        ids: set[int]
        n: int

    assert check(Loose, {"at": "2026-07-28T09:30:00", "ids": [1, 1], "n": "x"}) == (
        "n: Invalid input: expected number, received string"
    )


def test_recursive_types_are_told_at_depth():
    assert (
        check(Tree, {"kids": [{"kids": [{"n": "x"}]}]})
        == "kids[0].kids[0].n: Invalid input: expected number, received string"
    )


class Tree(Struct):
    n: int = 0
    kids: "list[Tree]" = []


@pytest.mark.parametrize("data", [b"", b"{", b"{bad}", b'{"query":"x"} x', b'{"query":NaN}', b'{"query":"\xff"}'])
def test_broken_json_is_an_issue(data):
    assert check(Search, data).startswith("Invalid JSON: ")


def test_nesting_beyond_all_limits_is_an_issue():
    assert check(Any, b"[" * 200_000 + b"]" * 200_000).startswith("Invalid JSON: ")


def test_faulty_values_at_any_depth_are_answered():
    for depth in (150, 1_000, 20_000):
        data = b'{"kids":[' * depth + b'{"n":"x"}' + b"]}" * depth
        assert isinstance(check(Tree, data), str)


def test_a_list_of_many_faults_is_told_in_part():
    lines = check(list[int], ["x"] * 5_000).splitlines()
    assert len(lines) == 51
    assert lines[-1] == "Only the first 50 issues are listed"
    assert len(check(list[Even], [{"n": 1}] * 5_000).splitlines()) == 51


def test_a_lone_surrogate_is_read_as_the_replacement_character():
    assert check(Search, b'{"query":"\\ud800"}').query == "\ufffd"


def test_raw_parts_are_left_alone_also_after_a_failure():
    class Holder(Struct):
        raw: Raw
        n: int

    assert bytes(check(Holder, b'{"raw":{"a":[1]},"n":5.0}').raw) == b'{"a":[1]}'
    assert check(Holder, b'{"raw":{"a":[1]},"n":"x"}') == "n: Invalid input: expected number, received string"


def test_literals_and_plain_types_have_faults_at_the_root():
    assert check(Literal["b", "a"], "c") == 'Invalid option: expected one of "b"|"a"'
    assert check(list[int], 5) == "Invalid input: expected array, received number"


def test_dataclasses_are_read_and_their_post_init_is_told():
    @dataclasses.dataclass
    class Point:
        x: int
        y: int = 0

        def __post_init__(self):
            if self.x < 0:
                raise ValueError("x must not be negative")

    assert check(Point, {"x": 1}) == Point(1)
    assert check(Point, {"x": -1}) == "x must not be negative"


def test_absent_members_stay_absent_on_the_way_out():
    class Partial(Struct):
        a: int
        b: int | UnsetType = UNSET

    assert encode_json(check(Person, {"name": "x"})) == b'{"name":"x"}'
    assert encode_json(Partial(1)) == b'{"a":1}'
    assert isinstance(schema_of(Partial).validate_json(encode_json(Partial(1))), Valid)


def test_factories_run_for_each_value():
    class Made(Struct):
        tags: list[str] = field(default_factory=lambda: ["x"])

    assert check(Made, {}).tags is not check(Made, {}).tags
