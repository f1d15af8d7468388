"""The library's one logger, "picomcp_py", made when the first thing is logged: `logging` is a fifth of the import time.

It has no handler of its own: what it says is shown where the application sets up logging, `logging.basicConfig()`. A
host that never reads the server's stderr would otherwise stop it when the pipe is full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging


def log() -> logging.Logger:
    """The logger."""
    import logging

    logger = logging.getLogger("picomcp_py")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return logger
