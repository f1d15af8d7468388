"""Whatever path is asked for, nothing outside of the folder is read, and nothing of it that isn't to be served."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from picomcp_py.errors import ConfigError
from picomcp_py.offered import folder as folder_module
from picomcp_py.offered.files import NotServed, open_and_compare, open_from_directory
from picomcp_py.offered.folder import Folder, iso_utc

posix = pytest.mark.skipif(os.name == "nt", reason="links and FIFOs of POSIX")

SECRET = b"SECRET"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with files to be served, others that are not, and secrets around it."""
    made = tmp_path / "root"
    (made / "sub" / "deep").mkdir(parents=True)
    (made / ".git").mkdir()
    for path in ("a.md", "b c%20d#e.txt", "sub/a.md", "sub/deep/\xe9.txt"):
        (made / path).write_bytes(path.encode())
    for secret in (".env", ".git/config", "sub/.hidden", "../secret.txt", "../root.txt", "../rooted"):
        (made / secret).write_bytes(SECRET)
    return made


SERVED = ["a.md", "b c%20d#e.txt", "sub/a.md", "sub/deep/\xe9.txt"]


def refused(root: Path, path: Any) -> None:
    folder = Folder(root)
    for method in (folder.read, folder.resolve, folder.open):
        with pytest.raises(NotServed) as caught:
            method(path)
        assert not caught.value.args


def test_its_files_are_read_by_their_relative_paths(root: Path) -> None:
    folder = Folder(root)
    for path in SERVED:
        assert folder.read(path) == path.encode()
        assert folder.resolve(path) == Path(os.path.realpath(root), path)
    assert [found.path for found in folder.walk()] == SERVED


@pytest.mark.parametrize(
    "path",
    [
        *("", ".", "..", "/", "//", "a.md/", "/a.md", "./a.md", "sub/", "sub//a.md", "sub/./a.md", "sub/../a.md"),
        *("../secret.txt", "../root.txt", "../rooted", "../root/a.md", "sub/../../secret.txt", "..a", "sub/.."),
        *("..\\secret.txt", "sub\\a.md", "\\a.md", "\\\\host\\share", "//host/share", "C:/a.md", "c:a.md", "C:"),
        *("a.md\0", "\0", "a.md\n", "a\x7f", "a\x85", "\x1b[31m", "\ud800", "a.md\udc80", "a.md\0.txt"),
        *(".env", ".git/config", "sub/.hidden", ".git", "sub", "sub/deep", "none", "a.md/x", "sub/none/x"),
        *("%2e%2e/secret.txt", "..%2fsecret.txt", "%2e%2e%2fsecret.txt", "a.md%00", "A" * 300, "a/" * 3000 + "x"),
        *("~", "~/x", "$HOME", "\uff0e\uff0e/secret.txt", "..\u2215secret.txt", "\u2024\u2024/secret.txt"),
        *(None, 5, b"a.md", ["a.md"]),
    ],
)
def test_a_path_that_is_none_of_its_files_is_refused(root: Path, path: Any) -> None:
    refused(root, path)


@posix
def test_a_file_whose_name_no_path_may_have_is_not_served(root: Path) -> None:
    for name in ("a\\b", "sub\\a.md", "C:", "c:a.md", "a\nb", "a\x7f", "\x85"):
        (root / name).write_bytes(SECRET)
        refused(root, name)
    assert [found.path for found in Folder(root).walk()] == SERVED


def test_an_absolute_path_is_refused_even_into_the_folder(root: Path) -> None:
    refused(root, str(root / "a.md"))
    refused(root, str(root.parent / "secret.txt"))


_INSIDE = ("sub", "deep", "a.md", ".env", ".git", "config", "out", "in", "loop", "up")
_OUTSIDE = ("..", "/", "\\", "secret.txt", "root", "rooted", "C:", "~", "%2e", "\0", "\ud800", ".", "", " ")
_piece = st.one_of(st.sampled_from(_INSIDE), st.sampled_from(_OUTSIDE), st.text(max_size=4))


