"""Generate lanes and build their wheels, in a folder that is a package index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from syncbot.lanes import generate, wheel, wheel_index
from syncbot.workflows.lane_inputs import lane_inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """Which lanes (tags; all if none is named), and the folder for the wheels if not the configured one."""

    backend: Path = Path()
    lanes: tuple[str, ...] = ()
    output: Path | None = None


@dataclass(frozen=True, slots=True)
class BuiltWheel:
    """The file of a lane's wheel, and what the wheel requires."""

    file: Path
    requirements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BuiltWheels:
    """The wheels, and the folder that pip takes as an index."""

    wheels: tuple[BuiltWheel, ...]
    index: Path


def build_wheels(
    options: BuildOptions, tell: Callable[[BuiltWheel], object] = lambda wheel: None
) -> BuiltWheels:
    """Build the wheels of lanes; ``tell`` is given each as soon as it is there.

    Raises UsageError for an unknown lane and for a patch that does not fit the sources, ConfigurationError,
    and EnvironmentFailure.
    """
    config, inputs = lane_inputs(options.backend)
    folder = options.output if options.output is not None else config.root / config.wheels
    # All lanes are generated before the first wheel is written: a patch that does not fit leaves the folder.
    made = [
        (lane, generate.generate(inputs, lane, config.root / config.lanes / lane.tag))
        for lane in ([inputs.matrix.lane(tag) for tag in options.lanes] or inputs.matrix)
    ]
    wheels = []
    for lane, generated in made:
        file = wheel.build(generated.folder, folder)
        wheels.append(BuiltWheel(file, tuple(generate.requirements(inputs, lane))))
        tell(wheels[-1])
    wheel_index.write_index(folder)
    return BuiltWheels(tuple(wheels), folder / wheel_index.FOLDER)
