"""URI templates (RFC 6570): from values to a URI and from a URI back to the values. See `UriTemplate`.

`parse` reads the text, `expansion` and `matching` go the two ways, `percent` is the encoding that both share.
"""

from __future__ import annotations

from . import expansion, matching
from .expansion import Values
from .parse import Expression, Part, has_expression, parse

__all__ = ["UriTemplate", "Values", "has_expression"]


class UriTemplate:
    """A URI template: `UriTemplate("note://{date}").match("note://2026-09-05") == {"date": "2026-09-05"}`.

    | expression        | what it matches                                              | its value       |
    |-------------------|--------------------------------------------------------------|-----------------|
    | `{x}`             | one or more characters but "/", "?" and "#"                  | str             |
    | `{x:3}`           | the same, at most 3 characters (counted decoded)             | str             |
    | `{x,y}`           | the same twice, "," between them and not in them             | str each        |
    | `{+x}`            | one or more characters of any kind                           | str             |
    | `{x*}`            | one or more characters but "?" and "#"                       | str             |
    | `{#x}`            | "#" and one or more characters of any kind                   | str             |
    | `{.x}` `{/x}`     | "." or "/", then as `{x}`                                    | str             |
    | `{/x*}` `{.x*}`   | "/a/b/c" or ".a.b.c", no item empty                          | list of str     |
    | `{?a,b}` `{&a,b}` | "?a=1&b=2" or "&a=1&b=2", in any order, all may be absent    | str, or no key  |
    | `{;a,b}`          | ";a=1;b=2", in any order, all may be absent                  | str, or no key  |
    | `{?a*}`           | "?a=1&a=2", and so with "&" and ";"                          | list, or no key |

    - Values are percent-decoded exactly once: "%252e" is "%2e". So the value of `{x}` holds a "/" where the URI has
      "%2F": `note://{date}` makes "a/b" of "note://a%2Fb". No value is a safe file name until someone has checked it.
    - A URI is an opaque string: everything outside of the values is compared exactly, upper and lower case of scheme
      and host too. Only a character that no URI can hold (a space, "é") is the same as its percent-encoding.
    - A query with a name that the template doesn't know doesn't match: a misspelt filter must not read everything.
      Neither does one that gives a name twice without a "*". "?a" is the same as "?a=", and "+" is no space.
    - A value in front of `{?a}`, `{&a}`, `{;a}` or `{#a}` never holds that sign itself, only its percent-encoding.
    - Where several matches are possible, the first value takes as much as it can: `{name}{.ext}` makes "a.tar" and
      "gz" of "a.tar.gz".
    - `{x*}` is the wildcard of other libraries for MCP, one str. `expand` follows RFC 6570 and encodes its "/".

    `match(expand(values)) == values`, for str values and for lists with "*". RFC 6570 writes some others so that they
    can't come back: an empty value outside of `{?a}`, `{&a}` and `{;a}`; control characters; a list without "*" (a str
    with commas); what ":3" cuts off; in `{+x}` and `{#x}` a triplet such as "%41", which it lets through, and the signs
    of the rule on values in front; and values that hold what separates them from the next, as the "." of `{.ext}`.

    Raises ConfigError for a text that isn't a template, or one whose URIs could not be matched again.
    """

    __slots__ = ("_parts", "_steps", "names", "text", "weight")

    text: str
    """The template as it was written."""
    names: tuple[str, ...]
    """The variables, in order."""
    weight: tuple[int, int, int, int]
    """What to sort by so that the most specific template comes first: more literal characters, then fewer variables
    that reach over several segments, then fewer others, then fewer that may be absent."""

    def __init__(self, text: str) -> None:
        self._parts = parse(text)
        self._steps = matching.steps(self._parts)
        self.text = text
        self.names = tuple(
            variable.name for part in self._parts if isinstance(part, Expression) for variable in part.variables
        )
        self.weight = _weight(self._parts)

    def __repr__(self) -> str:
        return f"UriTemplate({self.text!r})"

    def match(self, uri: str) -> dict[str, str | list[str]] | None:
        """The decoded values by name if the URI is one of this template's, else None. Linear in the URI's length.

        None too for broken percent-encoding, for what doesn't decode to UTF-8, and for control characters.
        """
        return matching.match(self._steps, uri)

    def expand(self, values: Values) -> str:
        """The URI with these values, as RFC 6570 writes it. None and an empty list count as absent.

        Raises ValueError for a variable without a value, except those of `{?a}`, `{&a}` and `{;a}`, and for lone
        surrogates; TypeError for a value that is no str, int or list of them.
        """
        return expansion.expand(self.text, self._parts, values)


def _weight(parts: tuple[Part, ...]) -> tuple[int, int, int, int]:
    literal = spanning = single = optional = 0
    for part in parts:
        if isinstance(part, str):
            literal += len(part)
        elif part.rule.named:
            optional += len(part.variables)
        else:
            spans = sum(map(part.spans, part.variables))
            spanning += spans
            single += len(part.variables) - spans
            literal += len(part.rule.lead) + len(part.variables) - 1
    return -literal, spanning, single, optional