@posix
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(_piece, max_size=8), st.sampled_from(["/", "/", "\\", ""]), st.sampled_from(["", "", "/"]))
def test_whatever_is_asked_for_nothing_else_is_ever_read(root: Path, pieces: list[str], joint: str, lead: str) -> None:
    for name, target in (("out", ".."), ("in", "sub"), ("loop", "loop"), ("up", "sub/deep/../../../secret.txt")):
        if not (root / name).is_symlink():
            (root / name).symlink_to(target)
    try:
        data = Folder(root).read(lead + joint.join(pieces))
    except NotServed:
        return
    assert data in [path.encode() for path in SERVED]


# ---- links ----


@posix
def test_a_link_is_followed_as_far_as_the_folder_goes(root: Path) -> None:
    (root / "latest").symlink_to("sub/a.md")
    (root / "absolute").symlink_to(root / "sub" / "a.md")
    (root / "sub" / "up").symlink_to("../a.md")
    (root / "linked").symlink_to("sub", target_is_directory=True)
    folder = Folder(root)
    assert folder.read("latest") == folder.read("absolute") == folder.read("linked/a.md") == b"sub/a.md"
    assert folder.read("sub/up") == b"a.md"
    assert folder.resolve("latest") == Path(os.path.realpath(root), "sub", "a.md")
    listed = [found.path for found in folder.walk()]
    assert {"latest", "absolute", "sub/up"} < set(listed)
    assert not [path for path in listed if path.startswith("linked")]  # read, but not listed twice


@posix
def test_a_link_that_leads_elsewhere_is_refused(root: Path) -> None:
    links = {
        "out": "../secret.txt",
        "absolute": str(root.parent / "secret.txt"),
        "beside": "../rooted",
        "hidden": ".env",
        "inside": ".git/config",
        "dangling": "none",
        "loop": "loop",
        "null": os.devnull,
        "through": "parent/secret.txt",
    }
    (root.parent / "toor").mkdir()
    (root.parent / "toor" / "a.md").write_bytes(SECRET)
    links["same_length"] = "../toor/a.md"
    (root / "parent").symlink_to("..", target_is_directory=True)
    (root / "repo").symlink_to(".git", target_is_directory=True)
    for name, target in links.items():
        (root / name).symlink_to(target)
    for path in (*links, "parent/secret.txt", "repo/config", "parent", "repo"):
        refused(root, path)
    assert Folder(root).read("parent/root/a.md") == b"a.md"  # out and in again
    assert [found.path for found in Folder(root).walk()] == SERVED
    assert Folder(root).complete("") == SERVED


@posix
def test_the_folder_itself_may_be_a_link_that_is_changed(root: Path, tmp_path: Path) -> None:
    current = tmp_path / "current"
    current.symlink_to(root, target_is_directory=True)
    folder = Folder(current)
    assert folder.read("a.md") == b"a.md"
    (tmp_path / "v2").mkdir()
    (tmp_path / "v2" / "a.md").write_bytes(b"2")
    current.unlink()
    current.symlink_to(tmp_path / "v2", target_is_directory=True)
    assert folder.read("a.md") == b"2"


@posix
@pytest.mark.parametrize("opening", [open_from_directory, open_and_compare])
def test_a_link_that_was_slipped_in_after_the_check_is_refused(
    root: Path, opening: Callable[[str, list[str]], BinaryIO]
) -> None:
    """What was checked is a path without links; this is what opens it, when a part has become one."""
    real = os.path.realpath(root)
    with opening(real, ["sub", "a.md"]) as file:
        assert file.read() == b"sub/a.md"
    os.rename(root / "sub", root / "moved")
    (root.parent / "deep").mkdir()
    (root.parent / "a.md").write_bytes(SECRET)
    (root / "sub").symlink_to("..", target_is_directory=True)
    (root / "last").symlink_to("../secret.txt")
    for parts in (["sub", "a.md"], ["last"]):
        with pytest.raises((OSError, NotServed)):
            opening(real, parts)


