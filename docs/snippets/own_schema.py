"""A schema that is none of the built-in kinds."""

import anyio

# region own
from picomcp_py import Invalid, Issue, Valid, pico


class Even:
    vendor = "mine"

    def validate(self, value):
        n = value.get("n")
        if isinstance(n, int) and n % 2 == 0:
            return Valid(n)
        return Invalid((Issue("expected an even number", ("n",)),))

    def json_schema(self, io):
        return {"type": "object", "properties": {"n": {"type": "integer", "multipleOf": 2}}, "required": ["n"]}


class Halve:
    __standard_schema__ = Even()


server = pico({"name": "maths"}).tool("halve", {"input": Halve, "run": lambda n: n // 2})
# endregion


async def check() -> None:
    assert (await server.call("halve", {"n": 8}))["content"][0]["text"] == "4"
    print((await server.call("halve", {"n": 7}))["content"][0]["text"])


anyio.run(check)
