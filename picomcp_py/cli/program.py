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
from .help_texts import (
    CALL,
    CALL_EXAMPLES,
    EXAMPLES,
    EXIT_CODES,
    LIST,
    LIST_EXAMPLES,
    PROMPT,
    PROMPT_EXAMPLES,
    READ,
    READ_EXAMPLES,
    RUN,
    RUN_EXAMPLES,
)
from .output import never_fail, tell
from .target import port, revision, seconds


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
        from .listing import list_all

        return anyio.run(list_all, options)
    if options.verb == "read":
        from .read import read

        return anyio.run(read, options)
    if options.verb == "prompt":
        from .prompt import prompt

        return anyio.run(prompt, options)
    from .call import call

    return anyio.run(call, options)


def make_parser() -> argparse.ArgumentParser:
    about = _texts(
        "Run MCP servers, list what they have, call their tools, read their resources, get their prompts.",
        f"{EXAMPLES}\n{EXIT_CODES}",
    )
    parser = argparse.ArgumentParser("picomcp-py", **about)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="run | list | call | read | prompt")
    run = verbs.add_parser("run", help="serve a Python file's server on stdio or HTTP", **_texts(RUN, RUN_EXAMPLES))
    run.add_argument("target", metavar="FILE[:name]")
    run.add_argument("--port", type=port, default=None, metavar="N", help="serve over HTTP; 0 takes any that is free")
    run.add_argument("--host", default=None, help="with --port, the address to listen on (127.0.0.1)")
    run.add_argument("--stdio", action="store_true", help="serve on stdin and stdout, whatever the file says")
    run.add_argument(
        "--log-level", default="info", choices=("debug", "info", "warning", "error"), help="of the log on stderr (info)"
    )
    listing = verbs.add_parser("list", help="list what a server has", **_texts(LIST, LIST_EXAMPLES + "\n" + EXIT_CODES))
    listing.usage = "picomcp-py list [options] (FILE[:name] | URL | -- COMMAND ...)"
    listing.add_argument("target", metavar="FILE[:name] | URL", nargs="?")
    calling = verbs.add_parser(
        "call", help="call a tool and print its result", **_texts(CALL, CALL_EXAMPLES + "\n" + EXIT_CODES)
    )
    calling.usage = "picomcp-py call [options] ((FILE[:name] | URL) TOOL [JSON] | TOOL [JSON] -- COMMAND ...)"
    calling.add_argument("words", metavar="(FILE | URL) TOOL [JSON]", nargs="+")
    reading = verbs.add_parser("read", help="read a resource", **_texts(READ, READ_EXAMPLES + "\n" + EXIT_CODES))
    reading.usage = "picomcp-py read [options] ((FILE[:name] | URL) URI | URI -- COMMAND ...)"
    reading.add_argument("words", metavar="(FILE | URL) URI", nargs="+")
    prompting = verbs.add_parser(
        "prompt", help="get a prompt and print its messages", **_texts(PROMPT, PROMPT_EXAMPLES + "\n" + EXIT_CODES)
    )
    prompting.usage = "picomcp-py prompt [options] ((FILE[:name] | URL) NAME [JSON] | NAME [JSON] -- COMMAND ...)"
    prompting.add_argument("words", metavar="(FILE | URL) NAME [JSON]", nargs="+")
    for one in (calling, prompting):
        one.add_argument(
            "--arg", metavar="KEY=VALUE", action="append", default=[],
            help="an argument that is a string; may be repeated",
        )  # fmt: skip
    for one in (listing, calling, reading, prompting):
        _add_client_options(one)
    for one in (run, listing, calling, reading, prompting):
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
