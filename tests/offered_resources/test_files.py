"""Resources that are files: `file` and `folder` of a config, their types, sizes, lists and completions."""

from __future__ import annotations

import base64
import errno
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from picomcp_py import McpError
from picomcp_py.errors import INTERNAL_ERROR, INVALID_PARAMS
from picomcp_py.offered.files import MAX_FILE_BYTES, NotServed, open_file, read_file, without_paths
from picomcp_py.offered.job import Errand
from picomcp_py.offered.mime import by_name
from picomcp_py.offered.resource import Resource, ResourceTemplate
from tests.offered_resources.reading import failure, finished, listed, read

TEMPLATE = "docs:///{+path}"


def one(path: Path, **config: Any) -> Any:
    (contents,) = read("note://x", {"file": path, **config})["contents"]
    assert contents.pop("uri") == "note://x"
    return contents


@pytest.mark.parametrize(
    ("name", "data", "mime", "form"),
    [
        ("a.md", b"# \xc3\xa9\r\n", "text/markdown", "text"),
        ("a.md", b"\xff", "text/markdown", "blob"),
        ("a.json", b"{}", "application/json", "text"),
        ("a.svg", b"<svg/>", "image/svg+xml", "text"),
        ("a.yaml", b"a: 1", "application/yaml", "text"),
        ("a.ts", b"let x", "text/x-typescript", "text"),
        ("a.PNG", b"abc", "image/png", "blob"),
        ("a.pdf", b"abc", "application/pdf", "blob"),
        ("a.tar.gz", b"abc", "application/gzip", "blob"),
        ("a.json.gz", b"abc", "application/gzip", "blob"),
        ("LICENSE", b"free", "text/plain", "text"),
        ("LICENSE", b"", "text/plain", "text"),
        ("thing", b"a\0b", "application/octet-stream", "blob"),
        ("thing", b"\xff\xd8\xff", "image/jpeg", "blob"),
    ],
)
def test_a_file_is_text_if_its_type_and_its_bytes_say_so(
    tmp_path: Path, name: str, data: bytes, mime: str, form: str
) -> None:
    (tmp_path / name).write_bytes(data)
    value = data.decode() if form == "text" else base64.b64encode(data).decode()
    assert one(tmp_path / name) == {"mimeType": mime, form: value}
    folder = read(TEMPLATE, {"folder": tmp_path}, f"docs:///{name}")
    assert folder == {"contents": [{"uri": f"docs:///{name}", "mimeType": mime, form: value}]}


def test_the_declared_type_decides_over_the_name(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"abc")
    assert one(tmp_path / "a.bin") == {"mimeType": "application/octet-stream", "blob": "YWJj"}
    assert one(tmp_path / "a.bin", mimeType="text/csv; header=absent") == {
        "mimeType": "text/csv; header=absent",
        "text": "abc",
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [("x/a.md", "text/markdown"), ("data:,a", None), (".md", None), ("a.tgz", "application/gzip"), ("a.unknown", None)],
)
def test_a_name_tells_the_type(name: str, kind: str | None) -> None:
    assert by_name(name) == kind


def test_a_file_is_read_anew_each_time_and_may_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("1")
    made = Resource("note://x", {"file": "a.txt"})
    monkeypatch.chdir("/")
    assert finished(made.reading("note://x", None, None))["contents"][0]["text"] == "1"
    (tmp_path / "a.txt").write_text("2")
    assert finished(made.reading("note://x", None, None))["contents"][0]["text"] == "2"
    (tmp_path / "a.txt").unlink()
    with pytest.raises(McpError) as caught:
        finished(made.reading("note://x", None, None))
    assert (caught.value.code, caught.value.data) == (INVALID_PARAMS, {"uri": "note://x"})
    assert str(tmp_path) not in str(caught.value)


def test_reading_a_file_runs_in_a_worker_thread(tmp_path: Path) -> None:
    made = ResourceTemplate(TEMPLATE, {"folder": tmp_path})
    listing = made.listing()
    assert listing is not None
    assert listing.threaded
    assert made.reading("docs:///x", {"path": "x"}, None).threaded


