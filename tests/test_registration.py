"""Everything wrong with a registration is an error there, naming the tool, the key and the fix."""

from __future__ import annotations

import functools
import inspect
import json
from typing import Any

import pytest
from msgspec import Struct

from picomcp_py import ConfigError, Context, Server, SyncContext, pico
from picomcp_py.offered.tool import KEYS
from tests.peer import connected

OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}


class Args(Struct):
    a: str = ""


def server(**options: Any) -> Any:
    return pico({"name": "test", **options})


def ok(input: Any) -> str:
    return "ok"


def refused(name: Any, config: Any, **keywords: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        server().tool(name, config, **keywords)
    return str(caught.value)


# ------------------------------------------------------------ forms


def test_one_call_returns_the_server_so_calls_chain() -> None:
    s = server()
    assert s.tool("a", {"run": ok}).tool("b", {"run": ok}) is s
    assert [t["name"] for t in s.list_tools()] == ["a", "b"]


def test_without_run_it_is_a_decorator_that_gives_the_function_back() -> None:
    s = server()
    assert s.tool("a", {"description": "d"})(ok) is ok
    assert s.list_tools()[0]["description"] == "d"


def test_keys_may_be_keywords_alone_or_beside_the_dict() -> None:
    s = server().tool("a", run=ok, title="A").tool("b", {"title": "B"}, run=ok)
    assert [t["title"] for t in s.list_tools()] == ["A", "B"]


@pytest.mark.anyio
async def test_a_decorator_never_applied_is_an_error_at_list_call_and_serve() -> None:
    s = server()
    s.tool("half", {"description": "no function follows"})
    for use in (lambda: s.list_tools(), lambda: s.call("half"), lambda: s.serve_async()):
        with pytest.raises(ConfigError, match=r'tool "half" at .*test_registration\.py:\d+ has no "run"'):
            await use()


def test_a_tool_is_listed_with_what_its_config_says() -> None:
    config = {
        "title": "T",
        "description": "D",
        "input": OBJECT,
        "output": OBJECT,
        "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
        "icons": [{"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}],
        "meta": {"example.com/x": 1},
        "run": ok,
    }
    (entry,) = server().tool("t", config).list_tools()
    assert entry == {
        "name": "t",
        "title": "T",
        "description": "D",
        "inputSchema": OBJECT,
        "outputSchema": OBJECT,
        "annotations": config["annotations"],
        "icons": config["icons"],
        "_meta": {"example.com/x": 1},
    }


def test_the_barest_tool_lists_nothing_that_is_null() -> None:
    (entry,) = server().tool("t", {"run": ok}).list_tools()
    assert entry == {
        "name": "t",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
    }


def test_what_is_listed_is_a_copy() -> None:
    s = server().tool("t", {"input": OBJECT, "run": ok})
    s.list_tools()[0]["inputSchema"]["properties"]["x"] = 1
    assert s.list_tools()[0]["inputSchema"] == OBJECT


@pytest.mark.anyio
async def test_none_is_an_absent_value() -> None:
    icon = {"src": "https://example.com/i.png", "mimeType": None, "sizes": None, "theme": None}
    options = {"name": "x", "version": None, "title": None, "ttlMs": None, "cacheScope": None, "backend": None}
    s = pico({**options, "onDuplicate": None, "coerce": None, "maskErrors": None, "lifespan": None, "icons": [icon]})
    s.tool("t", {"icons": [icon], "title": None, "tags": None, "annotations": {"title": None}, "run": ok})
    async with connected(s) as peer:
        result = (await peer.request("tools/list"))["result"]
    assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    info = result["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert info == {"name": "x", "version": "0.0.0", "icons": [{"src": icon["src"]}]}
    (entry,) = result["tools"]
    assert entry["icons"] == [{"src": icon["src"]}]
    assert "null" not in json.dumps(result)


def test_a_name_that_is_none_is_missing() -> None:
    with pytest.raises(ConfigError, match='"name" is missing'):
        pico({"name": None})


def test_the_method_says_at_run_time_what_it_takes() -> None:
    doc = inspect.getdoc(Server.tool) or ""
    assert all(f"`{key}`" in doc for key in KEYS)
    assert "ConfigError" in doc


# ------------------------------------------------------------ names


@pytest.mark.parametrize("name", ["a", "x" * 128, "A-Z_a.z-09", "..."])
def test_a_good_name(name: str) -> None:
    assert server().tool(name, {"run": ok}).list_tools()[0]["name"] == name


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "it has 0 characters"),
        ("x" * 129, "it has 129 characters"),
        ("New Tool", "contains ' '"),
        ("ä", "contains 'ä'"),
        ("a/b", "contains '/'"),
        ("a\n", "contains '\\n'"),
    ],
)
def test_a_bad_name_is_refused_with_what_is_allowed(name: str, fault: str) -> None:
    text = refused(name, {"run": ok})
    assert fault in text
    assert "use 1 to 128 characters of A-Z, a-z, 0-9" in text


def test_a_name_that_is_no_string() -> None:
    assert "a tool's name must be a string, not int" in refused(5, {"run": ok})


def test_a_duplicate_name_is_refused() -> None:
    s = server().tool("t", {"run": ok})
    with pytest.raises(ConfigError, match='tool "t" is already registered: give it another name'):
        s.tool("t", {"run": ok})
    with pytest.raises(ConfigError, match="already registered"):
        s.tool("t", {})


@pytest.mark.anyio
async def test_on_duplicate_replace_keeps_the_place_and_takes_the_new_one() -> None:
    s = server(onDuplicate="replace").tool("a", {"run": ok}).tool("b", {"run": ok})
    s.tool("a", {"run": lambda input: "new"})
    assert [t["name"] for t in s.list_tools()] == ["a", "b"]
    assert (await s.call("a"))["content"][0]["text"] == "new"


# ------------------------------------------------------------ keys and values


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"run": ok, "desription": "x"}, 'tool "t": unknown key "desription": did you mean "description"?'),
        ({"run": ok, "zzz": 1}, 'tool "t": unknown key "zzz": it takes description, title'),
        ({"run": ok, "description": 5}, 'tool "t": "description" must be a string, not int'),
        ({"run": ok, "title": b"x"}, 'tool "t": "title" must be a string, not bytes'),
        ({"run": ok, "annotations": {"readonlyHint": True}}, 'annotations: unknown key "readonlyHint": did you mean'),
        ({"run": ok, "annotations": {"readOnlyHint": "yes"}}, '"readOnlyHint" must be True or False, not str'),
        ({"run": ok, "annotations": []}, "annotations must be a dict"),
        ({"run": ok, "icons": "x.png"}, '"icons" must be a list'),
        ({"run": ok, "icons": [{"src": "x.png"}]}, 'icons[0]: "src" must be an https:, http: or data: URI'),
        ({"run": ok, "icons": [{"source": "x"}]}, 'icons[0] must be a dict with "src"'),
        ({"run": ok, "icons": [{"src": "https://x", "sizes": "48x48"}]}, '"sizes" must be a list'),
        ({"run": ok, "icons": [{"src": "https://x", "theme": "blue"}]}, '"theme" must be "light" or "dark"'),
        ({"run": ok, "meta": {1: 2}}, '"meta" must be a dict with string keys'),
        ({"run": ok, "tags": "x"}, '"tags" must be a list of strings'),
        ({"run": ok, "timeout": 0}, '"timeout" must be a number of seconds above 0'),
        ({"run": ok, "timeout": True}, '"timeout" must be a number of seconds above 0'),
        ({"run": ok, "thread": "no"}, '"thread" must be True or False'),
        ({"run": ok, "coerce": 1}, '"coerce" must be True or False'),
        ({"run": ok, "meta": {"x": object()}}, "can't be written as JSON"),
        ({"run": "ok"}, '"run" must be a function of (input, ctx), not str'),
        ({"run": ok, "input": 5}, '"input": 5 is not a schema'),
        ({"run": ok, "output": "x"}, "\"output\": 'x' is not a schema"),
    ],
)
def test_a_wrong_key_or_value_names_tool_key_and_fix(config: dict[str, Any], message: str) -> None:
    text = refused("t", config)
    assert message in text
    assert text.startswith('tool "t": ')


