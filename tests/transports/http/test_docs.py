"""docs/http.md: its table has the options and defaults that there are, and its Python works."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi import FastAPI

from picomcp_py import pico
from picomcp_py.transports.http import event_store, options, rules

PAGE = (Path(__file__).parents[3] / "docs" / "http.md").read_text(encoding="utf-8")
WORDS = " ".join(PAGE.split())


def test_the_table_has_every_option_and_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE, re.MULTILINE))
    assert set(rows) == set(options.KEYS) - {"host", "port"}
    default = options.HttpOptions()
    assert rows["path"] == f'`"{default.path}"`'
    assert rows["sessions"] == f"`{default.sessions}`"
    assert rows["maxSessions"].replace(" ", "") == str(default.max_sessions)
    assert rows["sessionIdleSeconds"].replace(" ", "") == str(int(default.session_idle_seconds))
    assert rows["maxBodyBytes"] == f"{options.MAX_BODY_BYTES // 1024**2} MiB"
    assert rows["keepAliveSeconds"] == str(int(options.KEEP_ALIVE_SECONDS))
    assert default.allowed_hosts is default.allowed_origins is default.cors is None


def test_the_numbers_in_the_text_are_those_of_the_code() -> None:
    assert f"may be {rules.MAX_HEADERS} and {rules.MAX_HEADER_BYTES // 1024} KiB" in WORDS
    each, total = event_store.MAX_BYTES // 1024**2, event_store.MAX_TOTAL_BYTES // 1024**2
    assert f"holds 1 000 events and {each} MiB a session, {total} MiB in all" in WORDS
    assert event_store.MAX_EVENTS == 1000


def test_the_code_on_the_page_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(block, {"server": pico({"name": "test"}), "FastAPI": FastAPI})
