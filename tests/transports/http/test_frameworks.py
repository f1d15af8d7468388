"""In Starlette and FastAPI: as routes, mounted, beside other routes, under middleware; no lifespan is passed on."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount

from tests.transports.http.driver import ask, call, connect, tool_call
from tests.transports.http.servers import Lifespan, lifespan, make

pytestmark = pytest.mark.anyio


def starlette_routes(server: Any) -> Any:
    return Starlette(routes=server.routes("/mcp"))


def fastapi_routes(server: Any) -> Any:
    app = FastAPI()
    app.router.routes.extend(server.routes("/mcp"))

    @app.get("/health")
    def health() -> str:
        return "well"

    return app


def mounted_at_root(server: Any) -> Any:
    return Starlette(routes=[Mount("/", server)])


def fastapi_mounted(server: Any) -> Any:
    app = FastAPI()
    app.mount("/", server)
    return app


def under_middleware(server: Any) -> Any:
    async def dispatch(request: Any, call_next: Any) -> Any:
        return await call_next(request)

    middleware = [Middleware(BaseHTTPMiddleware, dispatch=dispatch), Middleware(GZipMiddleware)]
    return Starlette(routes=server.routes("/mcp"), middleware=middleware)


APPS = [starlette_routes, fastapi_routes, mounted_at_root, fastapi_mounted, under_middleware]


@pytest.mark.parametrize("make_app", APPS)
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_both_eras_are_served(make_app: Any, path: str) -> None:
    log = Lifespan()
    app = make_app(make(lifespan=log))
    answered = await ask(app, **{**call("state"), "path": path})
    assert answered.json["result"]["content"][0]["text"] == "state"
    client = await connect(app)
    answered = await client.ask(tool_call("steps", token=1), path=path)
    assert answered.events[-1].message["result"]
    assert (await client.ask(method="DELETE", path=path)).status == 204
    assert log.log == ["begin"]


@pytest.mark.parametrize("framework", [Starlette, FastAPI])
async def test_the_root_of_a_mount_is_the_endpoint(framework: Any) -> None:
    app = framework()
    app.mount("/x", make())
    for path in ("/x/", "/x/mcp"):
        assert (await ask(app, **{**call("echo"), "path": path})).status == 200
    assert (await ask(app, **{**call("echo"), "path": "/x/other"})).status == 404


async def test_a_parents_own_lifespan_is_no_matter() -> None:
    log = Lifespan()
    app = starlette_routes(make(lifespan=log))
    async with lifespan(app):
        assert log.log == []
        assert (await ask(app, **call("state"))).status == 200
    assert log.log == ["begin"]  # it ends with the loop


async def test_other_routes_are_left_alone() -> None:
    app = fastapi_routes(make())
    answered = await ask(app, method="GET", path="/health")
    assert (answered.status, answered.body) == (200, b'"well"')
    assert "/mcp" not in app.openapi()["paths"]


async def test_routes_take_options_and_several_servers_stand_side_by_side() -> None:
    app = Starlette(routes=[*make().routes("/a", {"sessions": False}), *make().routes("/b/")])
    for path in ("/a", "/a/", "/b", "/b/"):
        assert (await ask(app, **{**call("echo"), "path": path})).status == 200
    assert (await ask(app, method="GET", path="/a")).headers["allow"] == "POST"