@pytest.mark.parametrize(
    "path", ["../a", "%2e%2e/a", "..%2Fa", ".env", "sub", "none", "/a.md", "%2Fa.md", "a.md%00", "a%5Cb", "a.md/"]
)
def test_what_a_folder_does_not_serve_is_not_found_and_says_no_more(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("a")
    (root / ".env").write_text("secret")
    (tmp_path / "a").write_text("secret")
    made = ResourceTemplate(TEMPLATE, {"folder": root})
    uri = f"docs:///{path}"
    params = made.template.match(uri)
    if params is not None:
        error = failure(TEMPLATE, {"folder": root}, uri)
        assert (error.code, error.data) == (INVALID_PARAMS, {"uri": uri})
        assert error.message == f"Resource not found: {uri}"
        assert str(tmp_path) not in error.message


def test_a_folder_lists_its_files_with_uris_that_read_them(tmp_path: Path) -> None:
    names = ["a.md", "b c%20d#e?f.txt", "sub/z", "sub/\xe9 [x].png"]
    (tmp_path / "sub").mkdir()
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
        os.utime(tmp_path / name, (0, 1768230058))
    for template in (TEMPLATE, "docs://{path}", "docs://x/{path}/content", "docs://x{?path}"):
        config = {"folder": tmp_path, "description": "d", "annotations": {"priority": 0.5}}
        entries = listed(template, config)
        assert [entry["name"] for entry in entries] == names
        for entry in entries:
            (contents,) = read(template, config, entry["uri"])["contents"]
            data = contents["text"].encode() if "text" in contents else base64.b64decode(contents["blob"])
            assert data == entry["name"].encode()
            assert contents["mimeType"] == entry.get("mimeType", "text/plain")
    assert listed(TEMPLATE, {"folder": tmp_path, "description": "d", "annotations": {"priority": 0.5}})[3] == {
        "uri": "docs:///sub/%C3%A9%20%5Bx%5D.png",
        "name": "sub/\xe9 [x].png",
        "description": "d",
        "mimeType": "image/png",
        "size": 14,
        "annotations": {"priority": 0.5, "lastModified": "2026-01-12T15:00:58Z"},
    }


def test_a_folder_with_one_type_declares_it_for_all(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    config = {"folder": str(tmp_path), "mimeType": "text/markdown"}
    assert listed(TEMPLATE, config)[0]["mimeType"] == "text/markdown"
    assert read(TEMPLATE, config, "docs:///a.txt")["contents"][0]["mimeType"] == "text/markdown"


def test_a_query_that_is_absent_names_no_file(tmp_path: Path) -> None:
    assert failure("docs://x{?path}", {"folder": tmp_path}, "docs://x").data == {"uri": "docs://x"}


def test_the_path_of_a_folder_is_completed(tmp_path: Path) -> None:
    for name in ("alpha.md", "alps.md", "beta.md"):
        (tmp_path / name).write_text("")
    job = ResourceTemplate(TEMPLATE, {"folder": tmp_path}).completer.completing("path", "alp")
    assert isinstance(job, Errand)
    assert finished(job)["completion"]["values"] == ["alpha.md", "alps.md"]
    own = ResourceTemplate(TEMPLATE, {"folder": tmp_path, "complete": {"path": ["x", "y"]}})
    assert own.completer.completing("path", "x") == {"completion": {"values": ["x"], "total": 1, "hasMore": False}}


# ---- sizes and kinds ----


@pytest.fixture
def huge(tmp_path: Path) -> Path:
    """A sparse file of one byte too many."""
    with (tmp_path / "huge.bin").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    return tmp_path / "huge.bin"


def test_a_file_that_is_too_large_is_an_error_that_names_the_bound(huge: Path) -> None:
    said = "The file is too large: at least 67108865 bytes, at most 67108864 (64 MiB) are served"
    for error in (
        failure("note://x", {"file": huge}),
        failure(TEMPLATE, {"folder": huge.parent}, "docs:///huge.bin"),
        failure("note://x", {"read": lambda: huge}),
    ):
        assert (error.code, error.message) == (INTERNAL_ERROR, said)
    assert [entry["size"] for entry in listed(TEMPLATE, {"folder": huge.parent})] == [MAX_FILE_BYTES + 1]


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="files without a size are of Linux")
def test_a_file_of_the_kernel_that_has_no_size_is_read_to_its_end() -> None:
    assert read_file("/proc/self/status").startswith(b"Name:")
    assert len(read_file("/proc/self/status")) > 100


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs are of POSIX")
def test_opening_what_is_no_regular_file_never_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for path in (tmp_path / "pipe", tmp_path / "link", tmp_path, tmp_path / "none", os.devnull, "a\0b", "x" * 999):
        with pytest.raises(NotServed):
            open_file(path)
    error = failure("note://x", {"read": lambda: tmp_path / "pipe"})
    assert error.message == "Resource not found: note://x"


def test_an_error_of_the_disk_is_told_without_the_path(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "picomcp_py"), pytest.raises(McpError) as caught, without_paths():
        raise OSError(errno.EIO, os.strerror(errno.EIO), "secret/place")
    assert caught.value.message == f"The file could not be read: {os.strerror(errno.EIO)}"
    assert "secret/place" in caplog.text


def test_a_file_that_may_not_be_read_is_as_good_as_not_there() -> None:
    with pytest.raises(NotServed), without_paths():
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "secret/place")
