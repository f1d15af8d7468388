"""What a handler returned, as a tools/call result (MCP 2026-07-28, CallToolResult).

Without an output schema:

    str                                     one text block
    None                                    no content
    a content block, a list with one in it  those blocks; strings in the list become text blocks
    {"content": [blocks], ...}              the result as it is (with structuredContent, isError, _meta, no other key)
    result(...)                             the result as it is
    anything else                           its JSON as text; an object also as structuredContent

With one, the value is data: dumped, encoded, validated; sent as structuredContent with the same JSON as text. Decimals,
strings else, are numbers where the schema refuses strings. Two things are not data: `result(...)`, whose structured
part is validated, and a result dict with `isError: True`.

Whatever goes wrong here is a tool error that names the place: a block by its index, a field by its path. What the
client gets is short; type and excerpt of the values go to the logger `picomcp_py`. Structured content stays what it
is, also an array or a number: fitting it to older revisions is the protocol's part.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any

from msgspec import UNSET, Raw, Struct, UnsetType, field

from ..content import BLOCKS, Text, is_block
from ..content_checks import is_object, received
from ..jsontext import Unencodable, decode_json, encode_json
from ..log import log
from ..schemas.schema import Invalid, Schema, Valid
from .decimals import with_numbers
from .misfit import describe_misfit, log_details
from .sendable import Refused, TextCopy, cause_of, checked_meta, encoded_data, sendable

_BLOCK_TYPES = tuple(BLOCKS)
_MAYBE_BLOCKS = (dict, *_BLOCK_TYPES)
_RESULT_KEYS = {"content", "structuredContent", "isError", "_meta"}


class CallResult(Struct):
    """A tools/call result in the shape of the wire; what is UNSET is left out.

    `content` holds blocks (Structs of content.py or dicts). From `result(...)` it may be UNSET: then it becomes the
    JSON of the structured part; and `structuredContent` is still a Python value, which `to_result` makes JSON.
    """

    content: Any = field(default_factory=list)
    structuredContent: Any = UNSET
    isError: bool | UnsetType = UNSET
    resultType: str | UnsetType = UNSET
    meta: dict[str, Any] | Raw | UnsetType = field(default=UNSET, name="_meta")


def result(
    content: Any = None,
    structured: Any = UNSET,
    *,
    is_error: bool = False,
    meta: Mapping[str, Any] | None = None,
    **wire: Any,
) -> CallResult:
    """Full control over a tool's result.

    `content` is a block, a string, or a list of them; left out, it becomes the JSON of `structured`. `structured` is
    the data (None is null), validated against the tool's output schema unless `is_error`. The wire's spelling works
    too, as keywords (`structuredContent=`, `isError=`, `_meta=`) or as one dict in place of `content`.
    """
    if isinstance(content, Mapping) and content and content.keys() <= _RESULT_KEYS:
        wire = {**content, **wire}
        content = wire.pop("content", None)
    if unknown := wire.keys() - _RESULT_KEYS:
        raise TypeError(f"result: unknown keyword {min(unknown)!r}: use content, structured, is_error and meta")
    structured = wire.get("structuredContent", structured)
    is_error = wire.get("isError", is_error)
    meta = wire.get("_meta", meta)
    if not isinstance(is_error, bool | None):
        raise TypeError(f"result: is_error must be True or False, not {received(is_error)}")
    if meta is not None and (fault := is_object(meta)):
        raise TypeError(f"result: meta: {fault}")
    blocks: Any
    if content is None:
        blocks = [] if structured is UNSET else UNSET
    elif isinstance(content, list | tuple):
        blocks = list(content)
    else:
        blocks = [content]
    return CallResult(
        [Text(item) if isinstance(item, str) else item for item in blocks] if blocks is not UNSET else UNSET,
        structured,
        is_error or UNSET,
        meta=UNSET if meta is None else dict(meta),
    )


def error_result(message: str) -> CallResult:
    """A tool error with this text, or one that says that there is none."""
    return CallResult([Text(message if message.strip() else "The tool failed and gave no reason.")], isError=True)


class Output:
    """A tool's output schema, with what it may or may not have looked up once."""

    __slots__ = ("check", "dump", "encode", "schema")

    def __init__(self, schema: Schema[Any]) -> None:
        self.schema = schema
        self.dump: Callable[[Any], Any] | None = getattr(schema, "dump", None)
        self.encode: Callable[[dict[Any, Any]], bytes | None] = getattr(schema, "encode_output", None) or _no_short_cut
        """JSON of a dict that is sure to fit; None for any other, which must be dumped and checked."""
        self.check: Callable[[bytes], Any] = (
            getattr(schema, "validate_output", None)
            or getattr(schema, "validate_json", None)
            or (lambda encoded: schema.validate(decode_json(encoded)))
        )


