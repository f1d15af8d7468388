"""`picomcp-py run FILE[:name]`: serve a file's server on stdin and stdout.

Stdin and stdout are claimed before the file is imported: what it prints goes to stderr, never to the client.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys

import anyio

from ..transports.stdio.claim import claim_stdio
from .faults import OK
from .loading import load_server


def run(options: argparse.Namespace) -> int:
    _log_to_stderr(options.log_level)
    with claim_stdio() as claim:
        offer = load_server(options.target)
        if claim.stdin is not None and os.isatty(claim.stdin):
            print(
                f"Serving {options.target} on stdin and stdout: a client starts this command and speaks to it there. "
                "Ctrl-D ends it.",
                file=sys.stderr,
            )
        server = offer.server
        anyio.run(lambda: server._serve_stdio(offer.options, claim), backend=server._app.options.backend)
    return OK


def _log_to_stderr(level: str) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("picomcp_py")
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    logger.propagate = False  # the file may configure the root logger too: each line once
