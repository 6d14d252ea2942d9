"""How many inputs are tried by the tests that make their own: few all day, the same each time; many at night.

``HYPOTHESIS_PROFILE=nightly`` (``make nightly-tests``) asks for the many.
"""

from __future__ import annotations

import os
from typing import Literal, cast

from hypothesis import HealthCheck, settings

Profile = Literal["day", "nightly"]
PROFILE = cast(Profile, os.environ.get("HYPOTHESIS_PROFILE", "day"))

# How fast examples are made says something of the machine alone.
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("day", _ANY_MACHINE, max_examples=25, derandomize=True)
settings.register_profile("nightly", _ANY_MACHINE, max_examples=300)
settings.load_profile(PROFILE)


def tries(day: int, nightly: int) -> int:
    """How often to try where Hypothesis does not make the inputs."""
    return {"day": day, "nightly": nightly}[PROFILE]
