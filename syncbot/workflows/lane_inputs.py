"""Prepares workflows on lanes: the inputs of the lanes, and the finder of their findings."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from syncbot.config import Config
from syncbot.lanes import update
from syncbot.lanes.findings import LaneFinding, Told, findings
from syncbot.lanes.generate import Inputs
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.lanes.update import Finder
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, step
from syncbot.upstream.opening import Upstream
from syncbot.workflows.project import with_sources


def lane_inputs(backend: Path, check: bool = False) -> tuple[Config, Inputs]:
    """The configuration of a project with lanes, and what they are made of. Unless it is for a ``check``, it
    first finishes an apply that was killed. Raises ConfigurationError for the first that is missing or wrong,
    UsageError for patches whose code a check does not run."""
    config = with_sources(backend)
    if not check:
        update.transaction(config).recover()
    return config, update.inputs_of(config, check)


def finder(config: Config, upstream: Upstream, meter: Meter, commit: str | None = None) -> Finder:
    """Return a function that finds breaks in a lane's sources, against ``commit`` or the lane's version."""

    def find(
        matrix: Matrix, beside: Lane, lane: Lane, folder: Path, told: Collection[Told]
    ) -> Sequence[LaneFinding]:
        with step(meter, f"{lane.tag}: impacts"):
            return findings(config, upstream, matrix, beside, lane, folder, cache_dir(), commit, told)

    return find
