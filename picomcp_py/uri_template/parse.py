"""The text of a URI template (RFC 6570, section 2) read into its parts, and checked.

Everything that RFC 6570 doesn't allow is a ConfigError, and so is what could be expanded but not be matched again.
Non-goals: names with percent-encoding in them; the operators that RFC 6570 reserves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn, TypeAlias

from ..errors import ConfigError
from .percent import MALFORMED


class Operator(NamedTuple):
    """A row of the table in RFC 6570, appendix A."""

    lead: str
    separator: str
    named: bool = False
    reserved: bool = False
    empty: str = ""  # what follows the name of an empty value


OPERATORS = {
    "": Operator("", ","),
    "+": Operator("", ",", reserved=True),
    "#": Operator("#", ",", reserved=True),
    ".": Operator(".", "."),
    "/": Operator("/", "/"),
    ";": Operator(";", ";", named=True),
    "?": Operator("?", "&", named=True, empty="="),
    "&": Operator("&", "&", named=True, empty="="),
}


class Variable(NamedTuple):
    name: str
    explode: bool
    limit: int | None  # characters, from `{name:limit}`


class Expression(NamedTuple):
    operator: str
    variables: tuple[Variable, ...]

    @property
    def rule(self) -> Operator:
        return OPERATORS[self.operator]

    def spans(self, variable: Variable) -> bool:
        """Can the variable's value hold a "/" that isn't encoded?"""
        return self.rule.reserved or (variable.explode and self.operator in ("", "/"))


Part: TypeAlias = str | Expression

_NAME = re.compile(r"\w+(?:\.\w+)*", re.ASCII)
_LIMIT = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
# RFC 6570, section 2.1, besides braces and "%". Text beyond ASCII may stand: it is the same as its percent-encoding.
_NOT_LITERAL = re.compile(r'[\x00-\x20"<>\\^`|\x7f-\x9f\ud800-\udfff]')


def has_expression(text: str) -> bool:
    """Is this a template rather than a fixed URI? One brace makes it a template, though maybe a broken one."""
    return "{" in text or "}" in text


def parse(text: str) -> tuple[Part, ...]:
    """The literals and expressions of a template, in order. Raises ConfigError, which says what, where, and the fix."""
    if not isinstance(text, str):
        raise ConfigError(f"a URI template must be a str, not {type(text).__name__}")
    if not has_expression(text):
        raise ConfigError(f'"{text:.200}": a fixed URI, not a template: write a variable in braces, as in {{name}}')
    parts: list[Part] = []
    before: set[str] = set()
    for part, at in _parts(text):
        if isinstance(part, Expression):
            for variable in part.variables:
                if variable.name in before:
                    _refuse(text, at, f'the name "{variable.name}" is used twice', "give each variable its own name")
                before.add(variable.name)
        _check_neighbours(text, at, parts, part)
        parts.append(part)
    return tuple(parts)


def _refuse(text: str, at: int, fault: str, fix: str) -> NoReturn:
    raise ConfigError(f'URI template "{text:.200}", character {at + 1}: {fault}: {fix}')


def _parts(text: str) -> Iterator[tuple[Part, int]]:
    """Each part with the place where it begins."""
    at = 0
    while at < len(text):
        if text[at] == "{":
            close = text.find("}", at)
            inner = text.find("{", at + 1)
            if close < 0:
                _refuse(text, at, '"{" is never closed', 'write "}" behind the name')
            if 0 <= inner < close:
                _refuse(text, inner, '"{" inside an expression', 'close the one before with "}"')
            yield _expression(text, at, close), at
            at = close + 1
        else:
            end = text.find("{", at)
            end = len(text) if end < 0 else end
            yield _literal(text, at, end), at
            at = end


def _literal(text: str, at: int, end: int) -> str:
    literal = text[at:end]
    if "}" in literal:
        _refuse(text, text.index("}", at), '"}" closes nothing', 'write "{" in front of the name, or leave "}" out')
    if bad := MALFORMED.search(literal):
        _refuse(text, at + bad.start(), '"%" without two hex digits', 'write %25 for a "%" itself')
    if bad := _NOT_LITERAL.search(literal):
        code = ord(bad[0])
        fix = f'write it percent-encoded, as "%{code:02X}"' if code < 0x80 else "leave it out"
        _refuse(text, at + bad.start(), f"{bad[0]!r} can't stand in a URI", fix)
    return literal


def _expression(text: str, at: int, close: int) -> Expression:
    body = text[at + 1 : close]
    if not body:
        _refuse(text, at, "an empty expression", "write a name between the braces")
    operator = body[0] if body[0] in OPERATORS else ""
    known = f"use one of {' '.join(OPERATORS).strip()}"
    if body[0] in "=,!@|":
        _refuse(text, at + 1, f'RFC 6570 reserves the operator "{body[0]}"', known)
    if not operator and not body[0].isalnum() and body[0] not in "_ *:%-":
        _refuse(text, at + 1, f"unknown operator {body[0]!r}", known)
    variables = []
    place = at + 1 + len(operator)
    for spec in text[place:close].split(","):
        variables.append(_variable(text, place, spec))
        place += len(spec) + 1
    return Expression(operator, tuple(variables))


def _variable(text: str, at: int, spec: str) -> Variable:
    name, colon, limit = spec.partition(":")
    explode = name.endswith("*")
    name = name.removesuffix("*")
    if not name:
        _refuse(text, at, "a name is missing", 'write one behind the operator and between two ","')
    if not _NAME.fullmatch(name):
        fix = 'use letters, digits and "_" of ASCII, with single dots between them'
        _refuse(text, at, f"\"{name:.60}\" can't be a variable's name", fix)
    if not colon:
        return Variable(name, explode, None)
    if explode or limit.endswith("*"):
        _refuse(text, at, f'"{name}" has both "*" and ":"', "use one of them")
    if not _LIMIT.fullmatch(limit):
        _refuse(text, at, f'":{limit:.60}" is no length', "write a number from 1 to 9999, as in {name:3}")
    return Variable(name, False, int(limit))


# ---- what could not be matched again ----


def _check_neighbours(text: str, at: int, before: list[Part], part: Part) -> None:
    last = before[-1] if before else ""
    if not isinstance(last, str) and last.rule.named:
        _check_after_pairs(text, at, last, part)
    if isinstance(part, str):
        return
    first = part.variables[0]
    if part.operator == "?" and _in_query(before):
        _refuse(text, at, 'a second "?"', f"write {{&{first.name}}}, which goes on with the query")
    for one, other in zip(part.variables, part.variables[1:], strict=False):
        if one.explode and other.explode and not part.rule.named:
            _refuse_unclear(text, at, one, other, "make one of them a plain variable")
    if isinstance(last, str) or last.rule.named:
        return
    end = last.variables[-1]
    if not part.rule.lead:
        fix = f"write something between them, as in {{{last.operator}{end.name}}}/{{{part.operator}{first.name}}}"
        _refuse_unclear(text, at, end, first, fix)
    if first.explode and (part.operator == "." or (part.operator == "/" and last.spans(end))):
        _refuse_unclear(text, at, end, first, "write a literal between them, or make the second a plain variable")


def _check_after_pairs(text: str, at: int, last: Expression, part: Part) -> None:
    name = last.variables[-1].name
    if isinstance(part, Expression) and part.rule.separator == last.rule.separator and part.rule.named:
        fix = f"write one expression, as in {{{last.operator}{name},{part.variables[0].name}}}"
        _refuse(text, at, "the expression before goes on here", fix)
    begin = part[0] if isinstance(part, str) else part.rule.lead
    may_follow = "/?#" if last.operator == ";" else "#"
    if not begin or begin not in may_follow:
        allowed = " or ".join(f'"{lead}"' for lead in may_follow)
        fix = f"only {allowed} can follow {{{last.operator}...}}: move this in front of it"
        _refuse(text, at, f'nobody can tell where the value of "{name}" ends', fix)


def _refuse_unclear(text: str, at: int, one: Variable, other: Variable, fix: str) -> NoReturn:
    _refuse(text, at, f'nobody can tell where "{one.name}" ends and "{other.name}" begins', fix)


def _in_query(before: list[Part]) -> bool:
    """Does a "?" stand before, and no "#" after it?"""
    written = "".join(part if isinstance(part, str) else part.rule.lead for part in before)
    return "?" in written[written.rfind("#") + 1 :]