# ---- other kinds of files ----


@posix
@pytest.mark.parametrize("opening", [open_from_directory, open_and_compare])
def test_what_is_no_regular_file_is_refused_without_waiting(
    root: Path, opening: Callable[[str, list[str]], BinaryIO]
) -> None:
    os.mkfifo(root / "pipe")
    (root / "to_pipe").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(root)  # a socket's path is short
        try:
            listener.bind("socket")
        finally:
            os.chdir(here)
        for path in ("pipe", "to_pipe", "socket"):
            refused(root, path)
        for path in ("pipe", "socket", "sub"):
            with pytest.raises(NotServed):
                opening(os.path.realpath(root), [path])
    assert [found.path for found in Folder(root).walk()] == SERVED


def test_a_file_that_is_gone_since_is_refused(root: Path) -> None:
    folder = Folder(root)
    (root / "a.md").unlink()
    with pytest.raises(NotServed):
        folder.read("a.md")


def test_a_folder_that_is_gone_since_has_no_files(root: Path) -> None:
    folder = Folder(root)
    os.rename(root, root.parent / "elsewhere")
    assert folder.walk() == []
    with pytest.raises(NotServed):
        folder.read("a.md")


def test_a_folder_is_a_directory_that_exists(root: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        Folder(root / "none")
    with pytest.raises(ConfigError, match="is not a directory"):
        Folder(root / "a.md")


# ---- lists ----


def test_a_walk_tells_size_and_time_in_utc(root: Path) -> None:
    os.utime(root / "a.md", (0, 1768230058))
    found = Folder(root).walk()[0]
    assert found == ("a.md", 4, "2026-01-12T15:00:58Z")


def test_a_time_that_no_date_has_is_left_out() -> None:
    assert iso_utc(0.9) == "1970-01-01T00:00:00Z"
    assert iso_utc(1e15) is None


@posix
def test_a_name_that_is_not_utf8_is_not_listed(root: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(root) + b"/\xff.txt")).write_bytes(b"x")
    except OSError:
        pytest.skip("a file system of Unicode names only")
    assert [found.path for found in Folder(root).walk()] == SERVED


def test_paths_are_in_order_of_their_text(tmp_path: Path) -> None:
    paths = ["a", "a-b/x", "a.b", "a0", "ab/c/d", "ab/c.d", "B/x"]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"")
    assert [found.path for found in Folder(tmp_path).walk()] == sorted(paths)


def test_completion_gives_the_paths_with_that_beginning(root: Path) -> None:
    folder = Folder(root)
    assert folder.complete("") == SERVED
    assert folder.complete("sub") == folder.complete("sub/") == ["sub/a.md", "sub/deep/\xe9.txt"]
    assert folder.complete("sub/d") == folder.complete("sub/deep/") == ["sub/deep/\xe9.txt"]
    assert folder.complete("a") == folder.complete("a.md") == ["a.md"]
    for nothing in ("x", "..", "../", "/", ".", ".git/", "sub/../", "a.md/", "\0", "\ud800"):
        assert folder.complete(nothing) == []


def test_lists_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    for n in range(6):
        (tmp_path / f"{n}.md").write_bytes(b"")
        (tmp_path / f"d{n}").mkdir()
        (tmp_path / f"d{n}" / "x").write_bytes(b"")
    monkeypatch.setattr(folder_module, "MAX_LISTED", 4)
    assert Folder(tmp_path).complete("") == ["0.md", "1.md", "2.md", "3.md"]
    assert caplog.messages == ["a folder has more than 4 files: the others are not listed"]
    caplog.clear()
    monkeypatch.setattr(folder_module, "MAX_LISTED", 100)
    assert len(Folder(tmp_path).walk()) == 12
    assert not caplog.messages
    monkeypatch.setattr(folder_module, "MAX_LOOKED_AT", 14)
    assert len(Folder(tmp_path).walk()) == 8
    assert caplog.messages == ["a folder has 14 entries and more: some are not listed"]
