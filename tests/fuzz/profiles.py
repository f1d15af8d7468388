"""Hypothesis settings of this folder: the same few examples each time, or as many new ones as `FUZZ_EXAMPLES` says.

Importing it registers the profiles; `examples(n)` decorates a test with n examples in the profile "ci".
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_MANY = int(os.environ.get("FUZZ_EXAMPLES", "0"))
# A machine that is busy makes examples slow, not wrong.
_CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]

settings.register_profile("ci", derandomize=True, deadline=None, database=None, suppress_health_check=_CHECKS)
settings.register_profile("long", deadline=None, suppress_health_check=_CHECKS, print_blob=True)


def examples(count: int) -> settings:
    """The settings of one test: `count` fixed examples, or FUZZ_EXAMPLES random ones."""
    profile = settings.get_profile("long" if _MANY else "ci")
    return settings(profile, max_examples=_MANY or count)
