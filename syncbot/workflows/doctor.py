"""Compare an installed stack with the lanes of the matrix."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot import config as configuration
from syncbot.config import Config
from syncbot.lanes import matrix as matrices
from syncbot.lanes.lane_upstream import distribution_of
from syncbot.lanes.matrix import Matrix
from syncbot.verify.installed_stack import Installed, current_interpreter, look
from syncbot.verify.stack_fit import LaneFit, Names, examine


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """``interpreter`` is that of the environment to look at, else the active virtual environment's; ``lane``
    is the tag of the only lane to compare with."""

    backend: Path = Path()
    interpreter: Path | None = None
    lane: str | None = None


@dataclass(frozen=True, slots=True)
class ExaminedStack:
    """What is installed, and how it fits each lane, the best first."""

    installed: Installed
    fits: Sequence[LaneFit]


def examine_stack(options: DoctorOptions) -> ExaminedStack:
    """Compare what is installed with the lanes; nothing that is installed is imported.

    Raises UsageError for an unknown lane and for what is no interpreter, ConfigurationError.
    """
    config = configuration.load(options.backend)
    matrix = matrices.load(config.root / config.matrix)
    if options.lane is not None:
        matrix = matrix.model_copy(update={"lanes": (matrix.lane(options.lane),)})
    installed = look(options.interpreter or current_interpreter(os.environ), config.parts)
    names = _names(config, matrix)
    return ExaminedStack(installed, examine(matrix, installed, names, tuple(config.parts), config.wheels))


def _names(config: Config, matrix: Matrix) -> Names:
    build = config.simulate.build_environment if config.simulate is not None else {}
    return Names(distribution_of(config, matrix), config.project.distribution, build)
