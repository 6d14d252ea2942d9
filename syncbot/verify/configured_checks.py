"""The checks that the configuration has for every lane."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.config import Config, SimulationSettings
from syncbot.errors import ConfigurationError
from syncbot.verify.simulate import Check, checks


def simulation(config: Config) -> SimulationSettings:
    """The table ``[tool.syncbot.simulate]``. Raises ConfigurationError when there is none."""
    if config.simulate is None:
        raise ConfigurationError("there is no [tool.syncbot.simulate]: name the backend's check module in it")
    return config.simulate


def simulations(config: Config) -> dict[str, Check]:
    """The simulated runs that are configured, by the name of the check. Raises ConfigurationError."""
    return {f"simulate-{check.name}": check for check in checks(simulation(config))}


def configured_checks(config: Config) -> Sequence[str]:
    """The names of the checks that the configuration has for every lane."""
    return ["static", *(simulations(config) if config.simulate is not None else ())]
