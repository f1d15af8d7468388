"""Can it be sent? Content blocks and `_meta` of what handlers return, checked before the reply is made.

What can't is a `Refused` whose text begins with the place: `content[1].data: ...`. Who converts a result turns it into
that result's kind of error. Non-goal: encoding blocks, which is done once, with the whole reply.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

from ..content import check_block
from ..content_checks import is_object
from ..errors import INTERNAL_ERROR, McpError, sentence
from ..jsontext import Unencodable, decode_json, encode_json
from ..log import log

_ENCODED_ANYHOW = {"type", "text", "data", "mimeType"}
"""Members of a block whose check has shown that they can be encoded."""


class TextCopy(Struct, frozen=True, gc=False, tag_field="type", tag="text"):
    """A Text whose text was decoded from UTF-8, and so needs no check."""

    text: str


class Refused(Exception):
    """What was returned can't be sent; the text says why."""


def sendable(value: Any, where: str) -> Any:
    """A block that is good and can be encoded; `where` is its place, for the text of Refused."""
    if type(value) is TextCopy:  # from a result that was converted before
        return value
    try:
        block = check_block(value, where)
    except ValueError as error:
        raise Refused(str(error)) from None
    if isinstance(block, dict):
        free = {key: member for key, member in block.items() if key not in _ENCODED_ANYHOW}
    elif block.annotations is None and block.meta is None and getattr(block, "icons", None) is None:
        return block
    else:
        free = {"annotations": block.annotations, "_meta": block.meta, "icons": getattr(block, "icons", None)}
    if free:
        encoded_data(free, f"{where}.")
    return block


def checked_meta(meta: Any) -> Any:
    """A result's `_meta`: an object that can be encoded."""
    if isinstance(meta, Raw):
        meta = decode_json(encoded_data(meta, "_meta."))
    if fault := is_object(meta):
        raise Refused(f"_meta: {fault}")
    encoded_data(meta, "_meta.")
    return meta


def encoded_data(value: Any, where: str = "") -> bytes:
    """JSON of a value that is not in the hot path; a Raw at the root is read, as nobody has vouched for it.

    `where` goes before a path inside of the value, with what joins them: `_meta.`.
    """
    try:
        return encode_json(decode_json(value) if isinstance(value, Raw) else value)
    except Unencodable as error:
        raise Refused(f"{where}{error}") from error
    except ValueError as error:
        place = where.rstrip(".: ")
        raise Refused(f"{place}{': ' if place else ''}a msgspec.Raw that is not JSON: {error}") from None


def unsendable(label: str, error: Refused) -> McpError:
    """The answer in place of a result that can't be sent, which `label` has returned. The log is told."""
    log().error("%s returned what cannot be sent: %s", label, error, exc_info=cause_of(error))
    return McpError(INTERNAL_ERROR, f"{sentence(label)} returned a value that cannot be sent: {error}")


def cause_of(error: BaseException) -> BaseException | None:
    """The exception of foreign code at the bottom of it: the log tells what the client doesn't read."""
    cause: BaseException | None = error
    while isinstance(cause, Unencodable | Refused):
        cause = cause.__cause__
    return cause
