"""What picomcp's Tools page promises, sentence by sentence, and which tests hold us to it.

Source: https://picomcp.github.io/picomcp/zh/docs/tools, one entry a sentence, table row or list item, in our words. The
sections "row ..." are the same page read as a table of facts, down to what it shows in passing.

A test names what it covers with `@covers("T4", "V6")`. test_manifest.py checks both ways: no sentence without a test,
no test of an unknown sentence. Adding a sentence means changing its section's number in SECTIONS as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

Test = TypeVar("Test", bound=Callable[..., object])


class Sentence(NamedTuple):
    id: str
    section: str
    says: str


SECTIONS = {
    "tools": 4,
    "options": 11,
    "input validation": 6,
    "return values": 10,
    "structured output": 8,
    "errors": 7,
    "cancellation": 5,
    "metadata": 2,
    "writing good tools": 7,
    "row: tool": 8,
    "row: input": 4,
    "row: results": 6,
    "row: content": 5,
    "row: output": 4,
    "row: errors": 3,
    "row: context": 4,
}

SENTENCES = [
    Sentence(*row)
    for row in [
        ("T1", "tools", "the page covers defining tools, validation, text, objects and media, errors and cancellation"),
        ("T2", "tools", "a tool is a function that the model can call"),
        ("T3", "tools", "server.tool(name, config) registers one"),
        ("T4", "tools", "the example search_issues: its input, its annotations, its lines of title and URL"),
        # ---- options
        ("O1", "options", "description says what the tool does and when to use it; the model reads it"),
        ("O2", "options", "title is the name that clients display"),
        ("O3", "options", "input is the schema of the arguments, a Standard Schema"),
        ("O4", "options", "a tool without arguments may leave input out"),
        ("O5", "options", "output is the schema of the structured result, a Standard Schema"),
        ("O6", "options", "annotations are the hints readOnlyHint, destructiveHint, idempotentHint, openWorldHint"),
        ("O7", "options", "run is the handler of (input, ctx) and may be asynchronous"),
        ("O8", "options", "a name has 1 to 128 characters"),
        ("O9", "options", "a name has only letters, digits, `_`, `.` and `-`"),
        ("O10", "options", "registering an invalid or a duplicate name raises at once"),
        ("O11", "options", "so the mistake shows when the server starts, not when the model calls"),
        # ---- input validation
        ("V1", "input validation", "the arguments are validated with your schema before run is called"),
        ("V2", "input validation", "defaults and transforms apply"),
        ("V3", "input validation", "limit of the example is therefore always a number inside run"),
        ("V4", "input validation", "when validation fails the tool is not called"),
        ("V5", "input validation", "the client gets a tool error that names the field, so that the model can retry"),
        ("V6", "input validation", "the text: a header with the tool's name, then `limit: Too big: ...`"),
        # ---- return values
        ("R1", "return values", "return what is natural: it becomes an MCP result"),
        ("R2", "return values", "a string: one text block"),
        ("R3", "return values", "an object, array or number: its JSON as text"),
        ("R4", "return values", "an object also as structuredContent"),
        ("R5", "return values", "a content block: that block as it is"),
        ("R6", "return values", "an array of content blocks: those blocks as they are"),
        ("R7", "return values", "{ content: [...] }: the result as it is, all in your hands"),
        ("R8", "return values", "undefined: an empty result"),
        ("R9", "return values", "helpers make content blocks: text, image, audio, link"),
        ("R10", "return values", "the example: a text, an image of bytes or base64, a link with a mimeType"),
        # ---- structured output
        ("S1", "structured output", "declare output when the result is for a client or program, not only a model"),
        ("S2", "structured output", "the example get_price"),
        ("S3", "structured output", "the schema is published in tools/list as outputSchema"),
        ("S4", "structured output", "types: what run returns is checked against the schema"),
        ("S5", "structured output", "at run time the value is validated"),
        ("S6", "structured output", "it is sent as structuredContent"),
        ("S7", "structured output", "a JSON text copy goes along for older clients"),
        ("S8", "structured output", "a value that doesn't fit: a tool error instead of malformed data"),
        # ---- errors
        ("E1", "errors", "raise inside run"),
        ("E2", "errors", "the message becomes a tool error (isError: true) that the model can read and act on"),
        ("E3", "errors", "the example: no such user, and which tool to call for valid ids"),
        ("E4", "errors", "messages are for the model: what went wrong, and what to do next"),
        ("E5", "errors", "tool errors are part of the conversation, protocol errors are not"),
        ("E6", "errors", "McpError is for a request that is itself wrong, as when the user has no access"),
        ("E7", "errors", 'the example: McpError(-32001, "Not authorised for this workspace")'),
        # ---- cancellation
        ("A1", "cancellation", "the second argument of run has an abort signal"),
        ("A2", "cancellation", "it fires when the client sends notifications/cancelled"),
        ("A3", "cancellation", "mostly because the user pressed stop"),
        ("A4", "cancellation", "the signal is passed on to whatever can be aborted"),
        ("A5", "cancellation", "after a cancellation no response is sent, as the protocol demands"),
        # ---- metadata
        ("M1", "metadata", "ctx.meta holds the _meta object of the request, if the client sent one"),
        ("M2", "metadata", "clients use it for tracing and for progress tokens"),
        # ---- writing good tools
        ("G1", "writing good tools", "one tool does one thing: create_invoice and send_invoice, not invoice(action)"),
        ("G2", "writing good tools", "describe every argument"),
        ("G3", "writing good tools", "the description of every field is in the JSON Schema that the model sees"),
        ("G4", "writing good tools", "return less: every token costs"),
        ("G5", "writing good tools", "return the fields that matter, not the whole answer of an API"),
        ("G6", "writing good tools", "annotate truthfully: readOnlyHint: true lets clients skip the confirmation"),
        ("G7", "writing good tools", "never put it on a tool that writes"),
        # ---- the page as a table of facts
        ("F1", "row: tool", "description is a string and optional"),
        ("F2", "row: tool", "title is a string and optional"),
        ("F3", "row: tool", "input takes any schema; left out for a tool with no arguments"),
        ("F4", "row: tool", "output takes any schema and is optional"),
        ("F5", "row: tool", "annotations is optional and has four hints"),
        ("F6", "row: tool", "run is in every registration"),
        ("F7", "row: tool", "names of 1 and of 128 characters are good, of 0 and 129 are not"),
        ("F8", "row: tool", "a bad or duplicate name is an error of registration"),
        ("F9", "row: input", "a default is there inside run"),
        ("F10", "row: input", "a failure is a tool error, not a protocol error"),
        ("F11", "row: input", "the text: header, then one `field: message` line, in zod's words"),
        ("F12", "row: input", "a field's description is in the published schema"),
        ("F13", "row: results", "string"),
        ("F14", "row: results", "object: text and structuredContent"),
        ("F15", "row: results", "array or number: text alone"),
        ("F16", "row: results", "a block, or a list of blocks"),
        ("F17", "row: results", "{ content: [...] }"),
        ("F18", "row: results", "undefined"),
        ("F19", "row: content", "the four names audio, image, link, text are exported"),
        ("F20", "row: content", "text(string)"),
        ("F21", "row: content", "image(bytes or base64, MIME type)"),
        ("F22", "row: content", "link(uri, name, options)"),
        ("F23", "row: content", "audio is made like image"),
        ("F24", "row: output", "published as outputSchema"),
        ("F25", "row: output", "checked by types"),
        ("F26", "row: output", "validated, sent as structuredContent with its JSON text"),
        ("F27", "row: output", "a misfit is a tool error"),
        ("F28", "row: errors", "an exception's message is the text of a result with isError: true"),
        ("F29", "row: errors", "McpError(code, message) is exported and answers the request with that error"),
        ("F30", "row: errors", "the message arrives as it was written"),
        ("F31", "row: context", "ctx.signal fires on notifications/cancelled"),
        ("F32", "row: context", "no response after cancellation"),
        ("F33", "row: context", "ctx.meta is the request's _meta"),
        ("F34", "row: context", "ctx is the second argument, and run may do without it"),
    ]
]
KNOWN = {sentence.id for sentence in SENTENCES}


def covers(*ids: str) -> Callable[[Test], Test]:
    """Decorator of a test: it would fail if one of these sentences were not kept."""
    if unknown := set(ids) - KNOWN:
        raise ValueError(f"no such sentence: {', '.join(sorted(unknown))}")
    return lambda test: test
