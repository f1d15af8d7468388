"""From values to a URI: expansion as in RFC 6570, section 3.

One rule is stricter: a variable without a value is an error unless it is one of `{?x}`, `{&x}` or `{;x}`, because the
URI that came out would name something else. Values that the template doesn't name are not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from .parse import Expression, Part, Variable
from .percent import encode, normal

Values: TypeAlias = Mapping[str, str | int | Sequence[str] | None]
"""Values by name. None and an empty list count as absent."""


def expand(template: str, parts: tuple[Part, ...], values: Values) -> str:
    """The URI. Raises ValueError or TypeError with the name of the variable whose value is missing or unfit."""
    return "".join(normal(part) if isinstance(part, str) else _expression(template, part, values) for part in parts)


def _expression(template: str, expression: Expression, values: Values) -> str:
    rule = expression.rule
    written = []
    for variable in expression.variables:
        value = values.get(variable.name)
        if isinstance(value, Sequence) and not isinstance(value, str) and not value:
            value = None
        if value is not None:
            written.append(_variable(template, expression, variable, value))
        elif not rule.named:
            raise ValueError(f'"{template}": no value for "{variable.name}": pass {{"{variable.name}": ...}}')
    return rule.lead + rule.separator.join(written) if written else ""


def _variable(template: str, expression: Expression, variable: Variable, value: Any) -> str:
    rule = expression.rule
    where = f'"{template}": the value of "{variable.name}"'
    several = isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview)
    if several and variable.limit is not None:
        raise ValueError(f"{where} is a list, which {{{variable.name}:{variable.limit}}} can't cut: pass a str")
    texts = [_text(where, item, several)[: variable.limit] for item in (value if several else [value])]
    try:
        encoded = [encode(text, rule.reserved) for text in texts]
    except UnicodeEncodeError:
        raise ValueError(f"{where} holds a lone surrogate, which has no UTF-8: replace it") from None
    if not variable.explode:
        encoded = [",".join(encoded)]
    if rule.named:
        encoded = [f"{variable.name}={text}" if text else variable.name + rule.empty for text in encoded]
    return rule.separator.join(encoded)


def _text(where: str, value: Any, in_list: bool) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    expected = "a list of str" if in_list else "a str, an int or a list of str"
    raise TypeError(f"{where} must be {expected}, not {'a list with ' if in_list else ''}{type(value).__name__}")