def test_a_config_that_is_no_dict() -> None:
    assert 'tool "t": the config must be a dict, not function' in refused("t", ok)


# ------------------------------------------------------------ schemas


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "array"}, '"input" must describe an object, not array'),
        ({"properties": {}}, 'add "type": "object" at the root'),
        ({"type": ["object", "null"]}, '"input" must describe an object'),
        (int, '"input" must describe an object, not integer'),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/No"}}}, "#/$defs/No"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.com/s.json"}}}, "https://example.com/s.json"),
        ({"type": "object", "properties": {"a": {"type": "string", "pattern": "["}}}, "["),
        ({"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}}, "default"),
        ({"type": "object", "$schema": "https://example.com/mine"}, "https://example.com/mine"),
        ({"type": "objekt"}, "#/type: Invalid option"),
    ],
)
def test_a_schema_that_cannot_work_is_refused(schema: Any, message: str) -> None:
    text = refused("t", {"input": schema, "run": ok})
    assert text.startswith('tool "t": "input"')
    assert message in text


def _headers(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (_headers(a={"type": "string", "x-mcp-header": ""}), '"a": x-mcp-header must be an HTTP token'),
        (_headers(a={"type": "string", "x-mcp-header": "a b"}), "must be an HTTP token"),
        (_headers(a={"type": "string", "x-mcp-header": 5}), "must be an HTTP token"),
        (_headers(a={"type": "number", "x-mcp-header": "A"}), 'needs "type" string, integer or boolean'),
        (_headers(a={"x-mcp-header": "A"}), 'needs "type" string, integer or boolean'),
        (
            _headers(a={"type": "string", "x-mcp-header": "A"}, b={"type": "string", "x-mcp-header": "a"}),
            '"b": x-mcp-header "a" is used twice',
        ),
        (
            _headers(a={"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}),
            "at #/properties/a/items: x-mcp-header only works on properties",
        ),
        (
            _headers(a={"anyOf": [{"type": "string", "x-mcp-header": "A"}]}),
            "x-mcp-header only works on properties",
        ),
    ],
)
def test_a_broken_header_annotation_is_refused(schema: dict[str, Any], message: str) -> None:
    text = refused("t", {"input": schema, "run": ok})
    assert text.startswith('tool "t": input')
    assert message in text


def test_a_header_annotation_that_works_also_on_nested_objects() -> None:
    nested = {"type": "object", "properties": {"b": {"type": "integer", "x-mcp-header": "B"}}}
    schema = _headers(a={"type": "string", "x-mcp-header": "A"}, deep=nested)
    schema["properties"]["a"]["default"] = {"x-mcp-header": "data, not an annotation"}["x-mcp-header"]
    assert server().tool("t", {"input": schema, "run": ok}).list_tools()[0]["inputSchema"] == schema


@pytest.mark.parametrize("name", ["x-mcp-header", "default", "properties"])
def test_a_property_may_have_the_name_of_the_annotation(name: str) -> None:
    schema = _headers(**{name: {"type": "string"}, "data": {"default": {"x-mcp-header": "data"}}})
    schema["properties"][name]["x-mcp-header"] = "A"
    assert server().tool("t", {"input": schema, "run": ok}).list_tools()[0]["inputSchema"] == schema
    inside = _headers(**{name: {"anyOf": [{"type": "string", "x-mcp-header": "A"}]}})
    assert "x-mcp-header only works on properties" in refused("t", {"input": inside, "run": ok})


# ------------------------------------------------------------ handlers


class Holder:
    def method(self, input: Any) -> str:
        return "method"

    async def __call__(self, input: Any, ctx: Any) -> str:
        return "called"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda a, b, c: 1, "takes 3 parameters (a, b, c)"),
        (lambda a, *, key: 1, 'needs the keyword "key"'),
        (lambda ctx: 1, 'the first parameter of "run" is "ctx", but the first one gets the input'),
    ],
)
def test_a_handler_that_cannot_be_called_so(run: Any, message: str) -> None:
    text = refused("t", {"run": run})
    assert text.startswith('tool "t": ')
    assert message in text


