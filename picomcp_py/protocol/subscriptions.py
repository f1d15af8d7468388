"""What of a `subscriptions/listen` a server honours (MCP 2026-07-28, basic/utilities/subscriptions)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .methods import Wanted

LISTS = ("tools", "prompts", "resources")


def honoured(wanted: Wanted, features: Collection[str]) -> tuple[set[str], set[str], dict[str, Any]]:
    """The lists whose changes are told, the resources that are followed, and the account of both for the client.

    What the server doesn't offer is left out of all three.
    """
    asked = {
        "tools": wanted.tools_list_changed,
        "prompts": wanted.prompts_list_changed,
        "resources": wanted.resources_list_changed,
    }
    kinds = {kind for kind in LISTS if asked[kind] and kind in features}
    told: dict[str, Any] = {f"{kind}ListChanged": True for kind in LISTS if kind in kinds}
    uris: list[str] = []
    if wanted.resource_subscriptions is not None and "resources" in features:
        uris = list(dict.fromkeys(wanted.resource_subscriptions))
        told["resourceSubscriptions"] = uris
    return kinds, set(uris), told
