"""How many inputs are tried by the tests that make their own: few all day, the same each time; many at night.

``HYPOTHESIS_PROFILE=nightly`` (``make nightly-tests``) asks for the many, ``copy`` for two: a test that runs others in
a copy of the repository wants to see that they run, and what they try is tried where they run themselves.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypeVar, cast

from hypothesis import HealthCheck, settings

T = TypeVar("T")
Profile = Literal["copy", "day", "nightly"]
PROFILE = cast(Profile, os.environ.get("HYPOTHESIS_PROFILE", "day"))

# How fast examples are made says something of the machine alone.
_ANY_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("copy", _ANY_MACHINE, max_examples=2, derandomize=True)
settings.register_profile("day", _ANY_MACHINE, max_examples=25, derandomize=True)
settings.register_profile("nightly", _ANY_MACHINE, max_examples=300)
settings.load_profile(PROFILE)


def tries(day: int, nightly: int) -> int:
    """How often to try where Hypothesis does not make the inputs."""
    return nightly if PROFILE == "nightly" else day


def some(inputs: Sequence[T], one_of: int) -> Sequence[T]:
    """Return one of so many by day, the first among them, and all at night."""
    return inputs[:: tries(day=one_of, nightly=1)]
