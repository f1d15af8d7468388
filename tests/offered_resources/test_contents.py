"""What `read` returns becomes contents: the table of forms, explicit contents, and what is refused."""

from __future__ import annotations

import base64
import dataclasses
import enum
import io
import json
import logging
from pathlib import Path
from typing import Any

import pydantic
import pytest
from msgspec import Raw, Struct

from picomcp_py import image, link, resource, result, text
from picomcp_py.content import BlobContents, TextContents
from picomcp_py.errors import INTERNAL_ERROR, INVALID_PARAMS, ResourceNotFound
from picomcp_py.jsontext import encode_json
from picomcp_py.offered.contents import to_contents, to_result
from picomcp_py.offered.sendable import Refused
from tests.offered_resources.reading import failure, read

URI = "note://x"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


class Word(enum.StrEnum):
    HELLO = "hello"


class Point(Struct):
    x: int


@dataclasses.dataclass
class Data:
    x: int


class Model(pydantic.BaseModel):
    some_x: int = pydantic.Field(alias="someX")


class Text(str):
    pass


def contents(value: Any, mime: str | None = None) -> Any:
    """The contents as they go over the wire, read back; strictly JSON."""
    return json.loads(encode_json(to_contents(value, URI, mime)).decode(), parse_constant=pytest.fail)


def refusal(value: Any, mime: str | None = None) -> str:
    with pytest.raises(Refused) as caught:
        to_result(value, URI, mime)
    return str(caught.value)


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


# ---- the table ----


@pytest.mark.parametrize(
    ("value", "mime", "form"),
    [
        ("hello", "text/plain", {"text": "hello"}),
        ("", "text/plain", {"text": ""}),
        (Text("x"), "text/plain", {"text": "x"}),
        (Word.HELLO, "text/plain", {"text": "hello"}),
        ("é\ud800", "text/plain", {"text": "é\ufffd"}),
        (b"\x00\xff", "application/octet-stream", {"blob": "AP8="}),
        (b"", "application/octet-stream", {"blob": ""}),
        (b"plain text", "application/octet-stream", {"blob": b64(b"plain text")}),
        (bytearray(b"ab"), "application/octet-stream", {"blob": "YWI="}),
        (memoryview(b"abab").cast("H"), "application/octet-stream", {"blob": b64(b"abab")}),
        ({"a": [1, None]}, "application/json", {"text": '{"a":[1,null]}'}),
        ({}, "application/json", {"text": "{}"}),
        ([], "application/json", {"text": "[]"}),
        ((1, "x"), "application/json", {"text": '[1,"x"]'}),
        (["a", "b"], "application/json", {"text": '["a","b"]'}),
        (5, "application/json", {"text": "5"}),
        (5.0, "application/json", {"text": "5"}),
        (0, "application/json", {"text": "0"}),
        (False, "application/json", {"text": "false"}),
        (Point(1), "application/json", {"text": '{"x":1}'}),
        (Data(1), "application/json", {"text": '{"x":1}'}),
        (Model(someX=1), "application/json", {"text": '{"someX":1}'}),
        ({"s": "\ud800"}, "application/json", {"text": '{"s":"\ufffd"}'}),
        (Raw(b'{"a": 1}'), "application/json", {"text": '{"a":1}'}),
        ({"contents": ["chapter one"]}, "application/json", {"text": '{"contents":["chapter one"]}'}),
        ({"contents": "x"}, "application/json", {"text": '{"contents":"x"}'}),
        ({"contents": [{"title": "x"}]}, "application/json", {"text": '{"contents":[{"title":"x"}]}'}),
        ({"uri": "note://y"}, "application/json", {"text": '{"uri":"note://y"}'}),
        ({"uri": "u", "text": "t", "n": 1}, "application/json", {"text": '{"uri":"u","text":"t","n":1}'}),
        ({"type": "resource", "resource": "tin"}, "application/json", {"text": '{"type":"resource","resource":"tin"}'}),
    ],
)
def test_a_value_becomes_one_item_with_the_uri_and_a_mime_type(value: Any, mime: str, form: dict[str, str]) -> None:
    assert contents(value) == [{"uri": URI, "mimeType": mime, **form}]
    assert contents(value, "text/x-own") == [{"uri": URI, "mimeType": "text/x-own", **form}]


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a...", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"JUNK\x00\x00\x00\x00WAVEfmt ", "application/octet-stream"),
        (b"\x00\x00\x00\x1cftypavif", "image/avif"),
        (b"OggS\x00", "audio/ogg"),
        (b"fLaC\x00", "audio/flac"),
        (b"ID3\x04", "audio/mpeg"),
        (b"%PDF-1.7", "application/pdf"),
    ],
)
def test_a_blob_without_a_declared_type_gets_what_its_first_bytes_tell(data: bytes, mime: str) -> None:
    assert contents(data) == [{"uri": URI, "mimeType": mime, "blob": b64(data)}]
    assert contents(data, "application/x-own")[0]["mimeType"] == "application/x-own"


