"""The exceptions of the library, and the JSON-RPC and MCP error codes.

    Exception
    ├── ConfigError (ValueError)   a registration or option that cannot work; raised where it is written, names the fix
    ├── ToolError                  raised by a handler: its message becomes the tool's error result, never masked
    ├── McpError                   a JSON-RPC error: raised by a handler it answers the request with that error;
    │                              raised by the client it is the error that the server answered with
    │   └── ResourceNotFound       raised by a resource's `read`: there is nothing at that URI
    └── Aborted                    raised by `ctx.signal.raise_if_aborted()` once the request is cancelled

A tool error is part of the conversation: the model reads it and can try again. A protocol error says that the
request itself was wrong (https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling).
"""

from __future__ import annotations

from typing import Any

# JSON-RPC 2.0, section 5.1
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
# MCP 2026-07-28, basic/index#error-codes
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
# MCP up to 2025-11-25, server/resources#error-handling
RESOURCE_NOT_FOUND = -32002


class ConfigError(ValueError):
    """A configuration that cannot work: a key, name, schema or handler. The text says where and what to do."""


class ToolError(Exception):
    """An error for the model to read and act on. `maskErrors` does not hide it."""


class McpError(Exception):
    """A JSON-RPC error response: `code` (int), `message` (str), `data` (any JSON value, or None for no data).

    Codes of your own belong outside -32768..-32000, which JSON-RPC 2.0 section 5.1 reserves. Raises TypeError for a
    code or message of another type, which no client could read.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        if not isinstance(code, int) or isinstance(code, bool):
            raise TypeError(f"McpError: code must be an int, not {type(code).__name__}: McpError(code, message, data)")
        if not isinstance(message, str):
            raise TypeError(f"McpError: message must be a str, not {type(message).__name__}: McpError(code, message)")
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


MAX_URI = 8192
"""Characters of a URI that can be read, and of one that an error tells back: templates are tried one after the other,
at some microseconds a character.
"""


class ResourceNotFound(McpError):
    """Nothing is at `uri` (a string). Raised by a resource's `read`, which may also return None.

    Code -32602 with data {"uri": uri} (MCP 2026-07-28, server/resources#error-handling). Revisions up to 2025-11-25
    have the code -32002 for it; they get that one.
    """

    def __init__(self, uri: str) -> None:
        if not isinstance(uri, str):
            raise TypeError(f"ResourceNotFound: uri must be a str, not {type(uri).__name__}: ResourceNotFound(uri)")
        whole = uri if len(uri) <= MAX_URI else uri[:MAX_URI] + "…"
        super().__init__(INVALID_PARAMS, f"Resource not found: {shown(uri)}", {"uri": whole})
        self.uri = uri

    def __reduce__(self) -> tuple[type[ResourceNotFound], tuple[str]]:
        return type(self), (self.uri,)  # an exception's own way would call it with the three arguments of McpError


class Aborted(Exception):
    """The request was cancelled; the text is the reason the client gave. Let it pass: nothing is answered anyway."""


def shown(text: str, most: int = 200) -> str:
    """Somebody else's text for a message or the log: on one line, and cut after `most` characters."""
    cut = text if len(text) <= most else text[: most - 1] + "…"
    return cut if cut.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in cut)


def sentence(label: str) -> str:
    """A label, such as `tool "add"`, at the beginning of a sentence."""
    return label[:1].upper() + label[1:]
