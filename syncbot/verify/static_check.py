"""The static check of a lane: does its upstream keep the contracts of the lane's sources?"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from syncbot.api.universe import Universe
from syncbot.config import Config
from syncbot.contracts.registry import audit_of
from syncbot.contracts.source_files import read_backend
from syncbot.impact.analysis import compared
from syncbot.impact.model import Verdict
from syncbot.impact.session import opened
from syncbot.impact.trees import Trees
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import open_upstream
from syncbot.verify import kept_results
from syncbot.verify.copied_bodies import Drift, drifts


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """A line that relies on what upstream does not keep. ``definition`` is a digest of how upstream defines
    ``symbol``, wherever it stands; empty where it does not."""

    file: str
    line: int
    message: str
    symbol: str = ""
    definition: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class StaticResult:
    """The problems of a lane with its upstream, sorted; ``drifts`` break nothing. ``moment`` is the time of
    the check; ``known`` is true if the result is from a former run."""

    problems: tuple[Problem, ...]
    drifts: tuple[Drift, ...] = ()
    moment: str = ""
    known: bool = False


def check_lane(
    config: Config,
    matrix: Matrix,
    lane: Lane,
    folder: Path,
    cache: Path,
    meter: Meter = no_meter,
    force: bool = False,
) -> StaticResult:
    """Return the problems of ``folder`` with the lane's upstream, and its outdated copies. A kept result is
    used while all that decides it is the same, unless ``force`` is set. Raises UsageError,
    EnvironmentFailure."""
    baseline = matrix.baseline_lane
    versions = [str(lane.version), str(baseline.version)]
    with open_upstream(config, matrix.upstream, cache, versions, meter) as upstream:
        here, there = map(upstream.repository.resolve, versions)
        # A copy is of the version that the sources are written for, or of an older one.
        listed = {each.version for each in matrix if each.version <= baseline.version}
        tags = {v: tag for v, tag in upstream.repository.version_tags() if v in listed}
        commits = {v: upstream.repository.resolve(f"refs/tags/{tag}") for v, tag in tags.items()}
        facts = (here, there, str(lane.version), *(f"{v} {sha}" for v, sha in sorted(commits.items())))
        file = kept_results.file(cache, config, folder, facts)
        kept = kept_results.recalled(cache, file, StaticResult) if not force else None
        if kept is not None:
            return replace(kept, known=True)
        backend = read_backend(folder, config.sources, (), config.limits.values)
        with opened(config, upstream, backend, cache) as trees:
            found = problems(trees, there, here)
            copied = drifts(trees, folder, lane.version, {**commits, lane.version: here})
        result = StaticResult(found, tuple(copied), datetime.now(UTC).isoformat(timespec="seconds"))
        kept_results.keep(cache, file, result)
        return result


def problems(trees: Trees, baseline: str, lane: str) -> tuple[Problem, ...]:
    """Return the problems of the backend with a lane's upstream, sorted."""
    universe = trees.universe(trees.tree(lane))
    found = {str(each): each for each in (*_unsound(trees, lane), *_broken(trees, baseline, lane))}
    return tuple(
        replace(each, definition=definition_digest(universe, each.symbol))
        for _, each in sorted(found.items())
    )


def definition_digest(universe: Universe, symbol: str) -> str:
    """A digest of a definition without its place; empty where there is none."""
    found = universe.resolve(symbol)
    nodes = found.nodes if found is not None else ()
    if found is not None and found.kind == "class":
        body = universe.body(found)
        nodes = (body,) if body is not None else nodes
    text = re.sub(r"\b(end_)?line=\d+", "", repr(nodes))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16] if nodes else ""


def _unsound(trees: Trees, commit: str) -> Iterator[Problem]:
    universe = trees.universe(trees.tree(commit))
    for contract in trees.contracts(universe):
        audit = audit_of(contract)
        place = contract.place.location
        for problem in audit(contract, universe) if audit is not None else ():
            yield Problem(place.file, place.line, problem, contract.symbol)


def _broken(trees: Trees, old: str, new: str) -> Iterator[Problem]:
    for impact in compared(trees, old, new) if old != new else ():
        if impact.verdict is Verdict.BREAKS:
            for place in impact.locations:
                yield Problem(place.file, place.line, impact.message, impact.symbol)
