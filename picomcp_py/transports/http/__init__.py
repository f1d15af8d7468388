"""Streamable HTTP for both eras, as a bare ASGI application.

app          what a request is, and who serves it
rules        single decisions on headers
stateless    2026-07-28: each POST for itself
sessions, stream, event_store    the handshake era: sessions, streams that can be resumed
exchange, reply                  how answers are sent
sweep        noticing clients that went away
options      what a user may set
"""

from .app import HttpApp, http_app
from .event_store import EventStore, MemoryEventStore

__all__ = ["EventStore", "HttpApp", "MemoryEventStore", "http_app"]
