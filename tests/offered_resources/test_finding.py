"""Who reads a URI: the resource that has it, else the most specific template."""

from __future__ import annotations

from picomcp_py.offered.resource import Resource, ResourceTemplate, find, make_resource
from tests.offered_resources.reading import registries, who_reads


def made(uri: str) -> Resource | ResourceTemplate:
    return make_resource(uri, {"read": lambda: uri})


def test_a_fixed_uri_goes_before_every_template() -> None:
    both = (made("note://{date}"), made("note://index"))
    assert who_reads("note://index", *both) == ("note://index", None)
    assert who_reads("note://2026", *both) == ("note://{date}", {"date": "2026"})
    assert who_reads("memo://index", *both) is None
    assert who_reads("note://a/b", *both) is None
    assert who_reads("") is None


def test_of_several_templates_the_most_specific_reads_whatever_the_order() -> None:
    several = ["note://{+path}", "note://{year}/{day}", "note://2026/{day}", "note://{year}/index"]
    for order in (several, several[::-1]):
        templates = [made(text) for text in order]
        assert who_reads("note://2026/09-05", *templates) == ("note://2026/{day}", {"day": "09-05"})
        assert who_reads("note://2025/09-05", *templates) == ("note://{year}/{day}", {"year": "2025", "day": "09-05"})
        assert who_reads("note://2025/index", *templates) == ("note://{year}/index", {"year": "2025"})
        assert who_reads("note://a/b/c", *templates) == ("note://{+path}", {"path": "a/b/c"})


def test_among_equals_the_first_one_registered_reads() -> None:
    assert who_reads("note://x", made("note://{a}"), made("note://{b}")) == ("note://{a}", {"a": "x"})
    assert who_reads("note://x", made("note://{b}"), made("note://{a}")) == ("note://{b}", {"b": "x"})


def test_what_a_uri_may_write_in_two_ways_is_found_in_both() -> None:
    """A character that no URI can hold is the same as its percent-encoding: in the template and in what is asked."""
    for text in ("note://caf\xe9/{x}", "note://caf%C3%A9/{x}"):
        for uri in ("note://caf\xe9/1", "note://caf%C3%A9/1"):
            assert who_reads(uri, made(text)) == (text, {"x": "1"})


def test_a_template_that_comes_or_goes_later_counts_at_once() -> None:
    resources, templates = registries(made("note://{+path}"))
    assert find(resources, templates, "note://a/b") is not None
    better = made("note://a/{x}")
    assert isinstance(better, ResourceTemplate)
    templates.add(better)
    assert find(resources, templates, "note://a/b") == (better, {"x": "b"})
    templates.remove("note://a/{x}")
    templates.remove("note://{+path}")
    assert find(resources, templates, "note://a/b") is None


def test_hundreds_of_templates_are_told_apart() -> None:
    many = [made(f"db://table{n}/{{id}}") for n in range(500)]
    assert who_reads("db://table371/x", *many) == ("db://table371/{id}", {"id": "x"})
