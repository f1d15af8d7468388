"""Content blocks: their wire shapes, what the helpers take, what is refused and in which words."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from picomcp_py import content
from picomcp_py.content import audio, check_block, image, is_block, link, resource, text

PNG = b"\x89PNG\r\n\x1a\n\xff\xfe"
ENCODED = base64.b64encode(PNG).decode()
NOTED = {"audience": ["user"], "priority": 1, "lastModified": "2026-01-12T15:00:58Z"}


def wire(block: Any) -> Any:
    return json.loads(msgspec.json.encode(block))


def test_text_has_only_what_was_given() -> None:
    assert wire(text("Here is the chart:")) == {"type": "text", "text": "Here is the chart:"}
    assert wire(text("x", annotations=NOTED, meta={"a": 1})) == {
        "type": "text",
        "text": "x",
        "annotations": NOTED,
        "_meta": {"a": 1},
    }
    assert wire(text("x", {"annotations": NOTED, "_meta": {"a": 1}})) == wire(
        text("x", annotations=NOTED, meta={"a": 1})
    )
    assert list(wire(text("x", meta={}))) == ["type", "text", "_meta"]


def test_lone_surrogates_in_text_are_replaced() -> None:
    assert wire(text("caf\udce9")) == {"type": "text", "text": "caf\ufffd"}
    assert wire(resource("a:b", "caf\udce9"))["resource"]["text"] == "caf\ufffd"


@pytest.mark.parametrize(("helper", "kind"), [(image, "image"), (audio, "audio")])
@pytest.mark.parametrize("data", [PNG, bytearray(PNG), memoryview(PNG), ENCODED])
def test_media_from_bytes_and_base64(helper: Any, kind: str, data: Any) -> None:
    block = helper(data, f"{kind}/x", annotations={"priority": 0.5})
    assert block.data == ENCODED
    assert wire(block) == {
        "type": kind,
        "data": ENCODED,
        "mimeType": f"{kind}/x",
        "annotations": {"priority": 0.5},
    }


@pytest.mark.parametrize(
    ("name", "helper", "mime"),
    [
        ("a.png", image, "image/png"),
        ("a.JPG", image, "image/jpeg"),
        ("a.webp", image, "image/webp"),
        ("a.svg", image, "image/svg+xml"),
        ("a.wav", audio, "audio/wav"),
        ("a.mp3", audio, "audio/mpeg"),
    ],
)
def test_media_from_a_path_whose_suffix_tells_the_type(tmp_path: Path, name: str, helper: Any, mime: str) -> None:
    path = tmp_path / name
    path.write_bytes(PNG)
    assert (helper(path).data, helper(path).mimeType) == (ENCODED, mime)
    assert helper(path, f"{mime}2").mimeType == f"{mime}2"


def test_a_path_of_another_kind_or_of_none_asks_for_the_type(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r'image: "a.mp3" is audio/mpeg: pass the MIME type second if it is image'):
        image(tmp_path / "a.mp3")
    with pytest.raises(ValueError, match=r'audio: "a.zzz" has no known MIME type'):
        audio(tmp_path / "a.zzz")
    with pytest.raises(FileNotFoundError):
        image(tmp_path / "missing.png")


class Picture:
    """Has what a PIL image has."""

    mode = "RGB"
    size = (1, 1)

    def save(self, file: Any, format: str) -> None:
        file.write(f"pixels as {format}".encode())


@pytest.mark.parametrize(
    ("mime", "sent", "format"),
    [(None, "image/png", "PNG"), ("image/jpeg", "image/jpeg", "JPEG"), ("image/webp", "image/webp", "WEBP")],
)
def test_image_from_a_pil_image(mime: str | None, sent: str, format: str) -> None:
    block = image(Picture(), mime)
    assert base64.b64decode(block.data) == f"pixels as {format}".encode()
    assert block.mimeType == sent


NOT_BASE64 = [
    (
        "data:image/png;base64,AAAA",
        'a data: URI, not base64: pass the bytes themselves, or only what follows "base64,"',
    ),
    ("https://x.test/y.png", "a URL, not base64: fetch it and pass the bytes, or send a link with link(uri, name)"),
    (base64.encodebytes(bytes(100)).decode(), "base64 wrapped over several lines: pass the bytes themselves"),
    ("AAAA\n", "base64 wrapped over several lines"),
    ("chart.png", "not valid base64: pass the bytes themselves, or a pathlib.Path for a file"),
    ("AAA", "not valid base64"),
    ("AAAA=", "not valid base64"),
    ("AAAA====", "not valid base64"),
    ("====", "not valid base64"),
    ("A===", "not valid base64"),
    ("AA==AA==", "not valid base64"),
    ("_-_-", "not valid base64"),
    ("é===", "not valid base64"),
    (" AAAA", "not valid base64"),
]


@pytest.mark.parametrize(("data", "fault"), NOT_BASE64)
def test_data_that_is_not_bare_base64_is_refused_everywhere(data: str, fault: str) -> None:
    with pytest.raises(ValueError, match=r"^image\.data: ") as caught:
        image(data, "image/png")
    assert fault in str(caught.value)
    with pytest.raises(ValueError, match=r"^audio\.data: "):
        audio(data, "audio/wav")
    with pytest.raises(ValueError, match=r"^image\.data: "):
        content.Image(data, "image/png")
    with pytest.raises(ValueError, match=r"content\[2\]\.data: ") as caught:
        check_block({"type": "image", "data": data, "mimeType": "image/png"}, "content[2]")
    assert fault in str(caught.value)
    with pytest.raises(ValueError, match=r"content\[0\]\.resource\.blob: "):
        check_block({"type": "resource", "resource": {"uri": "a:b", "blob": data}}, "content[0]")


@pytest.mark.parametrize(
    ("make", "error", "fault"),
    [
        (lambda: text(5), TypeError, "text: expected string, received number: pass str(value)"),
        (lambda: text(None), TypeError, "text: expected string, received null"),
        (
            lambda: text("x", annotations={"priority": 2}),
            ValueError,
            "text.annotations: priority must be a number from",
        ),
        (lambda: text("x", annotations={"audience": "user"}), ValueError, 'audience must be an array of "user" and'),
        (lambda: text("x", annotations={"audience": ["me"]}), ValueError, 'audience must be an array of "user" and'),
        (lambda: text("x", annotations={"lastModified": 5}), ValueError, "lastModified must be an ISO 8601 string"),
        (lambda: text("x", meta={1: 2}), ValueError, "text._meta: expected string keys, received number"),
        (lambda: text("x", meta=[1]), ValueError, "text._meta: expected object, received array"),
        (
            lambda: text("x", {"annotation": {}}),
            TypeError,
            "unknown option 'annotation': did you mean \"annotations\"?",
        ),
        (lambda: text("x", "image/png"), TypeError, "text: options must be a dict"),
        (lambda: image(PNG), TypeError, 'image: which MIME type? Pass it second, as in image(data, "image/png")'),
        (lambda: audio(ENCODED), TypeError, 'audio: which MIME type? Pass it second, as in audio(data, "audio/wav")'),
        (lambda: image(PNG, "png"), ValueError, 'image.mimeType: "png" is not a MIME type: write it in full'),
        (lambda: image(5, "image/png"), TypeError, "image.data: expected bytes, a base64 string, a pathlib.Path or a"),
        (
            lambda: audio(Picture(), "audio/wav"),
            TypeError,
            "audio.data: expected bytes, a base64 string, a pathlib.Path,",
        ),
        (lambda: link("q3.csv", "q3"), ValueError, 'resource_link.uri: "q3.csv" is not an absolute URI'),
        (lambda: link("file:///a b", "q3"), ValueError, "percent-encode spaces"),
        (lambda: link("a:b", None), ValueError, "resource_link.name: expected string, received null"),
        (lambda: link("a:b", "n", size=-1), ValueError, "resource_link.size: expected the size in bytes"),
        (lambda: link("a:b", "n", size=True), ValueError, "resource_link.size: expected the size in bytes"),
        (lambda: link("a:b", "n", {"mimetype": "a/b"}), TypeError, 'did you mean "mimeType"?'),
        (lambda: link("a:b", "n", icons=[{}]), ValueError, 'icon 0 must be an object with a string "src"'),
        (lambda: link("a:b", "n", icons="x"), ValueError, "resource_link.icons: expected array, received string"),
        (lambda: resource("b", "x"), ValueError, 'resource.uri: "b" is not an absolute URI'),
        (lambda: resource("a:b", {}), TypeError, "resource: expected str or bytes, received object"),
        (lambda: resource("a:b", "x", "csv"), ValueError, 'resource.mimeType: "csv" is not a MIME type'),
        (lambda: content.EmbeddedResource({}), TypeError, "expected TextContents or BlobContents, received object"),
    ],
)
def test_helpers_say_what_to_pass_instead(make: Any, error: type[Exception], fault: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert fault in str(caught.value)


def test_large_values_are_not_echoed() -> None:
    with pytest.raises(ValueError, match="not valid base64") as caught:
        image("%" * 1_000_000, "image/png")
    assert len(str(caught.value)) < 200
    with pytest.raises(ValueError, match="not an absolute URI") as caught:
        link("%" * 1_000_000, "n")
    assert len(str(caught.value)) < 300


def test_link_takes_options_in_both_spellings() -> None:
    expected = {
        "type": "resource_link",
        "uri": "file:///reports/q3.csv",
        "name": "q3.csv",
        "title": "Third quarter",
        "description": "Sales",
        "mimeType": "text/csv",
        "size": 5,
        "icons": [{"src": "a:b"}],
        "annotations": NOTED,
        "_meta": {"a": 1},
    }
    rest = {
        "title": "Third quarter",
        "description": "Sales",
        "size": 5,
        "icons": [{"src": "a:b"}],
        "annotations": NOTED,
    }
    uri, name = "file:///reports/q3.csv", "q3.csv"
    assert wire(link(uri, name, {"mimeType": "text/csv", "_meta": {"a": 1}, **rest})) == expected
    assert wire(link(uri, name, {"mime_type": "text/csv", "meta": {"a": 1}, **rest})) == expected
    assert wire(link(uri, name, mime_type="text/csv", meta={"a": 1}, **rest)) == expected  # type: ignore[arg-type]
    assert wire(link(uri, name, {"mimeType": "a/b", "title": None})) == {
        "type": "resource_link",
        "uri": uri,
        "name": name,
        "mimeType": "a/b",
    }


def test_resource_with_text_and_bytes() -> None:
    assert wire(resource("file:///a.txt", "hello", "text/plain", meta={"a": 1})) == {
        "type": "resource",
        "resource": {"uri": "file:///a.txt", "text": "hello", "mimeType": "text/plain"},
        "_meta": {"a": 1},
    }
    for data in (PNG, bytearray(PNG), memoryview(PNG)):
        assert wire(resource("file:///a.png", data, {"mimeType": "image/png", "annotations": NOTED})) == {
            "type": "resource",
            "resource": {"uri": "file:///a.png", "blob": ENCODED, "mimeType": "image/png"},
            "annotations": NOTED,
        }


def test_blocks_cannot_be_changed_into_bad_ones() -> None:
    with pytest.raises(AttributeError):
        text("x").text = 5  # type: ignore[assignment,misc]


def test_blocks_can_be_read_back() -> None:
    blocks = [text("a"), image(PNG, "image/png"), link("a:b", "n")]
    union = content.Text | content.Image | content.ResourceLink
    assert msgspec.json.decode(msgspec.json.encode(blocks), type=list[union]) == blocks


GOOD: list[dict[str, Any]] = [
    {"type": "text", "text": ""},
    {"type": "text", "text": "x", "annotations": NOTED, "_meta": {"a": 1}, "future": [1]},
    {"type": "image", "data": ENCODED, "mimeType": "image/png"},
    {"type": "audio", "data": ENCODED, "mimeType": "audio/wav; rate=8000"},
    {"type": "resource_link", "uri": "urn:x", "name": "n", "size": 0, "icons": []},
    {"type": "resource", "resource": {"uri": "a:b", "text": "x", "other": 1}},
    {"type": "resource", "resource": {"uri": "a:b", "blob": ENCODED, "mimeType": "a/b", "_meta": {}}},
]


@pytest.mark.parametrize("block", GOOD)
def test_good_dict_blocks_pass_unchanged(block: dict[str, Any]) -> None:
    before = json.dumps(block)
    assert check_block(block, "content[0]") is block
    assert json.dumps(block) == before
    assert is_block(block)


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        (
            {"type": "json", "json": {}},
            "content[1].type: expected one of text, image, audio, resource_link, resource, ",
        ),
        ({"type": "json", "json": {}}, 'received "json"'),
        ({"type": 5}, "content[1].type: expected one of text, image, audio, resource_link, resource, received number"),
        ({}, "content[1].type: expected one of text, image, audio, resource_link, resource, received nothing"),
        ({"type": "text"}, "content[1].text: missing"),
        ({"type": "text", "text": 5}, "content[1].text: expected string, received number"),
        ({"type": "text", "text": None}, "content[1].text: expected string, received null"),
        ({"type": "image", "data": b".."}, "content[1].mimeType: missing"),
        ({"type": "image", "mimeType": "image/png"}, "content[1].data: missing"),
        ({"type": "image", "data": ENCODED, "mimeType": 5}, "content[1].mimeType: expected string, received number"),
        ({"type": "image", "data": [1], "mimeType": "a/b"}, "content[1].data: expected bytes or a base64 string, rec"),
        ({"type": "text", "text": "x", "annotations": []}, "content[1].annotations: expected object, received array"),
        ({"type": "text", "text": "x", "_meta": 5}, "content[1]._meta: expected object, received number"),
        ({"type": "resource_link", "uri": "a:b"}, "content[1].name: missing"),
        ({"type": "resource"}, "content[1].resource: missing"),
        ({"type": "resource", "resource": "x"}, "content[1].resource: expected object, received string"),
        ({"type": "resource", "resource": {"uri": "a:b"}}, "content[1].resource: has neither text nor blob"),
        ({"type": "resource", "resource": {"text": "x"}}, "content[1].resource.uri: missing"),
        ({"type": "resource", "resource": {"uri": "a:b", "text": "x", "blob": ""}}, "has both text and blob"),
        ("just text", "content[1]: expected a content block, received string: use text(...)"),
        (5, "content[1]: expected a content block, received number"),
        (object(), "content[1]: expected a content block, received object"),
    ],
)
def test_bad_blocks_are_refused_by_index_and_key(block: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=r"^content\[1\]") as caught:
        check_block(block, "content[1]")
    assert fault in str(caught.value)


def test_bytes_in_dict_blocks_are_encoded_without_touching_the_dict() -> None:
    given = {"type": "image", "data": PNG, "mimeType": "image/png", "future": 1}
    assert check_block(given, "content[0]") == {**given, "data": ENCODED}
    assert given["data"] is PNG
    nested = {"type": "resource", "resource": {"uri": "a:b", "blob": memoryview(PNG)}}
    assert check_block(nested, "content[0]") == {"type": "resource", "resource": {"uri": "a:b", "blob": ENCODED}}
    struct = {"type": "resource", "resource": content.TextContents("a:b", "x")}
    assert check_block(struct, "content[0]") is struct


def test_none_for_an_optional_key_is_never_sent_as_null() -> None:
    given = {"type": "text", "text": "x", "annotations": None, "_meta": None, "future": None}
    assert check_block(given, "content[0]") == {"type": "text", "text": "x", "future": None}


@pytest.mark.parametrize(
    "value",
    [
        {"type": "text"},
        {"type": "text", "name": "a column"},
        {"type": "text", "text": "x"}["type"],
        {"type": "json", "json": {}},
        {"type": ["text"], "text": "x"},
        {"type": "image", "data": "x", "alt": "foreign key, no mimeType"},
        {"type": "resource_link", "name": "n"},
        {"text": "x"},
        None,
    ],
)
def test_data_that_only_resembles_a_block_is_not_taken_for_one(value: Any) -> None:
    assert not is_block(value)


def test_an_unfinished_block_is_taken_for_one_so_that_it_can_be_refused() -> None:
    assert is_block({"type": "image", "data": b".."})
    assert is_block({"type": "image", "data": "x", "mimeType": "y", "id": 5})


SCHEMAS = Path(__file__).parents[1] / "../shared/wire-schemas"


@pytest.mark.skipif(not SCHEMAS.exists(), reason="the wire schemas are not here")
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_every_block_fits_the_wire_schema(revision: str) -> None:
    document = json.loads((SCHEMAS / f"{revision}.json").read_text())
    validator = Draft202012Validator({"$ref": "#/$defs/ContentBlock", "$defs": document["$defs"]})
    helpers = [
        text("x", annotations=NOTED, meta={}),
        image(PNG, "image/png"),
        audio(PNG, "audio/wav"),
        link("a:b", "n", {"mimeType": "a/b", "size": 1, "icons": [{"src": "a:b"}]}),
        resource("a:b", "x"),
        resource("a:b", PNG, "a/b"),
    ]
    for block in [*map(wire, helpers), *GOOD]:
        validator.validate(block)
