"""The interpreter that imports one commit of upstream: a configured one, or that of the nearest lane."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from packaging.version import Version

from syncbot.config import Config
from syncbot.errors import ConfigurationError, UsageError
from syncbot.lanes.matrix import Lane, Matrix, distribution_of
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Meter, no_meter
from syncbot.verify.configured_checks import simulation
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup


def interpreter(
    config: Config,
    matrix: Matrix | None,
    repository: GitRepository,
    commit: str,
    cache: Path,
    meter: Meter = no_meter,
) -> Path:
    """The path of the interpreter, installed if need be. Raises ConfigurationError where nothing says which,
    UsageError where the configured one is not there, EnvironmentFailure."""
    named = config.witness.python
    if named is not None:
        python = config.root / named
        if not python.is_file():
            raise UsageError(f"{python} is not there: [tool.syncbot.witness] names it as python")
        return python
    if matrix is None or config.simulate is None:
        raise ConfigurationError(
            "a witness imports upstream, and nothing says with which interpreter: give it in "
            '[tool.syncbot.witness], such as python = ".venv/bin/python"'
        )
    lane = nearest(matrix, [version for version, _ in repository.version_tags(commit)])
    settings = simulation(config)
    installer = Installer.of_this_machine(cache, settings.inherit)
    setup = SimulationSetup(config, settings, installer, cache, meter)
    return setup.environment(distribution_of(config, matrix), lane).python


def nearest(lanes: Iterable[Lane], versions: Iterable[Version]) -> Lane:
    """The newest of the lanes that is no newer than the newest of some versions, else the oldest."""
    ordered = sorted(lanes, key=lambda lane: lane.version)
    newest = max(versions, default=None)
    older = [lane for lane in ordered if newest is not None and lane.version <= newest]
    return older[-1] if older else ordered[0]
