"""Streamable HTTP for both eras, as a bare ASGI application.

app          what a request is, and who serves it
asgi         the types of ASGI
rules, body  single decisions on headers; the body within its limit
exchange, reply    a request and how its answer is sent
post         a POST that stands for itself, and the call that it makes
stateless, listen  2026-07-28: each POST for itself; the one that stays open
sessionless, batches    the handshake era, each POST for itself
stateful, sessions, stream, event_store    the handshake era: sessions, streams that can be resumed
sse_pair     the transport of 2024-11-05
sweep        noticing clients that went away
place        what one event loop serves with
options, cors, routes, serve    what a user may set, and how it is mounted or run

Not here: requests from the server to the client.
"""

from .app import HttpApp, http_app
from .event_store import EventStore, MemoryEventStore

__all__ = ["EventStore", "HttpApp", "MemoryEventStore", "http_app"]
