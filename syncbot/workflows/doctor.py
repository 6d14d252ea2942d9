"""Compare an installed stack with the lanes of the matrix."""

from __future__ import annotations

import os
from pathlib import Path

from syncbot import config as configuration
from syncbot.lanes import matrix as matrices
from syncbot.lanes import provenance, update
from syncbot.lanes.provenance import WheelOrigin
from syncbot.verify.installed_stack import Installed, current_interpreter, look
from syncbot.verify.stack_fit import LaneFit, Names, examine


def wheel_origins(backend: Path) -> list[WheelOrigin]:
    """Return what is known of the origin of each wheel that was built; nothing is fetched and no code run.
    Raises ConfigurationError."""
    config = configuration.load(backend)
    wheels = sorted((config.root / config.wheels).glob("*.whl"))
    if not any(wheel.with_name(wheel.name + provenance.SUFFIX).exists() for wheel in wheels):
        return [WheelOrigin(wheel.name, "none", "no statement beside it") for wheel in wheels]
    inputs = update.inputs_of(config)
    return [provenance.origin(wheel, inputs) for wheel in wheels]


def examine_stack(
    backend: Path, interpreter: Path | None = None, lane: str | None = None
) -> tuple[Installed, list[LaneFit]]:
    """Return what is installed, and how it fits each lane (or the one of this tag), the best first. The
    interpreter is that of the active virtual environment if none is named. Nothing that is installed is
    imported. Raises UsageError for an unknown lane and for what is no interpreter, ConfigurationError."""
    config = configuration.load(backend)
    matrix = matrices.load(config.root / config.matrix)
    if lane is not None:
        matrix = matrix.model_copy(update={"lanes": (matrix.lane(lane),)})
    installed = look(interpreter or current_interpreter(os.environ), config.parts)
    build = config.simulate.build_environment if config.simulate is not None else {}
    names = Names(matrices.distribution_of(config, matrix), config.project.distribution, build)
    return installed, examine(matrix, installed, names, tuple(config.parts), config.wheels)
