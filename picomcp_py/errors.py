"""The exceptions of the library, and the JSON-RPC and MCP error codes.

    Exception
    ├── ConfigError (ValueError)   a registration or option that cannot work; raised where it is written, names the fix
    ├── ToolError                  raised by a handler: its message becomes the tool's error result, never masked
    ├── McpError                   a JSON-RPC error: raised by a handler it answers the request with that error;
    │                              raised by the client it is the error that the server answered with
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


class Aborted(Exception):
    """The request was cancelled; the text is the reason the client gave. Let it pass: nothing is answered anyway."""
