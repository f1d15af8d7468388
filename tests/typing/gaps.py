"""Correct programs that a checker refuses, and why nothing is done about it. `# G: checker name` marks each.

The workaround is the same for all: a variable typed `Any` for the schema, or a named function for the lambda.
"""

from typing import Annotated

from msgspec import Meta, Struct

from picomcp_py import pico


class Search(Struct):
    repo: str


server = pico({"name": "gaps"})

# mypy reads the expression as `UnionType | type[Search]` and tries each of the two. TypeForm (PEP 747) would help, but
# beside a dict in a union it makes ty read dict literals as types.
server.tool("g1", output=Search | None, run=lambda: None)  # G: mypy a-union

# pyright has no name for the type of this expression. TypeForm again.
server.tool("g2", input=Annotated[Search, Meta(title="Search")], run=lambda input: 1)  # G: pyright annotated

# In an overloaded call mypy first types the dict with nothing known, and takes the constructor of `Search` for the
# shape of the lambda. Any string beside them (a title, a description) is enough to stop that.
server.tool("g3", {"input": Search, "run": lambda input: input.repo})  # G: mypy lambda-in-a-dict-without-strings
