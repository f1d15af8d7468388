"""`picomcp-py run FILE[:name]`: serve a file's server on stdin and stdout, or over HTTP.

How, the file's `serve()` says; `--port` and `--stdio` overrule it. Stdin and stdout are claimed before the file is
imported: what it prints goes to stderr, never to the client.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from typing import TYPE_CHECKING

import anyio
from msgspec.structs import replace

from ..handover import Offer
from ..transports.stdio.claim import Claim, claim_stdio
from .faults import OK, Fault
from .loading import load_server

if TYPE_CHECKING:
    from ..transports.http.options import HttpOptions


def run(options: argparse.Namespace) -> int:
    _log_to_stderr(options.log_level)
    with claim_stdio() as claim:
        offer = load_server(options.target)
        http = http_of(offer, options)
        if http is None:
            _serve_stdio(offer, options.target, claim)
    if http is not None:  # stdin and stdout are again what they were
        offer.server._run(http)
    return OK


def http_of(offer: Offer, options: argparse.Namespace) -> HttpOptions | None:
    """The options for HTTP, or None for stdio. Raises Fault."""
    asked = options.port is not None
    if options.stdio and (asked or options.host is not None):
        raise Fault("--stdio can't stand beside --port and --host")
    if options.stdio or (isinstance(offer.options, dict) and not asked):
        if options.host is not None:
            raise Fault("--host is for HTTP: add --port")
        return None
    from ..transports.http.options import HttpOptions

    http: HttpOptions = HttpOptions() if isinstance(offer.options, dict) else offer.options
    changes = {"port": options.port, "host": options.host}
    return replace(http, **{name: value for name, value in changes.items() if value is not None})


def _serve_stdio(offer: Offer, target: str, claim: Claim) -> None:
    if claim.stdin is not None and os.isatty(claim.stdin):
        print(
            f"Serving {target} on stdin and stdout: a client starts this command and speaks to it there. "
            "Ctrl-D ends it.",
            file=sys.stderr,
        )
    server = offer.server
    given = offer.options if isinstance(offer.options, dict) else {}
    anyio.run(lambda: server._serve_stdio(given, claim), backend=server._app.options.backend)


def _log_to_stderr(level: str) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("picomcp_py")
    logger.addHandler(handler)
    logger.setLevel(level.upper())
    logger.propagate = False  # the file may configure the root logger too: each line once
