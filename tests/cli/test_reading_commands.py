"""`picomcp-py list`, `read` and `prompt` of a server with resources and prompts: what they print, and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.programs import COMMAND, LIBRARY, run
from tests.cli.test_terminal import ESCAPES, on_terminal

LISTED = """\
Library 2.0, 2 resources, 1 resource template, 1 prompt (protocol 2026-07-28)

Resources:

note://one  One  [text/plain, 12 bytes]
  The first note.

note://picture  picture  [image/png]

Resource templates:

note://by/{author}  by
  All.

Prompts:

summary  Sum up
  Sum up.
  argument            description
  text      required  what
  style
"""


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_list_shows_what_there_is_under_headings(tmp_path: Path, revision: str) -> None:
    done = run("list", "--revision", revision, "--", *LIBRARY, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, LISTED.replace("2026-07-28", revision), "")


def test_list_json_has_every_list(tmp_path: Path) -> None:
    done = run("list", "--json", "--", *LIBRARY, cwd=tmp_path)
    found = json.loads(done.stdout)
    assert list(found) == ["tools", "resources", "resourceTemplates", "prompts"]
    assert found["tools"] == []
    assert [resource["uri"] for resource in found["resources"]] == ["note://one", "note://picture"]
    assert found["resourceTemplates"] == [{"uriTemplate": "note://by/{author}", "name": "by", "description": "All."}]
    assert found["prompts"][0]["arguments"][0] == {"name": "text", "description": "what", "required": True}


def piped(*words: str, cwd: Path) -> tuple[int, bytes, bytes]:
    done = subprocess.run([*COMMAND, *words, "--", *LIBRARY], cwd=cwd, capture_output=True, timeout=50, check=False)
    return done.returncode, done.stdout, done.stderr


def test_a_pipe_gets_a_resource_byte_for_byte(tmp_path: Path) -> None:
    assert piped("read", "note://one", cwd=tmp_path) == (0, "first\nnöte \x1b[31m".encode(), b"")
    assert piped("read", "note://picture", cwd=tmp_path) == (0, b"\x89PNG\r\n\x00\xff", b"")
    assert piped("read", "note://both", cwd=tmp_path) == (0, b"a\r\n\xffc", b"")
    assert piped("read", "note://nothing", cwd=tmp_path) == (0, b"", b"note://nothing holds nothing\n")


def test_read_json_is_exact(tmp_path: Path) -> None:
    for revision in ("stateless", "handshake"):
        done = run("read", "--json", "--revision", revision, "note://picture", "--", *LIBRARY, cwd=tmp_path)
        (content,) = json.loads(done.stdout)["contents"]
        assert content == {"uri": "note://picture", "mimeType": "image/png", "blob": "iVBORw0KAP8="}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_a_terminal_gets_text_that_steers_nothing_and_no_bytes(tmp_path: Path) -> None:
    shown = on_terminal(["read", "note://one", "--", *LIBRARY], tmp_path, {"NO_COLOR": "1"})
    assert shown.splitlines() == ["first", "nöte \\x1b[31m"]
    shown = on_terminal(["read", "note://both", "--", *LIBRARY], tmp_path, {})
    assert ESCAPES.sub("", shown).splitlines() == ["a", "[?, 1 bytes: send it to a file or a program]", "c"]
    shown = on_terminal(["read", "note://picture", "--", *LIBRARY], tmp_path, {})
    assert "[image/png, 8 bytes: send it to a file or a program]" in ESCAPES.sub("", shown)


PROMPT = """\
Sum up.

user:
  Sum up:
  {"text": "a=b", "style": "x"}\\x1b[31m

assistant:
  [image: image/png, 3 bytes]
"""


def test_prompt_prints_who_says_what(tmp_path: Path) -> None:
    for words in (['{"text": "a=b", "style": "x"}'], ["--arg", "text=a=b", "--arg", "style=x"]):
        assert piped("prompt", "summary", *words, cwd=tmp_path) == (0, PROMPT.encode(), b"")
    done = run("prompt", "summary", "-", "--arg", "style=x", "--", *LIBRARY, cwd=tmp_path, stdin='{"text": "a=b"}')
    assert done.stdout == PROMPT


def test_prompt_json_is_exact(tmp_path: Path) -> None:
    done = run("prompt", "--json", "--era", "handshake", "summary", "--", *LIBRARY, cwd=tmp_path)
    found = json.loads(done.stdout)
    assert list(found) == ["description", "messages"]
    assert found["messages"][0]["content"]["text"] == "Sum up:\nnull\x1b[31m"


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["read", "note://none"], 3, "the server answered with an error: unknown: 'note://none' (-32602)"),
        (["read", "note://bad"], 3, "The blob of a resource is not base64"),
        (["prompt", "none"], 3, "the server answered with an error: unknown: 'prompts/get' (-32602)"),
        (["read", "a:b", "more"], 2, "too many words after the URI: 'more'"),
        (["prompt", "summary", "{}", "more"], 2, "too many words after the prompt: 'more'"),
        (["prompt", "summary", '{"n": 1}'], 2, 'are strings: write {"n": "..."} or --arg n=...'),
        (["prompt", "summary", "[]"], 2, "the arguments must be a JSON object"),
        (["prompt", "summary", "--arg", "=x"], 2, "--arg '=x' is not key=value"),
    ],
)
def test_failures_say_what_is_wrong(tmp_path: Path, words: list[str], code: int, text: str) -> None:
    done = run(*words, "--", *LIBRARY, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert text in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("verb", ["read", "prompt"])
def test_a_target_alone_is_not_enough_and_help_says_what_is(tmp_path: Path, verb: str) -> None:
    done = run(verb, "server.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"picomcp-py {verb} FILE " in done.stderr
    assert '"nowhere.py" is not there' in run(verb, "nowhere.py", "x:y", cwd=tmp_path).stderr
    done = run(verb, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert f"  picomcp-py {verb} server.py" in done.stdout
    assert "exit codes:" in done.stdout
