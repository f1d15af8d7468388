"""Where each reported fault is tried: here, as a test named after it, or by a test elsewhere that tries it anyway."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIST = Path(__file__).parents[2] / "../shared/bug-reports.md"

IN_SCOPE = [
    *("B01", "B03", "B05", "B07", "B08", "B09", "B10", "B11", "B12", "B14", "B15", "B16", "B17"),
    *("B19", "B22", "B23", "B24", "B26", "B27", "B28", "B30", "B32", "B33", "B34", "B35", "B36", "B37", "B38", "B39"),
    *("B41", "B42", "B44", "B45", "B47", "B50", "B51", "B52", "B53", "B54", "B55", "B56", "B58"),
    *("B61", "B63", "B65", "B66", "B67", "B68", "B70", "B72", "B73", "B74", "B76", "B78", "B79"),
    *("B82", "B84", "B86", "B88", "B89", "B90", "B92", "B93", "B95", "B96", "B98", "B99", "B101"),
    *("B102", "B105", "B106"),
]
"""The rows about tools and stdio: sections A to F. Later sections are about Streamable HTTP."""

ELSEWHERE = {
    "B19": ["test_an_id_comes_back_as_it_was_sent"],
    "B22": ["test_a_second_request_with_an_id_in_flight_is_refused_and_the_first_is_answered"],
    "B24": ["test_notifications_and_responses_are_never_answered"],
    "B26": ["test_a_message_that_cannot_be_served"],
    "B27": [
        "test_a_message_that_cannot_be_served",
        "test_a_batch_at_2025_03_26_is_answered_with_an_array",
        "test_an_empty_batch_and_initialize_in_a_batch_are_refused",
    ],
    "B28": [
        "test_a_cancelled_async_handler_is_cancelled_at_its_await_and_never_answered",
        "test_a_handler_that_swallows_its_cancellation_is_not_answered",
    ],
    "B30": ["test_notifications_and_responses_are_never_answered"],
    "B32": ["test_before_initialize_only_ping_is_served_and_then_all_is"],
    "B34": [
        "test_another_revision_is_answered_with_the_newest_of_the_era",
        "test_initialize_without_a_revision_is_invalid_params",
    ],
    "B36": ["test_params_may_be_null_or_missing_in_the_handshake_era"],
    "B37": ["test_unknown_members_of_params_are_ignored_and_nulls_are_absent"],
    "B68": [
        "test_a_declared_dialect_is_followed_and_passed_on",
        "test_an_unknown_dialect_is_refused_by_name_with_the_known_ones",
    ],
    "B73": ["test_an_unresolvable_forward_reference_is_refused_by_name"],
    "B78": ["test_a_good_name", "test_a_bad_name_is_refused_with_what_is_allowed", "test_a_duplicate_name_is_refused"],
    "B86": [
        "test_every_kind_of_value_has_its_one_encoding_alone_nested_and_beside_a_surrogate",
        "test_keys_become_strings",
        "test_what_has_no_json_form_is_refused_with_type_and_path",
    ],
    "B92": ["test_content_without_the_promised_data_is_an_error_that_says_so"],
    "B95": [
        "test_bad_blocks_are_refused_by_index_and_key",
        "test_what_cannot_be_sent_is_a_tool_error_naming_the_place",
    ],
    "B96": [
        "test_data_that_is_not_bare_base64_is_refused_everywhere",
        "test_image_data_is_refused_or_leaves_as_one_line_of_base64",
    ],
    "B98": ["test_whatever_gives_an_awaitable_is_awaited"],
    "B99": ["test_whatever_a_handler_raises_is_its_answer"],
    "B105": [
        "test_with_thread_false_a_def_handler_runs_in_the_loops_thread",
        "test_asking_for_the_loop_in_a_thread_gets_a_hint",
    ],
}
"""Tests of other folders, by name: a file may move."""


def names_in(folder: Path, *, but: Path | None = None) -> set[str]:
    files = [file for file in folder.rglob("test_*.py") if but is None or but not in file.parents]
    return {
        name for file in files for name in re.findall(r"^(?:async )?def (test_\w+)", file.read_text(), re.MULTILINE)
    }


def rows_of(test: str) -> list[str]:
    """`test_b90_b92_what_it_is` is about B90 and B92."""
    found = re.match(r"test((?:_b[0-9]+)+)_", test)
    return [row.upper() for row in found[1].split("_")[1:]] if found else []


TRIED_HERE = {row for test in names_in(HERE) for row in rows_of(test)}


@pytest.mark.parametrize("row", IN_SCOPE)
def test_each_row_is_tried_somewhere(row: str) -> None:
    assert row in TRIED_HERE or row in ELSEWHERE


def test_no_test_is_about_a_row_that_is_not_there() -> None:
    assert TRIED_HERE | ELSEWHERE.keys() == set(IN_SCOPE)


def test_the_tests_elsewhere_exist() -> None:
    existing = names_in(HERE.parent, but=HERE)
    assert [name for names in ELSEWHERE.values() for name in names if name not in existing] == []


@pytest.mark.skipif(not LIST.exists(), reason="the list of bug reports is not beside this checkout")
def test_the_rows_are_those_of_the_list() -> None:
    listed = re.findall(r"^\| (B[0-9]+) \|", LIST.read_text(), re.MULTILINE)
    assert [row for row in listed if int(row[1:]) <= 106] == IN_SCOPE
