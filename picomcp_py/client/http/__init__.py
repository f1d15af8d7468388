"""A URL as a client's target: Streamable HTTP, in both eras.

link      what is sent becomes a POST; the tasks and the end of it all
post      one POST and what answers it, over broken connections too
session   what a session of the handshake era needs besides: its id, its GET stream, its end
outgoing  the headers of a message
faults    what failed, in words

httpx2 does HTTP and reads event streams; it comes with the extra `client`.
"""

from .link import check_url, open_http

__all__ = ["check_url", "open_http"]
