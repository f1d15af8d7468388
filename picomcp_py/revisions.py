"""The protocol revisions, in order, and the table of what each has.

Rules:
1. A revision is its date as a string; dates compare like strings, so "since X" is `revision >= X`.
2. What differs between revisions is a row of a table here, never an `if` with a date elsewhere.

Two eras (https://modelcontextprotocol.io/specification/2026-07-28/basic/lifecycle): up to 2025-11-25 a connection
starts with an `initialize` handshake; at 2026-07-28 every request carries all it needs in `params._meta`.
"""

from __future__ import annotations

from typing import Any, Final

HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS: Final = ("2026-07-28",)
REVISIONS: Final = HANDSHAKE + STATELESS

LATEST_HANDSHAKE: Final = HANDSHAKE[-1]
LATEST: Final = STATELESS[-1]

BATCH: Final = "2025-03-26"
"""The one revision with JSON-RPC batches."""

SINCE: Final[dict[str, str]] = {
    # members of tools/list entries
    "tool.annotations": "2025-03-26",
    "tool.title": "2025-06-18",
    "tool.outputSchema": "2025-06-18",
    "tool._meta": "2025-06-18",
    "tool.icons": "2025-11-25",
    # members of entries of the other lists; templates have those of resources
    "resource.title": "2025-06-18",
    "resource._meta": "2025-06-18",
    "resource.icons": "2025-11-25",
    "prompt.title": "2025-06-18",
    "prompt._meta": "2025-06-18",
    "prompt.icons": "2025-11-25",
    "argument.title": "2025-06-18",
    "annotations.lastModified": "2025-06-18",
    # members of the server's capabilities
    "capabilities.completions": "2025-03-26",
    # an outputSchema and a structuredContent that aren't objects (before: wrapped as {"result": ...})
    "structured.any": "2026-07-28",
    # members of tools/call results
    "result.structuredContent": "2025-06-18",
    # kinds of content blocks (before: replaced by one that old clients can read)
    "block.audio": "2025-03-26",
    "block.resource_link": "2025-06-18",
    # members of notifications/progress
    "progress.message": "2025-03-26",
    # an empty first event in streams that can be resumed: older clients fail on it
    "stream.priming": "2025-11-25",
    # members of serverInfo
    "implementation.title": "2025-06-18",
    "implementation.icons": "2025-11-25",
    "implementation.websiteUrl": "2025-11-25",
}


def has(revision: str, feature: str) -> bool:
    """Whether a revision has a row of SINCE."""
    return revision >= SINCE[feature]


def keep(revision: str, kind: str, members: dict[str, Any]) -> dict[str, Any]:
    """`members` without those that came after `revision`: the rows `kind.member` of SINCE."""
    return {k: v for k, v in members.items() if revision >= SINCE.get(f"{kind}.{k}", "")}
