"""A JSON Schema as a document: its subschemas, what each `$ref` in it means, and which types each part lets in.

`Document` holds a private copy, prepared for validation: patterns in Python's words (patterns.py), keywords in the
order in which faults are told, `$schema` taken out (who validates knows the dialect). JSON pointers into it stay what
they were, but for one through a pattern whose words changed.

Rules
- A `$ref` is looked up in the document itself and in the registry that came with it. Never on network or disk.
- A document is checked as it is built: ConfigError says what is wrong, where (a JSON pointer) and what to do. With
  `strict=False`, for schemas that a library generated, what can't be used is left out instead.
- The limits on size are there so that a schema from outside (a proxied server, a file) can't make a server sit on it:
  the largest that we have met in use are about 20 levels deep and have some 2,000 subschemas.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError
from .patterns import Pattern, to_python
from .plain import NotJson, copied, is_one_of, json_type
from .subschemas import (
    DRAFT_07,
    DRAFT_2019_09,
    DRAFT_2020_12,
    SAME_VALUE,
    children,
    dialect_of,
    is_plain,
    pointer_of,
    walk,
)

if TYPE_CHECKING:
    from referencing import Registry

MAX_DEPTH = 100  # levels of JSON; a subschema inside a property takes two
MAX_SUBSCHEMAS = 10_000

# Faults are told in this order; what isn't named stands between the two.
_EARLY = ("$ref", "enum", "const", "type", "format", "pattern", "minLength", "maxLength", "minimum", "maximum",
          "prefixItems", "items", "properties", "required", "dependentRequired", "patternProperties")  # fmt: skip
_LATE = ("additionalProperties", "unevaluatedItems", "unevaluatedProperties")
_RANK = {name: i - 100 for i, name in enumerate(_EARLY)} | {name: i + 1 for i, name in enumerate(_LATE)}

# "number" stands for the numbers that aren't integers, so that sets of types can be met and joined.
Types = tuple[str, ...]
ALL_TYPES: Types = ("string", "number", "integer", "boolean", "object", "array", "null")


class Document:
    """`root` is the prepared copy, `dialect` a value of DIALECTS, `registry` what else it may refer to.

    `places` has every subschema that can be reached, by its id: its JSON pointer, itself, and how references in it are
    looked up (a referencing.Resolver; None where pointers from the root are all there is).
    """

    def __init__(
        self,
        schema: dict[str, Any],
        *,
        dialect: str | None = None,
        registry: Registry[Any] | None = None,
        strict: bool = False,
    ) -> None:
        self.dialect = dialect or dialect_of(schema)
        self._strict = strict
        try:
            self.root: dict[str, Any] = copied(schema, MAX_DEPTH if strict else None)
        except NotJson as exc:
            raise ConfigError(f"the schema is not JSON: at {pointer_of(exc.path)} {exc}") from None
        self._targets: dict[int, Any] = {}
        self._types: dict[int, Types] = {}
        self._finding = threading.RLock()
        self._open: set[int] = set()  # of what `types` is being found
        self._given = registry
        self._registry: Registry[Any] | None = None
        # Then a reference is a walk from the root, and `referencing` isn't imported.
        self._plain = registry is None and is_plain(self.root)
        self.places: dict[int, tuple[str, dict[str, Any], Any]] = {}
        self._link()
        if strict:
            self._refuse_endless()

    # -- what a part of the document means -------------------------------------------------------------------------

    def target(self, schema: Any) -> Any:
        """The schema that this one's `$ref` names; None without one."""
        return self._targets.get(id(schema))

    def parts(self, schema: Any) -> Iterator[dict[str, Any]]:
        """The schemas that a value has to satisfy together: this one, what it refers to, and its `allOf`."""
        todo, seen = [schema], set()
        while todo:
            part = todo.pop(0)
            if isinstance(part, dict) and id(part) not in seen:
                seen.add(id(part))
                yield part
                todo.append(self.target(part))
                todo += part.get("allOf", ())

    def types(self, schema: Any) -> Types:
        """The JSON types that can be valid, in the order they are written."""
        if not isinstance(schema, dict):
            return () if schema is False else ALL_TYPES
        known = self._types.get(id(schema))
        if known is not None:
            return known
        with self._finding:  # calls are validated in several threads
            if id(schema) in self._open:
                return ALL_TYPES  # it came back to itself
            self._open.add(id(schema))
            try:
                known = self._types[id(schema)] = self._find_types(schema)
            finally:
                self._open.discard(id(schema))
        return known

    def _find_types(self, schema: dict[str, Any]) -> Types:
        first, *others = [*self._constraints(schema)] or [ALL_TYPES]
        return tuple(name for name in first if all(name in allowed for allowed in others))

    def _constraints(self, schema: dict[str, Any]) -> Iterator[Types]:
        if "type" in schema:
            names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            yield (*names, "integer") if "number" in names and "integer" not in names else tuple(names)
        if (options := own_options(schema)) is not None:
            yield tuple(dict.fromkeys(json_type(option) for option in options))
        if id(schema) in self._targets:
            yield self.types(self._targets[id(schema)])
        for member in schema.get("allOf", ()):
            yield self.types(member)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                yield tuple(dict.fromkeys(t for branch in schema[keyword] for t in self.types(branch)))

    def options(self, schema: Any) -> list[Any] | None:
        """The only values that `enum`, `const` or a union of them let in; None if it isn't a matter of a list."""
        for part in self.parts(schema):
            if (found := own_options(part)) is not None:
                return found
            for branches in (part.get("anyOf"), part.get("oneOf")):
                each = [
                    [None] if self.types(branch) == ("null",) else self.options(branch) for branch in branches or ()
                ]
                if each and all(options is not None for options in each):
                    return [option for options in each for option in options or ()]
        return None

    def member(self, schema: Any, name: str) -> Any:
        """The subschema of a property, wherever among the parts it is; None if it isn't named."""
        for part in self.parts(schema):
            if name in part.get("properties", ()):
                return part["properties"][name]
        return None

    def fitting(self, branches: list[Any], value: Any) -> list[int]:
        """Which branches of a union can be meant, going by the value's type and by constants (a tag) in it."""
        out = []
        for index, branch in enumerate(branches):
            if json_type(value) not in self.types(branch):
                continue
            if isinstance(value, dict) and any(
                name in value and (options := self.options(sub)) is not None and not is_one_of(value[name], options)
                for part in self.parts(branch)
                for name, sub in part.get("properties", {}).items()
            ):
                continue
            out.append(index)
        return out

    # -- building --------------------------------------------------------------------------------------------------

    @property
    def registry(self) -> Registry[Any]:
        """What a validator of `root` needs to resolve its references; without the means to fetch anything."""
        from referencing import Registry

        return Registry() if self._plain else self._resources()

    def _resources(self) -> Registry[Any]:
        """Copies (they are prepared in place too) of the metaschemas and of the resources that came along."""
        if self._registry is None:
            import jsonschema_specifications
            from referencing import Registry, Resource

            known: dict[str, Any] = {}
            sources: list[Any] = [jsonschema_specifications.REGISTRY, self._given or {}]
            for source in sources:
                for uri in source:
                    resource = source[uri]
                    known[uri] = Resource.from_contents(copied(resource.contents), self._specification())
            self._registry = Registry().with_resources(known.items())
        return self._registry

    def _link(self) -> None:
        """Visits every subschema that can be reached, prepares it in place, and finds the targets of the references."""
        resolver = None if self._plain else self._resolver()
        todo: list[tuple[str, Any, Any]] = [("#", self.root, resolver)]
        while todo:
            pointer, schema, resolver = todo.pop()
            if not isinstance(schema, dict) or id(schema) in self.places:
                continue
            if self._strict and len(self.places) >= MAX_SUBSCHEMAS:
                raise ConfigError(f"the schema has more than {MAX_SUBSCHEMAS} subschemas: split it, or ask for less")
            if resolver is not None and isinstance(schema.get("$id"), str) and schema is not self.root:
                resolver = resolver.in_subresource(self._specification().create_resource(schema))
            self.places[id(schema)] = (pointer, schema, resolver)
            self._prepare(schema, pointer)
            for keyword in ("$ref", "$dynamicRef"):
                if isinstance(schema.get(keyword), str):
                    found, its_resolver = self._look_up(schema[keyword], resolver, f"{pointer}/{keyword}")
                    if keyword == "$ref" and found is not None:
                        self._targets[id(schema)] = found
                    todo.append((f"{pointer}/{keyword}", found, its_resolver))
            todo += [(f"{pointer}/{at}", sub, resolver) for at, sub in reversed(list(children(schema)))]

    def _prepare(self, schema: dict[str, Any], pointer: str) -> None:
        if (declared := schema.get("$schema")) is not None:
            if schema is self.root or dialect_of({"$schema": declared}) == self.dialect:
                del schema["$schema"]
            elif self._strict and self._given is None:
                raise ConfigError(
                    f"{pointer}/$schema: {declared!r:.100} is not the dialect of the root; use one for all"
                )
        if isinstance(schema.get("pattern"), str):
            pattern = self._pattern(schema.pop("pattern"), f"{pointer}/pattern")
            if pattern is not None:
                schema["pattern"] = pattern
        if isinstance(schema.get("patternProperties"), dict):
            at = f"{pointer}/patternProperties"
            translated = {self._pattern(name, at): sub for name, sub in schema["patternProperties"].items()}
            translated.pop(None, None)
            schema["patternProperties"] = translated
        # jsonschema forgets the path to a `false` among others: {"not": {}} says the same.
        for keyword in ("properties", "patternProperties"):
            if isinstance(named := schema.get(keyword), dict):
                named.update({name: {"not": {}} for name, sub in named.items() if sub is False})
        for keyword in ("prefixItems", "items"):
            if isinstance(listed := schema.get(keyword), list):
                listed[:] = [{"not": {}} if sub is False else sub for sub in listed]
        ordered = sorted(schema.items(), key=lambda item: _RANK.get(item[0], 0))
        schema.clear()
        schema.update(ordered)

    def _pattern(self, pattern: str, pointer: str) -> Pattern | None:
        try:
            return to_python(pattern)
        except ValueError as exc:
            if self._strict:
                raise ConfigError(
                    f"{pointer}: {pattern!r:.100} is not a pattern that works (ECMA-262): {exc}"
                ) from None
            return _as_it_is(pattern)

    def _look_up(self, ref: str, resolver: Any, pointer: str) -> tuple[Any, Any]:
        if self._plain:
            found = walk(self.root, ref[1:])
            if isinstance(found, dict | bool):
                return found, None
        else:
            from referencing.exceptions import Unresolvable

            try:
                resolved = resolver.lookup(ref)
            except (Unresolvable, ValueError, LookupError, TypeError, AttributeError):
                pass  # the last three: what lookup raises for a pointer through something that isn't a container
            else:
                if isinstance(resolved.contents, dict | bool):
                    return resolved.contents, resolved.resolver
        if self._strict:
            raise ConfigError(f"{pointer}: {_why_dangling(ref, self.root)}")
        return None, None

    def _resolver(self) -> Any:
        return self._resources().resolver_with_root(self._specification().create_resource(self.root))

    def _specification(self) -> Any:
        from referencing import jsonschema

        return {
            DRAFT_07: jsonschema.DRAFT7,
            DRAFT_2019_09: jsonschema.DRAFT201909,
            DRAFT_2020_12: jsonschema.DRAFT202012,
        }[self.dialect]

    def _refuse_endless(self) -> None:
        """A schema that comes back to itself without stepping into the value would be followed for ever."""
        done: set[int] = set()
        for pointer, start, _ in self.places.values():
            path: list[int] = []
            todo: list[tuple[Any, bool]] = [(start, False)]
            while todo:
                schema, leaving = todo.pop()
                if leaving:
                    done.add(path.pop())
                elif isinstance(schema, dict) and id(schema) in path:
                    raise ConfigError(
                        f"{pointer}: the schema refers to itself without stepping into a property or an item, so no "
                        "value could ever be checked against it"
                    )
                elif isinstance(schema, dict) and id(schema) not in done:
                    path.append(id(schema))
                    todo.append((schema, True))
                    todo.append((self.target(schema), False))
                    todo += [(sub, False) for at, sub in children(schema) if at.partition("/")[0] in SAME_VALUE]


def own_options(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return schema["enum"] if isinstance(schema.get("enum"), list) else None


def _as_it_is(pattern: str) -> Pattern | None:
    """A pattern of a library that has dialects of its own (Python's, Rust's): as good as it goes, or not at all."""
    import re

    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    return Pattern(pattern, pattern)


def _why_dangling(ref: str, root: dict[str, Any]) -> str:
    if not ref.startswith("#"):
        return (
            f"$ref {ref!r:.100} points outside of the schema, and nothing is ever fetched from network or disk: "
            'copy what it names into "$defs" and refer to it as "#/$defs/<name>"'
        )
    names = [*root.get("$defs", {}), *root.get("definitions", {})]
    hint = f"; defined are {', '.join(map(str, names[:10]))}" if names else '; put it into "$defs"'
    return f"$ref {ref!r:.100} points to nothing in the schema{hint}"
