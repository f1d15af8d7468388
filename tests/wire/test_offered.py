"""Resources, prompts and completion at every revision: each line is checked by session.Session.receive."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.wire import kitchen_sink
from tests.wire.kitchen_sink import CONTENTS, MESSAGES, META, PNG
from tests.wire.session import CAPABILITIES, SERVER_INFO, VERSION, Session

SINCE = {"title": "2025-06-18", "_meta": "2025-06-18", "icons": "2025-11-25", "description": "", "annotations": ""}


def by_key(entries: list[dict[str, Any]], key: str) -> dict[str, dict[str, Any]]:
    assert len({entry[key] for entry in entries}) == len(entries)
    return {entry[key]: entry for entry in entries}


def read(session: Session, uri: str) -> list[dict[str, Any]]:
    contents: list[dict[str, Any]] = session.request("resources/read", {"uri": uri}).result["contents"]
    return contents


def test_what_is_offered_is_declared(session: Session) -> None:
    found = session.initialized or session.request("server/discover")
    capabilities = found.result["capabilities"]
    assert capabilities["tools"] == {"listChanged": True}
    assert capabilities["prompts"] == {"listChanged": True}
    assert capabilities["resources"] == {"listChanged": True, "subscribe": True}
    assert ("completions" in capabilities) is (session.revision >= "2025-03-26")


def test_all_resources_are_listed_and_then_what_templates_list(session: Session) -> None:
    listed = session.request("resources/list").result
    entries = by_key(listed["resources"], "uri")
    fixed = [entry["uri"] for entry in kitchen_sink.server.list_resources()]
    assert list(entries) == [*fixed, *(f"shelf://contents/{what}" for what in CONTENTS)]
    assert "nextCursor" not in listed
    assert entries["shelf://barest"] == {"uri": "shelf://barest", "name": "barest"}
    assert (entries["shelf://fullest"]["size"], entries["shelf://fullest"]["mimeType"]) == (9, "text/markdown")
    for uri in ("shelf://fullest", "shelf://contents/text"):
        for member, revision in SINCE.items():
            assert (member in entries[uri]) is (session.revision >= revision), (uri, member)


def test_all_templates_are_listed(session: Session) -> None:
    entries = by_key(session.request("resources/templates/list").result["resourceTemplates"], "uriTemplate")
    assert entries["shelf://plain/{+rest}"] == {
        "uriTemplate": "shelf://plain/{+rest}",
        "name": "shelf://plain/{+rest}",
    }
    for member, revision in SINCE.items():
        assert (member in entries["shelf://contents/{what}"]) is (session.revision >= revision), member


def test_all_prompts_are_listed(session: Session) -> None:
    entries = by_key(session.request("prompts/list").result["prompts"], "name")
    assert list(entries) == [entry["name"] for entry in kitchen_sink.server.list_prompts()]
    assert entries["barest"] == {"name": "barest"}
    for member in ("title", "_meta", "icons", "description"):
        assert (member in entries["fullest"]) is (session.revision >= SINCE[member]), member
    code, style, lines = entries["fullest"]["arguments"]
    assert (code["name"], code["required"], code["description"]) == ("code", True, "What to review")
    assert code.get("title") == ("Code" if session.revision >= "2025-06-18" else None)
    assert [one.get("required", False) for one in (style, lines)] == [False, False]


@pytest.mark.parametrize("what", [what for what in CONTENTS if what not in ("nothing", "bad")])
def test_what_a_resource_may_hold(session: Session, what: str) -> None:
    contents = read(session, f"shelf://contents/{what}")
    if what in ("several", "explicit"):
        assert len(contents) == (2 if what == "several" else 1)
        assert contents[0]["_meta"] == META
        return
    (one,) = contents
    assert one["uri"] == f"shelf://contents/{what}"
    assert one["mimeType"] == "text/plain"
    if what in ("bytes", "png"):
        assert base64.b64decode(one["blob"]) == (PNG if what == "png" else b"\x00\xff")
    elif what == "json":
        assert json.loads(one["text"]) == CONTENTS[what]
    elif what != "surrogate":
        assert one["text"] == CONTENTS[what]


def test_a_uri_is_read_by_what_has_it(session: Session) -> None:
    assert read(session, "shelf://barest") == [{"uri": "shelf://barest", "mimeType": "text/plain", "text": "barest"}]
    assert read(session, "shelf://fullest")[0]["mimeType"] == "text/markdown"
    assert read(session, "shelf://plain/a/b%20c")[0]["text"] == "a/b c"


@pytest.mark.parametrize("uri", ["shelf://nowhere", "shelf://contents/nothing", "", "no uri at all", "shelf://✓"])
def test_what_is_not_there_has_the_code_of_its_era_and_the_uri(session: Session, uri: str) -> None:
    error = session.request("resources/read", {"uri": uri}).error
    assert error["code"] == (-32602 if session.stateless else -32002)
    assert error["data"] == {"uri": uri}


@pytest.mark.parametrize("uri", ["shelf://contents/bad", "shelf://raises", "shelf://contents/unheard-of"])
def test_a_read_that_fails_is_an_internal_error(session: Session, uri: str) -> None:
    assert session.request("resources/read", {"uri": uri}).error["code"] == -32603


def test_a_prompt_gets_its_arguments_in_the_lenient_mode(session: Session) -> None:
    params = {"name": "fullest", "arguments": {"code": "x = 1", "lines": "5"}}
    (message,) = session.request("prompts/get", params).result["messages"]
    assert message == {"role": "user", "content": {"type": "text", "text": "kind 5 x = 1"}}


@pytest.mark.parametrize("what", [what for what in MESSAGES if what != "bad"])
def test_what_a_prompt_may_say(session: Session, what: str) -> None:
    result = session.request("prompts/get", {"name": f"say_{what}"}).result
    messages = result["messages"]
    assert len(messages) == {"nothing": 0, "blocks": 11, "roles": 3}.get(what, 1)
    if what == "blocks":
        kinds = {message["content"]["type"] for message in messages}
        assert ("audio" in kinds) is (session.revision >= "2025-03-26")
        assert ("resource_link" in kinds) is (session.revision >= "2025-06-18")
    elif what == "roles":
        assert [message["role"] for message in messages] == ["user", "assistant", "assistant"]
    elif what == "whole":
        assert result["description"] == "Described"
        assert result["_meta"].items() >= META.items()


@pytest.mark.parametrize(
    ("params", "code", "text"),
    [
        ({"name": "fulest"}, -32602, 'Unknown prompt: fulest (did you mean "fullest"?)'),
        ({"name": "fullest"}, -32602, "code: Invalid input: expected string, received undefined"),
        ({"name": "fullest", "arguments": {"code": "x", "lines": "many"}}, -32602, "lines: "),
        ({"name": "fullest", "arguments": []}, -32602, "arguments must be an object"),
        ({"name": 5}, -32602, "params.name"),
        ({}, -32602, "name"),
        ({"name": "say_bad"}, -32603, "messages[0].role"),
    ],
)
def test_a_prompt_that_cannot_be_got(session: Session, params: dict[str, Any], code: int, text: str) -> None:
    error = session.request("prompts/get", params).error
    assert error["code"] == code
    assert text in error["message"]


def test_completion_for_prompts_and_templates(session: Session) -> None:
    def complete(ref: dict[str, str], name: str, value: str, **more: Any) -> dict[str, Any]:
        params = {"ref": ref, "argument": {"name": name, "value": value}, **more}
        completion: dict[str, Any] = session.request("completion/complete", params).result["completion"]
        return completion

    prompt = {"type": "ref/prompt", "name": "fullest"}
    many = complete(prompt, "code", "x")
    assert (len(many["values"]), many["total"], many["hasMore"]) == (100, 150, True)
    assert complete(prompt, "style", "k")["values"][0] == "kind"
    assert complete(prompt, "lines", "")["values"] == []
    for uri in ("shelf://contents/{what}", "shelf://contents/x"):
        template = {"type": "ref/resource", "uri": uri}
        assert complete(template, "what", "se", context={"arguments": {"a": "b"}})["values"] == ["several"]


@pytest.mark.parametrize(
    ("ref", "argument", "text"),
    [
        ({"type": "ref/prompt", "name": "nope"}, "x", "Unknown prompt: nope"),
        ({"type": "ref/prompt", "name": "fullest"}, "cod", 'no argument "cod": it has code, style, lines'),
        ({"type": "ref/prompt"}, "x", "ref needs the name"),
        ({"type": "ref/resource"}, "x", "ref needs the uri"),
        ({"type": "ref/resource", "uri": "nope://{x}"}, "x", "Unknown resource template: nope://{x}"),
        ({"type": "ref/resource", "uri": "shelf://barest"}, "x", "Unknown resource template: shelf://barest"),
        ({"type": "ref/resource", "uri": "shelf://contents/{what}"}, "x", 'no argument "x"'),
        ({"type": "ref/tool", "name": "change"}, "x", "params.ref.type"),
        ({"type": "ref/prompt", "name": "fullest"}, 5, "params.argument.name"),
    ],
)
def test_completion_of_what_is_not_there(session: Session, ref: dict[str, str], argument: Any, text: str) -> None:
    error = session.request("completion/complete", {"ref": ref, "argument": {"name": argument, "value": ""}}).error
    assert error["code"] == -32602
    assert text in error["message"]


@pytest.mark.parametrize("method", ["prompts/list", "resources/list", "resources/templates/list"])
@pytest.mark.parametrize("cursor", ["zzz", "", "%%%", "dG9vbDox", "bGlzdGVkOjE6MQ", 5, {}])
def test_a_cursor_that_is_none_of_the_lists_is_refused(session: Session, method: str, cursor: Any) -> None:
    assert session.request(method, {"cursor": cursor}).error["code"] == -32602


@pytest.mark.parametrize(
    ("method", "params"), [("resources/read", {}), ("resources/read", {"uri": 5}), ("prompts/list", {"cursor": []})]
)
def test_params_of_a_wrong_type_are_named(session: Session, method: str, params: dict[str, Any]) -> None:
    error = session.request(method, params).error
    assert error["code"] == -32602
    assert error["message"].startswith(f"Invalid params for {method}: ")


def test_the_newest_results_say_how_long_they_hold(session: Session) -> None:
    hints = {
        "tools/list": (0, "private"),
        "prompts/list": (60000, "public"),
        "resources/list": (5, "private"),
        "resources/templates/list": (0, "private"),
        "server/discover": (0, "private"),
    }
    results = {method: session.request(method).result for method in hints if session.stateless or "/list" in method}
    results["fullest"] = session.request("resources/read", {"uri": "shelf://fullest"}).result
    results["barest"] = session.request("resources/read", {"uri": "shelf://barest"}).result
    hints |= {"fullest": (7, "private"), "barest": (0, "private")}
    for name, result in results.items():
        if session.stateless:
            assert (result["ttlMs"], result["cacheScope"]) == hints[name], name
            assert result["_meta"][SERVER_INFO]["name"] == "kitchen-sink"
        else:
            assert not result.keys() & {"ttlMs", "cacheScope", "resultType", "_meta"}, name
    others = [
        session.request("prompts/get", {"name": "barest"}).result,
        session.request(
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "fullest"}, "argument": {"name": "code", "value": ""}},
        ).result,
    ]
    for result in others:
        assert not result.keys() & {"ttlMs", "cacheScope"}
        assert ("resultType" in result) is session.stateless


def test_every_kind_of_change_is_told(session: Session) -> None:
    """What is told is in the form of the revision: see Session.check."""
    asked = {
        "toolsListChanged": True,
        "promptsListChanged": True,
        "resourcesListChanged": True,
        "resourceSubscriptions": ["shelf://fullest"],
    }
    if session.stateless:
        id = session.ask("subscriptions/listen", {"notifications": asked})
        assert session.receive()["params"]["notifications"] == asked
    else:
        session.request("resources/subscribe", {"uri": "shelf://fullest"})
    call = session.ask("tools/call", {"name": "change"})
    told: list[str] = []
    while len(told) < 8:
        message = session.receive()
        told.append(message.get("method", "reply"))
        if message.get("id") == call:
            assert message["result"]["content"][0]["text"] == "changed"
    told.remove("reply")
    lists = [f"notifications/{kind}/list_changed" for kind in ("tools", "resources", "prompts")]
    assert told == [*lists, *(lists[i] for i in (0, 1, 2)), "notifications/resources/updated"]
    if session.stateless:
        session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    else:
        session.request("resources/unsubscribe", {"uri": "shelf://fullest"})


def test_what_the_eras_do_not_share(session: Session) -> None:
    if session.stateless:
        for method in ("resources/subscribe", "resources/unsubscribe"):
            assert session.request(method, {}).error["code"] == -32601
        return
    assert session.request("resources/subscribe", {"uri": "shelf://nowhere"}).error["code"] == -32002
    envelope = {VERSION: "2026-07-28", CAPABILITIES: {}}
    assert session.request("resources/subscribe", {"uri": "shelf://fullest"}, meta=envelope).error["code"] == -32601
    assert session.request("subscriptions/listen", {"notifications": {}}).error["code"] == -32602
