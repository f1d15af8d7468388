"""The command line: its words and options, and what becomes of a failure."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from ..protocol.methods import LOG_LEVELS
from .faults import OUTPUT_CLOSED, describe
from .output import never_fail, tell
from .target import port, revision, seconds

EXIT_CODES = """exit codes:
  0  it worked
  1  the tool was called and reports an error
  2  the command line, or the file that it names, can't be used
  3  the server can't be reached, ended, or answered with a protocol error
"""
EXAMPLES = """examples:
  picomcp-py run server.py                                       serve it on stdin and stdout
  picomcp-py run server.py --port 3000                           serve it over HTTP
  picomcp-py list server.py                                      what tools does it have?
  picomcp-py call server.py forecast '{"city": "Lyon"}'          call one
  picomcp-py call forecast --arg city=Lyon -- npx -y weather     the same of any MCP server
  picomcp-py list http://localhost:3000/mcp                      and of one that is running
"""
RUN = """Serve a Python file's server on stdin and stdout, or with --port over HTTP, at /mcp.

FILE is imported. Served is what its serve() hands over, or else the variable server, app or mcp, or its only Server;
FILE:name says which, and name may be a function that makes one. What the file prints while it is imported goes to
stderr. Options that serve() was given count, unless they are said here. HTTP needs the extra: picomcp-py[http].
"""
RUN_EXAMPLES = """examples:
  picomcp-py run server.py
  picomcp-py run server.py:make_server
  picomcp-py run server.py --port 3000
"""
LIST = """List the tools of a server. FILE is a Python file with a server, see `picomcp-py run --help`; any other server
is a command after --. It is started for this, with the environment of the shell, and ended. A server that is running
already is named by its URL, for which the extra picomcp-py[client] is needed.
"""
LIST_EXAMPLES = """examples:
  picomcp-py list server.py
  picomcp-py list --json server.py
  picomcp-py list --revision handshake -- npx -y weather
  picomcp-py list http://localhost:3000/mcp --header "Authorization: Bearer $TOKEN"
"""
CALL = """Call a tool and print its result. The arguments are a JSON object, given as text or, with -, on stdin. FILE is
a Python file with a server, see `picomcp-py run --help`; any other server is a command after --, or the URL of one that
is running.

The result goes to stdout; progress, log messages and errors go to stderr.
"""
CALL_EXAMPLES = """examples:
  picomcp-py call server.py forecast '{"city": "Lyon"}'
  picomcp-py call server.py forecast --arg city=Lyon
  picomcp-py call server.py forecast - < arguments.json
  picomcp-py call forecast '{"city": "Lyon"}' -- npx -y weather
  picomcp-py call http://localhost:3000/mcp forecast '{"city": "Lyon"}'
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; gives its exit code. Raises SystemExit as argparse does, and after a signal to `run`."""
    words, command = split_command(list(sys.argv[1:] if argv is None else argv))
    options = make_parser().parse_args(words)
    options.command_words = command or []
    for stream in (sys.stdout, sys.stderr):
        never_fail(stream)
    try:
        if command is not None and not command:
            options.parser.error("there is no command after --")
        return _do(options)
    except BrokenPipeError:
        _silence_stdout()
        return OUTPUT_CLOSED
    except (Exception, KeyboardInterrupt) as error:
        if options.debug:
            traceback.print_exc()
        text, code = describe(error)
        tell(f"picomcp-py: {text}")
        return code


def split_command(argv: list[str]) -> tuple[list[str], list[str] | None]:
    """What stands before the first `--`, and the command behind it; None without one."""
    if "--" not in argv:
        return argv, None
    at = argv.index("--")
    return argv[:at], argv[at + 1 :]


def _do(options: argparse.Namespace) -> int:
    if options.verb == "run":
        if options.command_words:
            options.parser.error("run takes a Python file; a command is already a server")
        from .run import run

        return run(options)
    import anyio

    if options.verb == "list":
        if options.command_words and options.target is not None:
            options.parser.error("give a file or a command after --, not both")
        from .list_tools import list_tools

        return anyio.run(list_tools, options)
    from .call import call

    return anyio.run(call, options)


def make_parser() -> argparse.ArgumentParser:
    about = _texts("Run MCP servers, list their tools and call them.", f"{EXAMPLES}\n{EXIT_CODES}")
    parser = argparse.ArgumentParser("picomcp-py", **about)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="run | list | call")
    run = verbs.add_parser("run", help="serve a Python file's server on stdio or HTTP", **_texts(RUN, RUN_EXAMPLES))
    run.add_argument("target", metavar="FILE[:name]")
    run.add_argument("--port", type=port, default=None, metavar="N", help="serve over HTTP; 0 takes any that is free")
    run.add_argument("--host", default=None, help="with --port, the address to listen on (127.0.0.1)")
    run.add_argument("--stdio", action="store_true", help="serve on stdin and stdout, whatever the file says")
    run.add_argument(
        "--log-level", default="info", choices=("debug", "info", "warning", "error"), help="of the log on stderr (info)"
    )
    listing = verbs.add_parser(
        "list", help="list the tools of a server", **_texts(LIST, LIST_EXAMPLES + "\n" + EXIT_CODES)
    )
    listing.usage = "picomcp-py list [options] (FILE[:name] | URL | -- COMMAND ...)"
    listing.add_argument("target", metavar="FILE[:name] | URL", nargs="?")
    _add_client_options(listing)
    calling = verbs.add_parser(
        "call", help="call a tool and print its result", **_texts(CALL, CALL_EXAMPLES + "\n" + EXIT_CODES)
    )
    calling.usage = "picomcp-py call [options] ((FILE[:name] | URL) TOOL [JSON] | TOOL [JSON] -- COMMAND ...)"
    calling.add_argument("words", metavar="(FILE | URL) TOOL [JSON]", nargs="+")
    calling.add_argument(
        "--arg", metavar="KEY=VALUE", action="append", default=[], help="an argument that is a string; may be repeated"
    )
    _add_client_options(calling)
    for one in (run, listing, calling):
        one.add_argument("--debug", action="store_true", help="show the traceback of a failure")
        one.set_defaults(parser=one)
    return parser


def _add_client_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print exact JSON, for programs")
    parser.add_argument(
        "--revision", "--era", type=revision, default=None, metavar="REVISION",
        help="speak 2026-07-28 or an older one, or the newest of an era: handshake, stateless (found out by asking)",
    )  # fmt: skip
    parser.add_argument(
        "--header", action="append", default=[], metavar="NAME:VALUE", help="send it to the URL; may be repeated"
    )
    parser.add_argument("--timeout", type=seconds, default=60.0, metavar="SECONDS", help="for each request (60)")
    parser.add_argument("--log-level", choices=LOG_LEVELS, default=None, help="ask the server for its log messages")


def _texts(description: str, epilog: str) -> dict[str, Any]:
    return {
        "description": description,
        "epilog": epilog,
        "formatter_class": argparse.RawDescriptionHelpFormatter,  # keeps the lines of the examples
    }


def _silence_stdout() -> None:
    # The interpreter flushes stdout once more at its end, and would complain.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
