"""What changed on a server: which list, or the contents of which resource. A value, and its JSON.

Rules:

1. A change says only that something is different now. Hearing of it twice is as good as once.
2. What was made by `Change(...)` can be encoded and is read back by `decode`. What `decode` can't read is None, never
   an exception: it comes from other processes, perhaps of another version.

Non-goals: what is different, and who changed it.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec
from msgspec import Struct

from ..jsontext import encode_json

Kind = Literal["tools", "prompts", "resources", "resource"]

_KINDS = get_args(Kind)


class Change(Struct, frozen=True, omit_defaults=True, gc=False):
    """One change.

    `kind` is "tools", "prompts" or "resources": that list is another one now. Or it is "resource": the contents of the
    resource at `uri` are; without `uri`, those of any resource may be.

    Raises ValueError for another kind, or a `uri` that is no string or stands beside the name of a list.
    """

    kind: Kind
    uri: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"Change: kind must be one of {', '.join(_KINDS)}, not {self.kind!r}")
        if self.uri is None:
            return
        if not isinstance(self.uri, str):
            raise ValueError(f"Change: uri must be a str, not {type(self.uri).__name__}")
        if self.kind != "resource":
            raise ValueError(f'Change: a uri only goes with kind "resource", not "{self.kind}"')

    def encode(self) -> bytes:
        """Compact JSON: `{"kind":"tools"}`, `{"kind":"resource","uri":"note://1"}`."""
        return encode_json(self)

    @staticmethod
    def decode(data: bytes) -> Change | None:
        """The change that `encode` wrote; None for anything else. Members that it doesn't know are passed over."""
        try:
            return _decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None


_decoder = msgspec.json.Decoder(Change)

EVERYTHING = (Change("tools"), Change("prompts"), Change("resources"), Change("resource"))
"""What is told when changes may have been missed."""
