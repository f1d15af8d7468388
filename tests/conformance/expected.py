"""Scenarios that can't pass yet, and why. One that is listed and passes is a fault of this list."""

from __future__ import annotations

ASKING = "no requests to the client yet"
INPUT = "no input_required yet"
TASKS = "no tasks extension"
SKIPPED = "the suite skips its own only check"

HANDSHAKE = {
    "tools-call-sampling": ASKING,
    "tools-call-elicitation": ASKING,
    "elicitation-sep1034-defaults": ASKING,
    "elicitation-sep1330-enums": ASKING,
}

STATELESS = {
    "input-required-result-basic-elicitation": INPUT,
    "input-required-result-basic-sampling": INPUT,
    "input-required-result-basic-list-roots": INPUT,
    "input-required-result-request-state": INPUT,
    "input-required-result-multiple-input-requests": INPUT,
    "input-required-result-multi-round": INPUT,
    "input-required-result-missing-input-response": INPUT,
    "input-required-result-non-tool-request": INPUT,
    "input-required-result-result-type": INPUT,
    "input-required-result-tampered-state": INPUT,
    "input-required-result-capability-check": INPUT,
    "input-required-result-ignore-extra-params": INPUT,
    "tasks-lifecycle": TASKS,
    "tasks-capability-negotiation": TASKS,
    "tasks-wire-fields": TASKS,
    "tasks-request-state-removal": TASKS,
    "tasks-mrtr-input": TASKS,
    "tasks-request-headers": TASKS,
    "tasks-dispatch-and-envelope": TASKS,
    "tasks-required-task-error": TASKS,
    "tasks-mrtr-composition": TASKS,
    "tasks-status-notifications": SKIPPED,
}

EXPECTED = {"2025-11-25": HANDSHAKE, "2026-07-28": STATELESS}
"""requirement set -> scenario -> the reason."""
