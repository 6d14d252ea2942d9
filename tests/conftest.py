"""What holds for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# How fast examples are made says something of the machine alone.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