def test_none_is_resource_not_found() -> None:
    with pytest.raises(ResourceNotFound) as caught:
        to_contents(None, URI, None)
    assert (caught.value.code, caught.value.data) == (INVALID_PARAMS, {"uri": URI})


class Picture:
    """What a PIL image looks like."""

    mode = "RGB"

    def save(self, file: io.BytesIO, format: str) -> None:
        file.write(format.encode())


def test_a_pil_image_is_a_png_or_the_declared_kind_of_image() -> None:
    assert contents(Picture()) == [{"uri": URI, "mimeType": "image/png", "blob": b64(b"PNG")}]
    assert contents(Picture(), "image/webp") == [{"uri": URI, "mimeType": "image/webp", "blob": b64(b"WEBP")}]
    assert refusal(Picture(), "text/csv") == (
        "an image, but the resource's mimeType is text/csv: leave it out, or return bytes"
    )


def test_a_path_is_served_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"# caf\xc3\xa9\r\n")
    (tmp_path / "b.md").write_bytes(b"\xff")
    assert contents(tmp_path / "a.md") == [{"uri": URI, "mimeType": "text/markdown", "text": "# café\r\n"}]
    assert contents(tmp_path / "b.md") == [{"uri": URI, "mimeType": "text/markdown", "blob": "/w=="}]
    with pytest.raises(ResourceNotFound):
        to_contents(tmp_path / "c.md", URI, None)


def test_what_is_slow_to_convert_is_converted_in_a_thread(tmp_path: Path) -> None:
    """`read` checks that awaiting gives the same."""
    (tmp_path / "a.md").write_text("hi")
    config = {"read": lambda: tmp_path / "a.md"}
    assert read(URI, config) == {"contents": [{"uri": URI, "mimeType": "text/markdown", "text": "hi"}]}
    big = bytes(2 * 1024 * 1024)
    assert read(URI, {"read": lambda: big})["contents"][0]["blob"] == b64(big)
    assert failure(URI, {"read": lambda: tmp_path / "none"}).data == {"uri": URI}


# ---- explicit contents ----


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"contents": [{"uri": "a:b", "text": "t"}]}, [{"uri": "a:b", "text": "t"}]),
        ({"contents": ({"uri": "a:b", "text": "t"},)}, [{"uri": "a:b", "text": "t"}]),
        ([{"uri": "a:b", "text": "t"}], [{"uri": "a:b", "text": "t"}]),
        ({"uri": "a:b", "text": ""}, [{"uri": "a:b", "text": ""}]),
        ({"uri": "a:b", "blob": b"\xff", "mimeType": None}, [{"uri": "a:b", "blob": "/w=="}]),
        ({"uri": "a:b", "blob": "/w==", "text": None}, [{"uri": "a:b", "blob": "/w=="}]),
        ({"uri": "a:b", "text": "t", "mimeType": "a/b", "_meta": {"k": 1}},) * 2,
        ({"uri": "a:b", "text": "\ud800"}, [{"uri": "a:b", "text": "\ufffd"}]),
        (TextContents("a:b", "t"), [{"uri": "a:b", "text": "t"}]),
        ([BlobContents("a:b", "/w==", None, {"k": 1})], [{"uri": "a:b", "blob": "/w==", "_meta": {"k": 1}}]),
        (resource("a:b", "t"), [{"uri": "a:b", "text": "t"}]),
        (resource("a:b", b"\xff", "a/b"), [{"uri": "a:b", "mimeType": "a/b", "blob": "/w=="}]),
        (resource("a:b", "t", meta={"k": 1}), [{"uri": "a:b", "text": "t", "_meta": {"k": 1}}]),
        ({"type": "resource", "resource": {"uri": "a:b", "text": "t"}}, [{"uri": "a:b", "text": "t"}]),
        (
            [resource("a:1", "t"), {"uri": "a:2", "blob": b""}, TextContents("a:3", "t")],
            [{"uri": "a:1", "text": "t"}, {"uri": "a:2", "blob": ""}, {"uri": "a:3", "text": "t"}],
        ),
        ({"contents": [resource("a:b", "t")]}, [{"uri": "a:b", "text": "t"}]),
        ({"contents": [{"uri": "a:b", "text": "t", "extra": 1}]}, [{"uri": "a:b", "text": "t", "extra": 1}]),
    ],
)  # fmt: skip
def test_explicit_contents_are_never_added_to(value: Any, expected: Any) -> None:
    expected = expected if isinstance(expected, list) else [expected]
    assert contents(value) == expected
    assert contents(value, "text/x-own") == expected