def _no_short_cut(value: dict[Any, Any]) -> None:
    return None


def to_result(value: Any, output: Output | None, tool: str) -> CallResult | Awaitable[CallResult]:
    """The result for what the handler of `tool` returned; always a new one.

    An awaitable only if the output schema's `validate` returned one. Exceptions of a schema's own code pass through.
    """
    try:
        if output is None:
            form = _FORMS.get(type(value)) or _from_other
            return form(value)
        if isinstance(value, CallResult):
            return _from_call_result(value, output, tool)
        if isinstance(value, dict):
            if "isError" in value and value["isError"] is True and _is_result(value):
                return _from_result_dict(value)
            if (encoded := output.encode(value)) is not None:
                return CallResult([TextCopy(encoded.decode())], Raw(encoded))
        return _validated(value, output, tool, _data)
    except (Unencodable, Refused) as error:
        log().error("tool %s returned what cannot be sent: %s", tool, error, exc_info=cause_of(error))
        return error_result(f'Tool "{tool}" returned a value that cannot be sent: {error}')


# ---- without an output schema ----


def _from_str(value: str) -> CallResult:
    return CallResult([Text(value)])


def _from_none(value: None) -> CallResult:
    return CallResult([])


def _from_block(value: Any) -> CallResult:
    return CallResult([sendable(value, "content[0]")])


def _from_dict(value: dict[Any, Any]) -> CallResult:
    if "content" in value and _is_result(value):
        return _from_result_dict(value)
    if "type" in value and is_block(value):
        return _from_block(value)
    return _from_data(value)


def _from_list(value: list[Any] | tuple[Any, ...]) -> CallResult:
    if not any(is_block(item) for item in value if isinstance(item, _MAYBE_BLOCKS)):
        return _from_data(value)
    return CallResult(_blocks(value, strings=True))


def _from_raw(value: Raw) -> CallResult:
    return _data(encoded_data(value))


def _from_data(value: Any) -> CallResult:
    encoded = encode_json(value)
    block = Text(_text(encoded))
    return CallResult([block], Raw(encoded)) if encoded[0] == 123 else CallResult([block])  # 123 is "{"


def _from_other(value: Any) -> CallResult:
    """Subclasses of the types in the table, and whatever only the encoder knows."""
    for kind in (str, dict, list, tuple, CallResult):
        if isinstance(value, kind):
            return _FORMS[kind](value)
    return _from_block(value) if isinstance(value, _BLOCK_TYPES) else _from_data(value)


# ---- explicit results ----


def _is_result(value: dict[Any, Any]) -> bool:
    content = value.get("content")
    if not isinstance(content, list | tuple) or not value.keys() <= _RESULT_KEYS:
        return False
    return any(isinstance(item, _BLOCK_TYPES) for item in content) or all(
        isinstance(item, dict) and isinstance(item.get("type"), str) for item in content
    )


def _from_result_dict(value: dict[str, Any]) -> CallResult:
    """The result that a dict is. None for an optional key means that it isn't there."""
    is_error, structured, meta = value.get("isError"), value.get("structuredContent"), value.get("_meta")
    if not isinstance(is_error, bool | None):
        raise Refused(f"isError: expected boolean, received {received(is_error)}")
    return CallResult(
        _blocks(value["content"]),
        UNSET if structured is None else Raw(encoded_data(structured)),
        UNSET if is_error is None else is_error,
        meta=UNSET if meta is None else checked_meta(meta),
    )


