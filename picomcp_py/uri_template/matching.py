"""From a URI to values: the inverse of expansion, which RFC 6570 leaves open.

A template becomes steps: literals, values (one stretch of the URI each) and pairs (`?a=1&b=2`). From the last step to
the first, a table says where in the URI a step can begin so that the rest still matches, and where it then ends. Then
the tables are followed once from the front.

No regular expression and no backtracking: each step goes over the URI from its end to its beginning a fixed number of
times, so that the time is linear in the length of the URI whatever it holds. Of several ways to divide a URI, the one
whose first value is the longest wins, then the second, and so on. What the stretches hold (UTF-8, the names of pairs)
is looked at in this one only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from .parse import Expression, Part, Variable
from .percent import MALFORMED, decode, normal

Found: TypeAlias = dict[str, str | list[str]]
Table: TypeAlias = list[tuple[int, int, int]]
"""(low, high, end): a step that begins at a place from low to before high ends at end. Disjoint, from last to first."""


class Literal(NamedTuple):
    text: str

    def table(self, uri: str, after: Table) -> Table:
        size = len(self.text)
        made = []
        for low, high, _ in after:
            first = max(low - size, 0)
            at = uri.rfind(self.text, first, high - 1)
            while at >= 0:
                if "%" not in uri[max(at - 2, 0) : at]:  # else it is in the middle of a triplet
                    made.append((at, at + 1, at + size))
                at = uri.rfind(self.text, first, at + size - 1)
        return made

    def read(self, stretch: str, found: Found) -> None:
        pass


class Value(NamedTuple):
    variable: Variable
    stops: str  # characters that its stretch of the URI never holds
    split: str  # between the items of a list, else ""

    def table(self, uri: str, after: Table) -> Table:
        made = []
        open_below = len(uri)  # a place from here on is in the table, with an end that is further away
        window = None if self.variable.limit is None else _Window(uri, self.variable.limit)
        for end, floor in _runs(uri, self.stops, after):
            low = floor if window is None else window.low(end, floor)
            high = min(end, open_below)
            if low < high:
                made.append((low, high, end))
                open_below = low
        return made

    def read(self, stretch: str, found: Found) -> None:
        if not self.split:
            found[self.variable.name] = decode(stretch)
            return
        items = [decode(item) for item in stretch.split(self.split)]
        if "" in items:
            raise ValueError("an empty item")
        found[self.variable.name] = items


class Pairs(NamedTuple):
    lead: str
    separator: str
    variables: dict[str, Variable]
    stops: str

    def table(self, uri: str, after: Table) -> Table:
        made = []
        for end, floor in _runs(uri, self.stops, after):  # what follows is a stop or the end of the URI: see `parse`
            made.append((end, end + 1, end))  # all pairs may be absent
            at = uri.rfind(self.lead, floor, end)
            while at >= 0:
                made.append((at, at + 1, end))
                at = uri.rfind(self.lead, floor, at)
        return made

    def read(self, stretch: str, found: Found) -> None:
        for pair in stretch[1:].split(self.separator) if stretch else ():
            name, _, text = pair.partition("=")
            variable = self.variables.get(name)
            if variable is None:
                raise ValueError("an unknown parameter")
            value = decode(text)
            if variable.limit is not None and len(value) > variable.limit:
                raise ValueError("a value that is too long")
            if not variable.explode:
                if name in found:
                    raise ValueError("a parameter that is given twice")
                found[name] = value
            elif isinstance(items := found.setdefault(name, []), list):
                items.append(value)


Step: TypeAlias = Literal | Value | Pairs


def _runs(uri: str, stops: str, after: Table) -> Iterator[tuple[int, int]]:
    """Each place where the next step can begin, with the first place from which no stop lies between."""
    last = dict.fromkeys(stops, len(uri))  # where each stop is last, before the place in hand
    floor = len(uri) + 1
    for place, _, _ in after:
        if place < floor:
            for stop, at in last.items():
                if at >= place:
                    last[stop] = uri.rfind(stop, 0, place)
            floor = max(last.values(), default=-1) + 1
        yield place, floor


class _Window:
    """So many characters, decoded, in front of a place that moves towards the beginning of the URI."""

    def __init__(self, uri: str, limit: int) -> None:
        self.uri = uri
        self.limit = limit
        self.first = self.end = len(uri)
        self.characters = 0  # from first to before end; negative while first is behind end

    def low(self, end: int, floor: int) -> int:
        while self.end > end:
            self.end -= 1
            self.characters -= self._begins_character(self.end)
        while self.first > floor and self.characters < self.limit:
            self.first -= 1
            self.characters += self._begins_character(self.first)
        return self.first

    def _begins_character(self, at: int) -> bool:
        """False inside of a triplet, and at one that goes on with a character of UTF-8 (%80 to %BF)."""
        if self.uri[at] == "%":
            return self.uri[at + 1] not in "89ABab"
        return "%" not in self.uri[max(at - 2, 0) : at]


def steps(parts: tuple[Part, ...]) -> tuple[Step, ...]:
    """What `match` follows."""
    made: list[Step] = []
    taken = ""  # leads of expressions behind: values in front don't hold them, so that these can be told apart
    for part in reversed(parts):
        if isinstance(part, str):
            made.append(Literal(normal(part)))
            continue
        rule = part.rule
        if rule.named:
            variables = {variable.name: variable for variable in part.variables}
            made.append(Pairs(rule.lead, rule.separator, variables, "/?#" if part.operator == ";" else "#"))
            taken += rule.lead
            continue
        for variable in reversed(part.variables):
            made.append(_value(part, variable, taken))
            made.append(Literal(rule.separator))
        made.pop()
        if rule.lead:
            made.append(Literal(rule.lead))
        if rule.lead == "#":
            taken += rule.lead
    return tuple(reversed(made))


def _value(expression: Expression, variable: Variable, taken: str) -> Value:
    split = expression.operator if variable.explode and expression.operator in ("/", ".") else ""
    stops = taken
    if not expression.rule.reserved:
        stops += "?#"
    if not expression.spans(variable):
        stops += "/"
    if expression.operator == "" and len(expression.variables) > 1:
        stops += ","
    return Value(variable, stops, split)


def match(template: tuple[Step, ...], uri: str) -> Found | None:
    """The decoded values by name, or None."""
    try:
        uri = normal(uri)
        first, last = template[0], template[-1]
        if isinstance(first, Literal) and not uri.startswith(first.text):
            return None
        if isinstance(last, Literal) and not uri.endswith(last.text):
            return None
        if MALFORMED.search(uri):
            return None
        return _follow(template, uri)
    except ValueError:  # of percent-encoding, or of `read`: the URI is none of this template's
        return None


def _follow(template: tuple[Step, ...], uri: str) -> Found | None:
    table = [(len(uri), len(uri) + 1, len(uri))]
    tables = []
    for step in reversed(template):
        table = step.table(uri, table)
        if not table:
            return None
        tables.append(table)
    found: Found = {}
    at = 0
    for step, table in zip(template, reversed(tables), strict=True):
        end = next((end for low, high, end in reversed(table) if low <= at < high), -1)
        if end < 0:
            return None
        step.read(uri[at:end], found)
        at = end
    return found