def test_a_result_may_have_meta_of_its_own() -> None:
    value = {"contents": [{"uri": "a:b", "text": "t"}], "_meta": {"k": [1]}}
    assert to_result(value, URI, None) == value
    assert to_result({**value, "_meta": None}, URI, None) == {"contents": value["contents"]}


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"contents": []}, "contents is empty: return None, or raise ResourceNotFound, for what isn't there"),
        (
            {"contents": [{"uri": "a:b", "text": "t"}, {"text": "t"}]},
            "contents[1].uri: missing: nothing is added to explicit contents: "
            'write {"uri": ..., "text": ...} or use resource(uri, data)',
        ),
        ({"contents": [{"text": "t"}]}, "contents[0].uri: missing"),
        ({"contents": [{"uri": None, "text": "t"}]}, "contents[0].uri: missing"),
        ({"uri": "a:b", "text": "t", "blob": ""}, "contents[0]: has both text and blob"),
        ({"contents": [{"uri": "a:b"}]}, "contents[0]: has neither text nor blob"),
        ({"uri": "a:b", "text": None}, "contents[0]: has neither text nor blob"),
        ({"uri": "a:b", "text": 5}, "contents[0].text: expected string, received number"),
        ({"uri": "a:b", "blob": "no!"}, "contents[0].blob: not valid base64"),
        ({"uri": "a:b", "blob": "data:image/png;base64,AA=="}, "contents[0].blob: a data: URI, not base64"),
        ({"uri": "a:b", "blob": 5}, "contents[0].blob: expected bytes or a base64 string, received number"),
        ({"uri": "b", "text": "t"}, 'contents[0].uri: "b" is not an absolute URI'),
        ({"uri": "a:b", "text": "t", "mimeType": "text"}, 'contents[0].mimeType: "text" is not a MIME type'),
        ({"uri": "a:b", "text": "t", "_meta": 1}, "contents[0]._meta: expected object, received number"),
        ({"uri": "a:b", "text": "t", "_meta": {"k": print}}, "contents[0]._meta.k: a value of type builtin_function"),
        ([{"uri": "a:b", "text": "t"}, "t"], "contents[1]: expected contents, received string: write"),
        ([{"uri": "a:b", "text": "t"}, None], "contents[1]: expected contents, received null: write"),
        ({"contents": [resource("a:b", "t")], "ttlMs": 5}, 'unknown key "ttlMs" beside contents: set it on the'),
        ({"contents": [resource("a:b", "t")], "x": 5}, 'unknown key "x" beside contents'),
        ({"contents": [resource("a:b", "t")], "_meta": 5}, "_meta: expected object, received number"),
        (resource("a:b", "t", annotations={"priority": 1}), "contents[0].annotations: contents have none"),
        ({"type": "resource", "resource": {"uri": "a:b"}}, "contents[0].resource: has neither text nor blob"),
        (resource("a:b", "t", meta={"k": print}), "contents[0]._meta.k: a value of type builtin_function"),
        (text("t"), "a content block (Text) is what a tool returns: return str, bytes or data, or use resource(uri"),
        (image(PNG, "image/png"), "a content block (Image) is what a tool returns"),
        (link("a:b", "b"), "a content block (ResourceLink) is what a tool returns"),
        ([text("t")], "contents[0]: expected contents, received Text: write"),
        (result("x"), "result(...) is what a tool returns"),
        (print, "a value of type builtin_function_or_method has no JSON form: it was not called"),
        ({"a": [print]}, "a[0]: a value of type builtin_function_or_method"),
        (Raw(b"{"), "a msgspec.Raw that is not JSON"),
        ({"a": Raw(b'"\xff"')}, "a msgspec.Raw in it is not UTF-8"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_refused_by_its_place(value: Any, fault: str) -> None:
    assert refusal(value).startswith(fault)


def test_a_refusal_answers_the_request_and_goes_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "picomcp_py"):
        error = failure(URI, {"read": lambda: {"contents": [{"text": "t"}]}})
    said = "returned a value that cannot be sent: contents[0].uri: missing"
    assert error.code == INTERNAL_ERROR
    assert error.message.startswith(f'Resource "{URI}" {said}')
    assert f'resource "{URI}" returned what cannot be sent: contents[0].uri: missing' in caplog.text


def test_the_reply_of_the_typescript_tutorial_is_the_same_object() -> None:
    """A ported handler writes `contents` itself: only the uri and the text are on the wire."""
    config = {
        "mimeType": "text/plain",
        "read": lambda uri, params: {"contents": [{"uri": uri, "text": f"{params['date']}: MCP"}]},
    }
    assert read("note://{date}", config, "note://2026-09-05") == {
        "contents": [{"uri": "note://2026-09-05", "text": "2026-09-05: MCP"}]
    }
