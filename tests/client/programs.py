"""Programs to be clients of: our own server, and small scripts that behave as the test says, well or badly."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
OWN = [sys.executable, str(HERE / "own_server.py")]
OFFICIAL = [sys.executable, str(HERE / "official_server.py")]

_PRELUDE = '''
import json, os, subprocess, sys, time

def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)

def send(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()

def reply(message, **result):
    send({"jsonrpc": "2.0", "id": message["id"], "result": result})

def refuse(message, code, text, data=None):
    send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": code, "message": text, "data": data}})

def initialize(revision="2025-11-25"):
    """The start of an old server: it refuses what it doesn't know, until it is initialized."""
    while True:
        message = read()
        if message["method"] == "initialize":
            reply(message, protocolVersion=revision, capabilities={"tools": {}}, serverInfo={"name": "old"})
        elif message["method"] == "notifications/initialized":
            return
        else:
            refuse(message, -32601, "Method not found")

def discover():
    """The start of a new server."""
    message = read()
    assert message["method"] == "server/discover", message
    reply(message, resultType="complete", supportedVersions=["2026-07-28"], capabilities={"tools": {}})

'''


def script(body: str) -> list[str]:
    """The command of a program that runs `body`, with the functions above at hand."""
    # -S -E: neither site-packages nor the environment, as it starts much faster.
    return [sys.executable, "-S", "-E", "-c", _PRELUDE + body]