def _from_call_result(given: CallResult, output: Output | None, tool: str) -> CallResult | Awaitable[CallResult]:
    fresh = CallResult([], UNSET, given.isError)
    if given.content is not UNSET:
        fresh.content = _blocks(given.content)
    if given.meta is not UNSET:
        fresh.meta = checked_meta(given.meta)

    def finish(encoded: bytes) -> CallResult:
        fresh.structuredContent = Raw(encoded)
        if given.content is UNSET:
            fresh.content = [Text(_text(encoded))]
        return fresh

    structured = given.structuredContent
    if output is not None and given.isError is not True:
        if structured is UNSET:
            log().error("tool %s returned content without the structured part that its output schema asks for", tool)
            return error_result(describe_misfit(tool, (), given, None))
        if isinstance(structured, dict) and (encoded := output.encode(structured)) is not None:
            return finish(encoded)
        return _validated(structured, output, tool, finish)
    return fresh if structured is UNSET else finish(encoded_data(structured))


def _blocks(items: Any, strings: bool = False) -> list[Any]:
    blocks = []
    for index, item in enumerate(items):
        block = Text(item) if strings and isinstance(item, str) else item
        blocks.append(sendable(block, f"content[{index}]"))
    return blocks


# ---- data ----


_NOT_UTF8 = "a msgspec.Raw in it is not UTF-8"


def _text(encoded: bytes) -> str:
    try:
        return encoded.decode()
    except UnicodeDecodeError:
        raise Refused(_NOT_UTF8) from None


def _data(encoded: bytes) -> CallResult:
    """Structured content and its text copy, of the same bytes."""
    try:
        return CallResult([TextCopy(encoded.decode())], Raw(encoded))
    except UnicodeDecodeError:
        raise Refused(_NOT_UTF8) from None


def _validated(
    value: Any, output: Output, tool: str, finish: Callable[[bytes], CallResult]
) -> CallResult | Awaitable[CallResult]:
    encoded = _encoded(value, output)
    outcome = output.check(encoded)
    if type(outcome) is Valid:
        return finish(encoded)
    if not isinstance(outcome, Valid | Invalid) and isawaitable(outcome):
        return _validated_later(outcome, value, encoded, output, tool, finish)
    if isinstance(outcome, Invalid) and (numbers := with_numbers(value, outcome.issues)) is not value:
        encoded = _encoded(numbers, output)
        outcome = output.check(encoded)
        if not isinstance(outcome, Valid | Invalid) and isawaitable(outcome):
            return _validated_later(outcome, value, encoded, output, tool, finish)
    return _judge(outcome, value, encoded, output.schema, tool, finish)


def _encoded(value: Any, output: Output) -> bytes:
    """JSON of the value, by the schema's own rules if it has any."""
    if type(value) is Raw:
        return encoded_data(value)
    if output.dump is None:
        return encode_json(value)
    try:
        return encode_json(output.dump(value))
    except Exception:
        # A dump may choke on what isn't of its type. Encoded without it, the value gets a verdict that names the field.
        log().debug("the dump of the output schema (%s) failed", output.schema.vendor, exc_info=True)
        return encode_json(value)


async def _validated_later(
    outcome: Awaitable[Any],
    value: Any,
    encoded: bytes,
    output: Output,
    tool: str,
    finish: Callable[[bytes], CallResult],
) -> CallResult:
    verdict = await outcome
    if isinstance(verdict, Invalid) and (numbers := with_numbers(value, verdict.issues)) is not value:
        encoded = _encoded(numbers, output)
        verdict = output.check(encoded)
        if not isinstance(verdict, Valid | Invalid):
            verdict = await verdict
    return _judge(verdict, value, encoded, output.schema, tool, finish)


def _judge(
    outcome: Any,
    value: Any,
    encoded: bytes,
    output: Schema[Any],
    tool: str,
    finish: Callable[[bytes], CallResult],
) -> CallResult:
    if isinstance(outcome, Valid):
        return finish(encoded)
    if not isinstance(outcome, Invalid):
        raise TypeError(f"the output schema ({output.vendor}) answered {received(outcome)}, not Valid or Invalid")
    log_details(tool, outcome.issues, encoded)
    return error_result(describe_misfit(tool, outcome.issues, value, output))


_FORMS: dict[type[Any], Callable[[Any], CallResult]] = {
    str: _from_str,
    type(None): _from_none,
    dict: _from_dict,
    list: _from_list,
    tuple: _from_list,
    Raw: _from_raw,
    CallResult: lambda value: _from_call_result(value, None, ""),  # type: ignore[dict-item,return-value]  # no schema: at once
    int: _from_data,
    float: _from_data,
    bool: _from_data,
    **dict.fromkeys(BLOCKS, _from_block),
}
