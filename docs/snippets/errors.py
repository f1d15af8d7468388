"""An error for the model, and one for the client."""

import anyio
from msgspec import Struct

# region errors
from picomcp_py import McpError, pico

# endregion
USERS = {"1": {"id": "1", "name": "Ada"}}


class User(Struct):
    id: str
    workspace: str = "home"


# region errors
server = pico({"name": "crm"})


@server.tool("get_user", {"input": User})
async def get_user(input: User) -> dict[str, str]:
    if input.workspace != "home":
        raise McpError(-32001, "Not authorised for this workspace")
    if input.id not in USERS:
        raise LookupError(f"No user with id {input.id}. Call list_users to see valid ids.")
    return USERS[input.id]


# endregion


async def check() -> None:
    failed = await server.call("get_user", {"id": "7"})
    text = "No user with id 7. Call list_users to see valid ids."
    assert failed == {"content": [{"type": "text", "text": text}], "isError": True}
    try:
        await server.call("get_user", {"id": "1", "workspace": "work"})
    except McpError as error:
        print(error.code, error.message)


anyio.run(check)
