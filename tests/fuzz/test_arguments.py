"""Random JSON against random schemas: the verdict is jsonschema's, and the three kinds of schema tell the same."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
from hypothesis import given
from hypothesis import strategies as st

from picomcp_py import Valid
from picomcp_py.schemas.schema import render_issues, schema_of
from tests.fuzz.profiles import examples
from tests.fuzz.schemas import ARGUMENTS, DOCUMENTS, OBJECTS, VALUES, Field


@examples(300)
@given(DOCUMENTS, st.lists(VALUES | ARGUMENTS, min_size=1, max_size=5))
def test_a_dict_schema_has_the_verdict_of_jsonschema(document: dict[str, Any], values: list[Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(document)
    ours, theirs = schema_of(document), jsonschema.Draft202012Validator(document)
    for value in values:
        outcome = ours.validate_json(json.dumps(value).encode())
        assert isinstance(outcome, Valid) == theirs.is_valid(value), (value, outcome)
        if isinstance(outcome, Valid):
            assert json.dumps(outcome.value) == json.dumps(outcome.value, allow_nan=False)
            assert outcome.value == value
        else:
            assert all(issue.message for issue in outcome.issues)
            assert render_issues(outcome.issues).count("\n") == len(outcome.issues) - 1


@examples(300)
@given(OBJECTS, st.lists(ARGUMENTS, min_size=1, max_size=5))
def test_the_three_kinds_agree_on_verdict_and_text(made: Field, values: list[Any]) -> None:
    schemas = [schema_of(source) for source in (made.schema, made.struct, made.model)]
    for value in values:
        data = json.dumps(value).encode()
        told = [
            None if isinstance(o, Valid) else render_issues(o.issues) for o in (s.validate_json(data) for s in schemas)
        ]
        assert told == [told[0]] * 3, value
