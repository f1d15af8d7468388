"""Streamable HTTP for both eras, as a bare ASGI application.

app          what a request is, and who serves it
rules, body  single decisions on headers; the body within its limit
stateless    2026-07-28: each POST for itself
stateful, sessions, stream, event_store    the handshake era: sessions, streams that can be resumed
exchange, reply                  how answers are sent
sweep        noticing clients that went away
place        what one event loop serves with
options, cors    what a user may set

Not here: requests from the server to the client, and the HTTP+SSE transport of 2024-11-05.
"""

from .app import HttpApp, http_app
from .event_store import EventStore, MemoryEventStore

__all__ = ["EventStore", "HttpApp", "MemoryEventStore", "http_app"]