def test_a_lone_parameter_annotated_as_context_is_refused() -> None:
    def typed(c: Context) -> str:
        return ""

    def late(c: SyncContext) -> str:
        return ""

    assert "write run(input, ctx)" in refused("t", {"run": typed})
    assert "write run(input, ctx)" in refused("t", {"run": late})


def _second(input: Any, ctx: Any = None) -> str:
    return type(ctx).__name__


def _annotated(input: Any, c: Context | None = None) -> str:
    return type(c).__name__


def _own(input: Any, i: int = 7) -> str:
    return str(i)


def _underscore(input: Any, _ctx: Any = 0) -> str:
    return type(_ctx).__name__


def _star(*args: Any) -> str:
    return str(len(args))


def _required(input: Any, anything: Any) -> str:
    return type(anything).__name__


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("run", "answer"),
    [
        (lambda: "none", "none"),
        (lambda input: str(input), "{}"),
        (_second, "Context"),
        (_annotated, "Context"),
        (_underscore, "Context"),
        (_required, "Context"),
        (_own, "7"),
        (lambda input, i=3: str(i), "3"),
        (_star, "2"),
        (functools.partial(_second, ctx="mine"), "str"),
        (Holder().method, "method"),
        (Holder(), "called"),
    ],
)
async def test_a_handler_gets_as_many_of_input_and_context_as_it_takes(run: Any, answer: str) -> None:
    s = server().tool("t", {"run": run})
    assert (await s.call("t"))["content"] == [{"type": "text", "text": answer}]


