"""A task group for background work: it is cancelled at the end, and what the body raises comes out as it is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup


@asynccontextmanager
async def background() -> AsyncIterator[TaskGroup]:
    """The group's tasks end with the body."""
    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        try:
            yield group
        except Exception as error:  # carried past the group, which would wrap it in an ExceptionGroup
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure
