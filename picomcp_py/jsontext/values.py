"""`write`, the one msgspec encoder of the library, and what it says of a value that has no JSON form."""

from __future__ import annotations

from typing import Any

import msgspec

Path = tuple[str | int, ...]


class Unencodable(TypeError):
    """A value that has no JSON form. `path` leads to it from the root, `kind` is the name of its type."""

    def __init__(self, path: Path, kind: str, reason: str) -> None:
        where = _render(path)
        super().__init__(f"{where}: {reason}" if where else reason)
        self.path = path
        self.kind = kind


MAX_NAME = 80
"""Characters of a name in the text of an Unencodable."""
MAX_PATH = 600
"""Characters of a path in it, the first and the last ones."""


def _render(path: Path) -> str:
    """`rows[3].when`; names that aren't words in brackets and quotes, long ones cut."""
    out = ""
    for key in path:
        if isinstance(key, str) and len(key) > MAX_NAME:
            key = key[: MAX_NAME - 1] + "…"
        if isinstance(key, int):
            out += f"[{key}]"
        elif key.isidentifier():
            out += f".{key}" if out else key
        else:
            out += f"[{write(key).decode()}]"
    half = MAX_PATH // 2
    return out if len(out) <= MAX_PATH else f"{out[:half]}…{out[-half:]}"


def clean_text(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate, so that it can be encoded. Surrogate pairs become their character."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _simpler(value: Any) -> Any:
    from .simpler import simpler

    return simpler(value)


write = msgspec.json.Encoder(enc_hook=_simpler).encode
