"""`picomcp-py prompt TARGET NAME [JSON]`: the messages of a prompt."""

from __future__ import annotations

import argparse
from typing import Any

from ..client import PromptResult
from .blocks import block_text
from .document import Document, line
from .faults import OK, Fault
from .output import show, show_json, tell_log
from .target import open_client
from .words import json_word, read_arguments, split_words


async def prompt(options: argparse.Namespace) -> int:
    target, name, rest = split_words("prompt", options.words, bool(options.command_words))
    arguments = check_strings(read_arguments(json_word(rest, "prompt"), options.arg))
    async with open_client(target, options.command_words, options, on_log=tell_log) as client:
        result = await client.get_prompt(name, arguments)
    if options.json:
        show_json(result.raw)
    else:
        show(document_of(result))
    return OK


def check_strings(arguments: dict[str, Any]) -> dict[str, str]:
    """The arguments themselves."""
    for name, value in arguments.items():
        if not isinstance(value, str):
            raise Fault(f'the arguments of a prompt are strings: write {{"{name}": "..."}} or --arg {name}=...')
    return arguments


def document_of(result: PromptResult) -> Document:
    """Who says what, each message after a blank line."""
    document: Document = [line(result.description.strip(), "note")] if result.description else []
    for message in result.messages:
        document += [line()] if document else []
        document += [line(f"{message['role']}:", "name"), line(block_text(message["content"]), indent=2)]
    return document
