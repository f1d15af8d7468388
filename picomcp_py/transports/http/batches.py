"""Batches over HTTP: what of them is let in, and whether an answer will come (MCP 2025-03-26, basic#batching)."""

from __future__ import annotations

from ... import jsonrpc
from ...jsonrpc import Batch, Message, is_request
from ...protocol.inbound import carries_envelope
from ...revisions import BATCH
from ...running.connection import wants_reply


def batch_fault(batch: Batch, revision: str) -> str:
    """Why a batch isn't taken, or ""."""
    if revision != BATCH:
        return f"Batches exist in {BATCH} only"
    messages = [jsonrpc.decode(item) for item in batch.items]
    if any(isinstance(message, Message) and carries_envelope(message) for message in messages):
        return "A request with the envelope of 2026-07-28 is sent alone, not in a batch"
    return ""


def is_answered(message: Message | Batch) -> bool:
    """Whether a POST has a body for an answer: a request has, and a batch with one in it."""
    if isinstance(message, Message):
        return is_request(message)
    return not message.items or any(wants_reply(jsonrpc.decode(item)) for item in message.items)