# ------------------------------------------------------------ pico


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, 'pico(): "name" is missing'),
        ({"name": ""}, '"name" is missing'),
        ({"name": "x", "versoin": "1"}, 'unknown key "versoin": did you mean "version"?'),
        ({"name": "x", "version": 1}, '"version" must be a string, not int'),
        ({"name": "x", "onDuplicate": "warn"}, "\"onDuplicate\" must be 'error' or 'replace', not 'warn'"),
        ({"name": "x", "cacheScope": "all"}, "\"cacheScope\" must be 'public' or 'private'"),
        ({"name": "x", "backend": "curio"}, "\"backend\" must be 'asyncio' or 'trio'"),
        ({"name": "x", "pageSize": 0}, '"pageSize" must be an integer of at least 1, not 0'),
        ({"name": "x", "ttlMs": -1}, '"ttlMs" must be an integer of at least 0'),
        ({"name": "x", "maskErrors": 1}, '"maskErrors" must be True or False'),
        ({"name": "x", "lifespan": 5}, '"lifespan" must be a function of the server'),
        ({"name": "x", "icons": [{}]}, 'icons[0] must be a dict with "src"'),
    ],
)
def test_a_wrong_option_of_the_server(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        pico(config)
    assert message in str(caught.value)


def test_options_may_be_keywords_in_snake_case() -> None:
    assert pico(name="x", mask_errors=True, page_size=5).name == "x"
    with pytest.raises(ConfigError, match='unknown key "maskErrors": did you mean "mask_errors"'):
        pico(name="x", maskErrors=True)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1, True, "3"])
def test_a_drain_time_that_is_none(seconds: Any) -> None:
    with pytest.raises(ConfigError, match='serve\\(\\): "drainSeconds" must be a number of seconds from 0'):
        server().serve({"drainSeconds": seconds})
