"""Move the version that the backend's own sources are written for."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes import baseline, generate
from syncbot.lanes.baseline import Move
from syncbot.lanes.generate import Generated, Inputs
from syncbot.lanes.matrix import Lane
from syncbot.lanes.update import Update
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.opening import open_upstream
from syncbot.verify import executors
from syncbot.workflows.evidence import latest, record_proof
from syncbot.workflows.lane_checks import LaneCheck, LaneChecker, Meters, chosen_checks
from syncbot.workflows.lane_inputs import finder, lane_inputs
from syncbot.worktree import uncommitted

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class MovedBaseline:
    """The move, and the lanes that were generated after it. Nothing was written if patches in
    ``move.waiting`` need an author, or a check is ``worse`` after the move than before."""

    config: Config
    move: Move
    lanes: tuple[Generated, ...] = ()
    worse: bool = False


def move_baseline(
    tag: str, backend: Path, simulate: bool, allow_dirty: bool,
    tell: Callable[[LaneCheck], object], meters: Meters,
) -> MovedBaseline:  # fmt: skip
    """Rewrite the backend for another lane and make that the baseline; all files change or none. Checks that
    lanes have passed run again, simulated ones with ``simulate`` only; each is given to ``tell``. Raises
    UsageError for an unknown lane, the present baseline and, unless ``allow_dirty``, a tree that is not
    committed; ConfigurationError, and EnvironmentFailure."""
    config, inputs = lane_inputs(backend)
    if config.overlay is not None:
        raise UsageError(
            f"the baseline is what {config.overlay.package} was made for: begin another overlay instead"
        )
    target = inputs.matrix.lane(tag)
    if target.tag == inputs.matrix.baseline:
        return _finished(config, inputs)
    if not allow_dirty:
        _refuse_dirty(config)
    planned = _planned(config, inputs, target, meters)
    if planned.waiting:
        return MovedBaseline(config, planned)
    verified, worse = _verified(config, planned, simulate, tell, meters)
    if worse:
        return MovedBaseline(config, verified, worse=True)
    lanes = baseline.carry_out(config, verified)
    record_proof(config)
    return MovedBaseline(config, verified, tuple(lanes))


def _finished(config: Config, inputs: Inputs) -> MovedBaseline:
    """Do the rest of a move that was killed. Raises UsageError if nothing is left of it."""
    folder = config.root / config.lanes
    lanes = tuple(generate.generate(inputs, lane, folder / lane.tag) for lane in inputs.matrix)
    record_proof(config)
    if not any(lane.written for lane in lanes):
        raise UsageError(f"{inputs.matrix.baseline} is the baseline already: name another lane")
    return MovedBaseline(config, Move(inputs, Update(inputs, (), {}), (), (), {}), lanes)


def _refuse_dirty(config: Config) -> None:
    changed = uncommitted(config.root)
    if changed is None:
        raise UsageError(f"no git repository holds {config.root}: give --allow-dirty to move without one")
    if changed:
        names = ", ".join(str(path) for path in changed[:_SHOWN])
        more = f" and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
        raise UsageError(f"not committed: {names}{more}; commit first, or give --allow-dirty")


def _planned(config: Config, inputs: Inputs, target: Lane, meters: Meters) -> Move:
    versions = [str(lane.version) for lane in inputs.matrix]
    with (
        meters() as progress,
        open_upstream(config, inputs.matrix.upstream, cache_dir(), versions, progress) as upstream,
    ):
        return baseline.plan(config, inputs, target, finder(config, upstream, progress))


def _verified(
    config: Config, planned: Move, simulate: bool, tell: Callable[[LaneCheck], object], meters: Meters
) -> tuple[Move, bool]:
    """The move with new evidence of every check that lanes have passed, and whether one fails now."""
    worse, run = False, executors.executor(executors.DEFAULT).run
    known = chosen_checks(config, (), static=not simulate, simulated=False)
    with tempfile.TemporaryDirectory(prefix="syncbot-baseline-") as scratch:
        for lane in planned.matrix:
            wanted = [name for name in known if name in lane.checks and lane.checks[name].status == "pass"]
            if not wanted:
                continue
            inputs = planned.update.inputs
            made = generate.generate(inputs, lane, Path(scratch) / lane.tag)
            checker = LaneChecker(config, inputs, run, meters)
            for result in checker.results([lane], {lane.tag: made}, {lane.tag: wanted}):
                tell(result)
                worse = worse or result.evidence.status != "pass"
                before = lane.checks.get(result.check)
                if latest(before, result.evidence) != before:
                    planned = planned.with_evidence(config, lane.tag, result.check, result.evidence)
    return planned, worse
