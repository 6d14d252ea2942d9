"""How many inputs are tried by the tests that make their own: few all day, the same each time; many at night.

``HYPOTHESIS_PROFILE=nightly`` (``make nightly-tests``) asks for the many.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypeVar, cast

from hypothesis import HealthCheck, settings

T = TypeVar("T")
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


def some(inputs: Sequence[T], one_of: int) -> Sequence[T]:
    """Return one of so many by day, the first among them, and all at night."""
    return inputs[:: tries(day=one_of, nightly=1)]
