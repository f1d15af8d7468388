"""The words of ASGI (https://asgi.readthedocs.io/en/latest/specs/www.html)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

Scope = dict[str, Any]
Event = dict[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

Headers = dict[bytes, bytes]
"""By name, in lower case."""
