"""The types of registration: what a type checker knows of `server.tool(...)` and `pico(...)`.

Rules:

1. Types only. Nothing here runs when a server runs; what can't be told from types is checked at registration. What
   users have no name for is there for checkers alone: here, and all of tool_shapes.py, the arguments of `server.tool`.
2. Keys have the spelling of the wire (`readOnlyHint`, `mimeType`), as in a TypeScript config.
3. A schema whose Python type is known (a class, `list[A]`, a pydantic `TypeAdapter[A]`, an object with
   `__standard_schema__`) types the handler. A JSON Schema dict does not, nor do `A | B`, `Annotated[A, ...]` or none at
   all: to a checker `input` is then `dict[str, Any]`, and the value returned may be anything.

Non-goals: reading the signature of a handler, checking that a schema can work.

What each of mypy, pyright and ty can find in which spelling is tabled in tests/typing/test_typing.py. The keyword
decorator is the one where all three find every mistake: it fixes `input` and `output` before the function is seen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, Required, TypeAlias, TypedDict, TypeVar

if TYPE_CHECKING:
    from types import UnionType
    from typing import _SpecialForm

    from ..bus import Bus
    from ..running.context import AnyContext
    from ..schemas.schema import Schema
    from .config import Lifespan
    from .result import CallResult

    T_co = TypeVar("T_co", covariant=True)

    class HasStandardSchema(Protocol[T_co]):
        """Anything that brings its own schema, whose values are `T_co`."""

        @property
        def __standard_schema__(self) -> Schema[T_co]: ...

    class TypeAdapterLike(Protocol[T_co]):
        """`pydantic.TypeAdapter[T_co]`, described so that pydantic need not be installed."""

        def validate_python(self, object: Any, /) -> T_co: ...

        def validate_json(self, data: bytes, /) -> T_co: ...

    class JsonSchemaValidator(Protocol):
        """A validator instance of the jsonschema library, as in `Draft7Validator(schema)`."""

        @property
        def schema(self) -> Any: ...

        def iter_errors(self, instance: Any) -> Iterable[Any]: ...


__all__ = [
    "Handler",
    "Icon",
    "JsonSchema",
    "SchemaSource",
    "ServerConfig",
    "ToolAnnotations",
    "ToolConfig",
    "ToolOptions",
]

In = TypeVar("In")
Out = TypeVar("Out")


SchemaSource: TypeAlias = "type[In] | TypeAdapterLike[In] | HasStandardSchema[In]"
"""An `input` or `output` whose Python type a checker knows: `SchemaSource[Search]`."""

JsonSchema: TypeAlias = "dict[str, Any] | JsonSchemaValidator | UnionType | _SpecialForm"
"""An `input` or `output` that tells a checker nothing: a JSON Schema dict or validator, `A | B`, `Annotated[...]`.

`TypeForm[In]` (PEP 747) would type the last two. Beside a dict in a union it makes ty read dict literals as types.
"""

Returns: TypeAlias = Out | "CallResult" | Awaitable[Out | "CallResult"]
Handler: TypeAlias = (
    Callable[[In], Returns[Out]] | Callable[[In, "AnyContext"], Returns[Out]] | Callable[[], Returns[Out]]
)
"""A tool's `run`: `Handler[Search, list[Issue]]`. Takes (), (input) or (input, ctx); `def` or `async def`.

`ctx` may be typed as `Context` or `SyncContext`.
"""


class ToolAnnotations(TypedDict, total=False):
    """Hints about a tool's behaviour (MCP 2026-07-28, schema: ToolAnnotations). Clients must not trust them."""

    title: str
    readOnlyHint: bool
    destructiveHint: bool
    idempotentHint: bool
    openWorldHint: bool


class Icon(TypedDict, total=False):
    """An image that stands for a server or tool (MCP 2026-07-28, schema: Icon). `sizes`: "48x48" or "any"."""

    src: Required[str]
    mimeType: str
    sizes: list[str]
    theme: Literal["light", "dark"]


class ToolOptions(TypedDict, total=False):
    """The keys of a tool's config that are the same for every `input`, `output` and `run`. `timeout` is in seconds."""

    title: str
    description: str
    annotations: ToolAnnotations
    icons: Sequence[Icon]
    meta: Mapping[str, Any]
    tags: list[str] | tuple[str, ...] | set[str]
    timeout: float | None
    thread: bool
    coerce: bool


class ToolConfig(ToolOptions, total=False):
    """A tool's whole config when it is kept in a variable: keys are checked, `run` is not matched with its schemas.

    config: ToolConfig = {"input": Search, "run": search}
    server.tool("search", config)
    """

    input: Any
    output: Any
    run: Required[Callable[..., Any]]


class ServerConfig(TypedDict, total=False):
    """The dict of `pico({...})`. `ttlMs` is in milliseconds, `pageSize` in list items."""

    name: Required[str]
    version: str
    title: str
    instructions: str
    websiteUrl: str
    icons: Sequence[Icon]
    lifespan: Lifespan
    coerce: bool
    onDuplicate: Literal["error", "replace"]
    pageSize: int | None
    ttlMs: int
    cacheScope: Literal["public", "private"]
    caching: Mapping[str, Mapping[str, Any]]
    bus: Bus
    maskErrors: bool
    backend: Literal["asyncio", "trio"]


class ServeConfig(TypedDict, total=False):
    """The dict of `server.serve({...})`: the first two are for stdio, the others, with `port`, for HTTP."""

    maxMessageBytes: int
    drainSeconds: float
    port: int | None
    host: str
    path: str
    allowedHosts: Sequence[str]
    allowedOrigins: Sequence[str]
    cors: Sequence[str]
    sessions: bool
    sse: bool
    maxSessions: int
    sessionIdleSeconds: float
    eventStore: Callable[[], Any] | None
    maxBodyBytes: int | None
    keepAliveSeconds: float | None
