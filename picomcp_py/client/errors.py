"""What a client raises besides McpError, which is the error that a server answered with.

    Exception
    ├── ServerUnavailable (ConnectionError)   the server can't be started or reached, has ended, or closed its output
    │   ├── HttpError                         it answered with an HTTP status that is no success, and no MCP error
    │   └── SessionLost                       it no longer knows the session: connect anew
    └── BadAnswer                             the server answered, and the answer breaks the protocol

A request that takes too long raises the builtin TimeoutError.
"""

from __future__ import annotations


class ServerUnavailable(ConnectionError):
    """There is no server to talk to. The text says what is known: the command, how it ended, the end of its stderr.

    `exit_code` is None while unknown and negative for a signal, as in `subprocess`. `stderr` is the end of what the
    server wrote there, "" unless the client captures it.
    """

    def __init__(self, message: str, exit_code: int | None = None, stderr: str = "") -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.stderr = stderr


class HttpError(ServerUnavailable):
    """The server answered a request with an HTTP status that is no success, and without an error of MCP's."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class SessionLost(ServerUnavailable):
    """The server answered 404 for a session that it gave (MCP 2025-11-25, basic/transports#session-management).

    It was restarted, or the session was idle for too long. This client can't go on: enter a new one.
    """


class BadAnswer(Exception):
    """The server's answer breaks the protocol, or asks for what this client can't give."""
