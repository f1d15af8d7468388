"""Schemas: the one door that every way of writing one goes through, and the words for what doesn't fit.

schema                    what the library asks of a schema: `Schema`, `Valid`, `Invalid`, `Issue`, `schema_of`
adapters/                 one file for each kind: JSON Schema dict, msgspec, pydantic
explain, wording          faults as issues, in zod's words, whatever found them
coerce                    the lenient mode, integers written as 5.0, defaults: one walk over a value and its schema
document, subschemas      a JSON Schema document: references, dialects, limits
keywords, formats, patterns, plain    what jsonschema does otherwise than JSON Schema or JSON ask
"""
