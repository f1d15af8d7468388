"""Where validation failures become text: one value, one JSON Schema, all faults, in zod's words.

Dict schemas are validated here. msgspec and pydantic validate for themselves; when they refuse a value, an `Explainer`
over the JSON Schema that they generate says why, so that the text is the same whoever validated. wording.py has the
texts.

Rules
- Every fault of every field, in the order of `properties`; unknown keys after them. At most MAX_ISSUES.
- A fault is told where the model can mend it: a missing property and an unknown key at the key itself.
- One fault a cause: of a value that isn't in the list, its type is not told as well; of a union, only the branch that
  was meant.
- No text of jsonschema's, and no value that is longer than a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from . import keywords, wording
from .document import Document
from .formats import format_message
from .plain import is_one_of, json_type
from .schema import Issue, Path

MAX_ISSUES = 50  # a list of a thousand wrong items is wrong for one reason

Explain = Callable[["Explainer", Any], Iterable[Issue]]


class Explainer:
    """Explains values by `schema`. It is read, and jsonschema imported, at the first call of `issues`.

    The other arguments are for a schema that was read already, and for a validator of the user's own: its class
    (`base`) and its format checker.
    """

    def __init__(
        self,
        schema: dict[str, Any],
        *,
        document: Document | None = None,
        base: Any = None,
        format_checker: Any = None,
    ) -> None:
        self._schema = schema
        self._given = document
        self._base = base
        self._format_checker = format_checker

    @cached_property
    def document(self) -> Document:
        return self._given or Document(self._schema)

    @cached_property
    def validator(self) -> Any:
        """The jsonschema validator; its `iter_errors` is quick as long as there are none."""
        return keywords.validator_class(self.document.dialect, self._base)(
            self.document.root,
            registry=self.document.registry,
            format_checker=self._format_checker or keywords.format_checker(),
        )

    def issues(self, value: Any) -> tuple[Issue, ...]:
        """Every fault of `value` (JSON as Python values), in schema order; empty if it is valid."""
        try:
            return self.told(self.validator.iter_errors(value))
        except RecursionError:
            return (Issue("Invalid input: nested too deeply"),)

    def told(self, errors: Iterable[Any]) -> tuple[Issue, ...]:
        """What these errors of jsonschema say, without repeating."""
        found: dict[Issue, None] = {}
        for issue in self._told(errors):
            if len(found) == MAX_ISSUES and issue not in found:
                found[Issue(f"Only the first {MAX_ISSUES} issues are listed")] = None
                break
            found[issue] = None
        return tuple(found)

    def _told(self, errors: Iterable[Any]) -> Iterator[Issue]:
        settled: set[tuple[Path, int]] = set()
        for error in errors:
            spot = (tuple(error.absolute_path), id(error.schema))
            if spot not in settled:
                if error.validator in ("enum", "const", "type"):
                    settled.add(spot)
                yield from WORDS.get(error.validator, _other)(self, error)

    def mismatch(self, schema: Any, value: Any) -> str:
        return wording.mismatch(self.document.types(schema), wording.received(value))


# One function a keyword, from jsonschema's error to issues.


def _at(error: Any, message: str, *more: str | int) -> Issue:
    return Issue(message, (*error.absolute_path, *more))


def _bound(text: str) -> Explain:
    return lambda _, error: [_at(error, text.format(wording.shown(error.validator_value)))]


def _other(_: Explainer, error: Any) -> Iterator[Issue]:
    yield _at(error, f"Invalid input: breaks {wording.shown(error.validator)} of the schema")


def _type(_: Explainer, error: Any) -> Iterator[Issue]:
    names = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    yield _at(error, wording.mismatch(names, wording.received(error.instance)))


def _enum(_: Explainer, error: Any) -> Iterator[Issue]:
    yield _at(error, wording.options(error.validator_value, error.instance))


def _const(_: Explainer, error: Any) -> Iterator[Issue]:
    yield _at(error, wording.options([error.validator_value]))


def _missing(explainer: Explainer, error: Any) -> Iterator[Issue]:
    options = explainer.document.options(error.schema)
    types = explainer.document.types(error.schema)
    text = wording.options(options) if options else wording.mismatch(types, "undefined")
    needed_by = error.validator_value  # a name, if another property asks for it
    yield _at(error, f"{text}, as {wording.shown(needed_by)} is given" if isinstance(needed_by, str) else text)


def _unknown_key(_: Explainer, error: Any) -> Iterator[Issue]:
    yield _about_key(error.absolute_path[-1], [*error.absolute_path][:-1], error.schema, error.instance)


def _about_key(key: str, parent: Iterable[str | int], names: Iterable[str] | dict[str, Any], given: Any) -> Issue:
    names = names.get("properties", ()) if isinstance(names, dict) else names
    message = wording.unknown_key(key, [*names], given)
    # A key is somebody else's text too: a long one isn't repeated in the path.
    return Issue(message, (*parent, key) if len(key) <= wording.MAX_SHOWN else tuple(parent))


def _bad_key(explainer: Explainer, error: Any) -> Iterator[Issue]:
    for issue in explainer.told(error.context)[:1]:
        yield _at(error, f"Invalid key in record: {issue.message}")


def _unevaluated_properties(explainer: Explainer, error: Any) -> Iterator[Issue]:
    named = [name for part in explainer.document.parts(error.schema) for name in part.get("properties", ())]
    # jsonschema tells the keys only in its text, each as a Python literal.
    for key in [key for key in error.instance if key not in named and repr(key) in error.message]:
        if error.validator_value is False:
            yield _about_key(key, error.absolute_path, named, error.instance)
        else:
            yield _at(error, explainer.mismatch(error.validator_value, error.instance[key]), key)


def _too_many_items(_: Explainer, error: Any) -> Iterator[Issue]:
    prefix = error.schema.get("prefixItems", error.schema.get("items", ()))
    count = len(prefix) if isinstance(prefix, list) else 0
    yield _at(error, f"Too big: expected array to have <={count} items")


def _unique_items(_: Explainer, error: Any) -> Iterator[Issue]:
    first, second = error.validator_value
    yield _at(error, f"Invalid input: items must be unique, this one repeats item {first}", second)


def _nothing_allowed(_: Explainer, error: Any) -> Iterator[Issue]:
    *parent, last = [*error.absolute_path] or [None]
    if isinstance(last, str):
        yield _about_key(last, parent, (), ())
    else:
        yield _at(error, f"Invalid input: expected never, received {wording.received(error.instance)}")


def _not(explainer: Explainer, error: Any) -> Iterator[Issue]:
    refused = error.validator_value
    options = explainer.document.options(refused)
    if refused in ({}, True):
        yield from _nothing_allowed(explainer, error)
    elif options is not None:
        yield _at(error, "Invalid input: must not be " + " or ".join(map(wording.shown, options[:10])))
    elif isinstance(refused, dict) and [*refused] == ["required"]:
        yield _at(error, "Invalid input: must not have " + " and ".join(map(wording.shown, refused["required"])))
    else:
        yield _at(error, "Invalid input: it is what the schema excludes")


def _union(explainer: Explainer, error: Any) -> Iterator[Issue]:
    document, branches, value = explainer.document, error.validator_value, error.instance
    if not error.context:
        yield _at(error, "Invalid input: more than one of the alternatives matches, expected exactly one")
        return
    options = document.options({"anyOf": branches})
    typed = [index for index, branch in enumerate(branches) if json_type(value) in document.types(branch)]
    if options is not None:
        yield _at(error, wording.options(options, value))
    elif not typed:
        types = [name for branch in branches for name in document.types(branch)]
        yield _at(error, wording.mismatch(types, wording.received(value)))
    elif found := _wrong_tag(document, [branches[index] for index in typed], value):
        tag, options = found
        yield _at(error, wording.discriminator(options), tag)
    else:
        yield from _best_branch(explainer, error, document.fitting(branches, value) or typed)


def _wrong_tag(document: Document, branches: list[Any], value: Any) -> tuple[str, list[Any]] | None:
    """The property that tells the branches apart, and its values, if the value of it is none of them."""
    if not isinstance(value, dict) or len(branches) < 2:
        return None
    names = [name for part in document.parts(branches[0]) for name in part.get("properties", ())]
    for name in dict.fromkeys(names):
        each = [document.options(document.member(branch, name)) for branch in branches]
        options = [option for options in each for option in options or ()]
        if not all(each):
            continue
        if name in value and not is_one_of(value[name], options):
            return name, options
        if name not in value and all(_requires(document, branch, name) for branch in branches):
            return name, options
    return None


def _requires(document: Document, branch: Any, name: str) -> bool:
    return any(name in part.get("required", ()) for part in document.parts(branch))


def _best_branch(explainer: Explainer, error: Any, meant: list[int]) -> Iterable[Issue]:
    by_branch = defaultdict(list)
    for cause in error.context:
        by_branch[cause.relative_schema_path[0]].append(cause)
    told = [issues for index in meant if (issues := explainer.told(by_branch[index]))]
    path = tuple(error.absolute_path)
    if len(told) > 1 and all(len(issues) == 1 and issues[0].path == path for issues in told):
        first, *others = dict.fromkeys(issues[0].message for issues in told)
        texts = [first, *(text[0].lower() + text[1:] for text in others[:2])]
        return [Issue(" or ".join(texts), path)]
    return min(told, key=len, default=[_at(error, "Invalid input")])


WORDS: dict[str | None, Explain] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _bound("Too small: expected number to be >={}"),
    "maximum": _bound("Too big: expected number to be <={}"),
    "exclusiveMinimum": _bound("Too small: expected number to be >{}"),
    "exclusiveMaximum": _bound("Too big: expected number to be <{}"),
    "multipleOf": _bound("Invalid number: must be a multiple of {}"),
    "minLength": _bound("Too small: expected string to have >={} characters"),
    "maxLength": _bound("Too big: expected string to have <={} characters"),
    "minItems": _bound("Too small: expected array to have >={} items"),
    "maxItems": _bound("Too big: expected array to have <={} items"),
    "minProperties": _bound("Too small: expected object to have >={} keys"),
    "maxProperties": _bound("Too big: expected object to have <={} keys"),
    "minContains": _bound("Too small: expected array to have >={} matching items"),
    "maxContains": _bound("Too big: expected array to have <={} matching items"),
    "contains": lambda _, error: [_at(error, "Too small: expected array to have >=1 matching items")],
    "pattern": lambda _, error: [
        _at(error, wording.pattern(getattr(error.validator_value, "ecma", error.validator_value)))
    ],
    "format": lambda _, error: [_at(error, format_message(error.validator_value))],
    "uniqueItems": _unique_items,
    "items": _too_many_items,
    "additionalItems": _too_many_items,
    "unevaluatedItems": lambda _, error: [_at(error, "Too big: the array has items that the schema does not allow")],
    "unevaluatedProperties": _unevaluated_properties,
    "anyOf": _union,
    "oneOf": _union,
    "not": _not,
    keywords.MISSING: _missing,
    keywords.UNKNOWN_KEY: _unknown_key,
    keywords.BAD_KEY: _bad_key,
    None: _nothing_allowed,
}
