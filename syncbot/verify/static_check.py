"""The static check of a lane: does its upstream keep the contracts of the lane's sources?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from syncbot.config import Config
from syncbot.contracts.registry import audit_of
from syncbot.contracts.sources import read_backend
from syncbot.impact.analysis import compared
from syncbot.impact.model import Verdict
from syncbot.impact.session import opened
from syncbot.impact.trees import Trees
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import open_upstream
from syncbot.verify.copied_bodies import Drift, drifts


@dataclass(frozen=True, slots=True)
class StaticResult:
    """What a lane's upstream does not keep, with file and line, sorted; ``drifts`` break nothing."""

    problems: tuple[str, ...]
    drifts: tuple[Drift, ...] = ()


def check_lane(
    config: Config, matrix: Matrix, lane: Lane, folder: Path, cache: Path, meter: Meter = no_meter
) -> StaticResult:
    """What the lane's upstream lacks of what ``folder`` relies on, and copies left behind. Raises UsageError,
    EnvironmentFailure."""
    backend = read_backend(folder, config.sources, (), config.limits.values)
    baseline = matrix.baseline_lane
    versions = [str(lane.version), str(baseline.version)]
    with (
        open_upstream(config, matrix.upstream, cache, versions, meter) as upstream,
        opened(config, upstream, backend, cache) as trees,
    ):
        here, there = map(upstream.repository.resolve, versions)
        found = problems(trees, there, here)
        listed = {each.version for each in matrix}
        known = {v: tag for v, tag in upstream.repository.version_tags() if v in listed}
        commits = {v: upstream.repository.resolve(f"refs/tags/{tag}") for v, tag in known.items()}
        copied = drifts(trees, folder, lane.version, {**commits, lane.version: here})
        return StaticResult(found, tuple(copied))


def problems(trees: Trees, baseline: str, lane: str) -> tuple[str, ...]:
    """What a lane's upstream lacks of what its backend relies on, a line each, sorted."""
    return tuple(sorted({*_unsound(trees, lane), *_broken(trees, baseline, lane)}))


def _unsound(trees: Trees, commit: str) -> Iterator[str]:
    universe = trees.universe(trees.tree(commit))
    for contract in trees.contracts(universe):
        audit = audit_of(contract)
        place = contract.place.location
        for problem in audit(contract, universe) if audit is not None else ():
            yield f"{place.file}:{place.line}: {problem}"


def _broken(trees: Trees, old: str, new: str) -> Iterator[str]:
    for impact in compared(trees, old, new) if old != new else ():
        if impact.verdict is Verdict.BREAKS:
            for place in impact.locations:
                yield f"{place.file}:{place.line}: {impact.message}"
