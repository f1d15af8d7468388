"""The stdio transport: one client, newline-framed JSON over the process's stdin and stdout.

serve      when a session ends, and in which order
claim      whose descriptors they are
reader     ways of reading
framing    bytes into lines
writer     which way of writing; wire, wire_loop and wire_thread are the ways
loop       asyncio and trio
signals    SIGINT and SIGTERM
"""

from .claim import Claim, claim_stdio
from .serve import DRAIN_SECONDS, MAX_LINE, serve_stdio
from .wire import Wire

__all__ = ["DRAIN_SECONDS", "MAX_LINE", "Claim", "Wire", "claim_stdio", "serve_stdio"]
