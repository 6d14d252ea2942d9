"""Check lanes against their upstream, statically and by simulated runs, and keep the evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.atomic import write_file
from syncbot.config import Config
from syncbot.errors import EnvironmentFailure, UsageError
from syncbot.lanes import backend_files
from syncbot.lanes.generate import Generated, Inputs, generate
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.lanes.present import present
from syncbot.upstream.cache_folder import cache_dir
from syncbot.verify import executors
from syncbot.verify.configured_checks import simulation
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup, lock_file
from syncbot.workflows.evidence import record, record_proof
from syncbot.workflows.lane_checks import LaneCheck, LaneChecker, Meters, chosen_checks, no_meters
from syncbot.workflows.lane_inputs import lane_inputs
from syncbot.workflows.lane_suites import SuiteOptions, renewed_suites
from syncbot.workflows.renewal import Budget, Shard, by_need, out_of_date
from syncbot.workflows.suite_setup import CHECK


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    """Which lanes (tags) and which checks to run, all without any. ``static`` or ``simulate`` chooses one
    kind. ``force`` repeats checks that passed on the same sources. ``stale`` runs only those without evidence
    of the sources as they are, the most needed first, within a ``budget`` of seconds and the part ``shard``
    of the lanes. ``executor`` says where simulated runs take place."""

    backend: Path = Path()
    lanes: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    static: bool = False
    simulate: bool = False
    force: bool = False
    stale: bool = False
    budget: float | None = None
    shard: Shard | None = None
    executor: str = executors.DEFAULT


def verify_lanes(
    options: VerifyOptions,
    tell: Callable[[LaneCheck], object] = lambda result: None,
    meters: Meters = no_meters,
) -> tuple[LaneCheck, ...]:
    """Check lanes, and write each result into the matrix as soon as it is known; ``tell`` gets it then.
    Raises UsageError for an unknown lane or executor and for checks that no lane has, ConfigurationError,
    EnvironmentFailure."""
    config, inputs, chosen, wanted = _chosen(options)
    work = executors.executor(options.executor)
    budget = Budget(options.budget if options.budget is not None else math.inf)
    checker = LaneChecker(config, inputs, budget.within(work.run), meters, options.force)
    results = []
    for together in [chosen] if work.spreads else [[lane] for lane in chosen]:
        if not budget.has_room:
            break
        made = {lane.tag: generate(inputs, lane, config.root / config.lanes / lane.tag) for lane in together}
        asked = {
            lane.tag: _stale(config, inputs.matrix, lane, made[lane.tag], wanted) if options.stale else wanted
            for lane in together
        }
        for result in checker.results(together, made, asked):
            record(config, result, made[result.lane.tag])
            results.append(result)
            tell(result)
    if options.stale and not (options.checks or options.static or options.simulate):
        for result in _stale_suites(options, config, inputs, chosen, budget, meters):
            results.append(result)
            tell(result)
    if not results and not options.stale:
        tags = ", ".join(lane.tag for lane in chosen)
        raise UsageError(
            f"{', '.join(wanted)}: no check of {tags}; `syncbot matrix` shows the checks of each"
        )
    record_proof(config)
    return tuple(results)


def _stale_suites(
    options: VerifyOptions,
    config: Config,
    inputs: Inputs,
    lanes: Sequence[Lane],
    budget: Budget,
    meters: Meters,
) -> Iterator[LaneCheck]:
    """Run the plugin's own tests on the lanes that claim them by their tier or have evidence of them, where
    that is of something else."""
    if config.overlay is None or config.simulate is None or config.simulate.tests is None:
        return
    for lane in lanes:
        claims = CHECK in lane.checks or lane.claimed is not None
        if not claims or not budget.has_room:
            continue
        made = generate(inputs, lane, config.root / config.lanes / lane.tag)
        if _stale(config, inputs.matrix, lane, made, [CHECK]):
            with budget.measured():
                yield from renewed_suites(SuiteOptions(backend=options.backend, lanes=(lane.tag,)), meters)


def lock_lanes(
    options: VerifyOptions, tell: Callable[[Path], object] = lambda file: None, meters: Meters = no_meters
) -> None:
    """Write the locks of the lanes that have none; ``tell`` is given the file of each. Upstream is built for
    it, no environment is installed. Raises as ``verify_lanes`` does."""
    config, inputs, chosen, _ = _chosen(options)
    settings = simulation(config)
    installer = Installer.of_this_machine(cache_dir(), settings.inherit)
    for lane in chosen:
        file = lock_file(config, lane)
        if file.exists():
            continue
        with meters() as progress:
            setup = SimulationSetup(config, settings, installer, cache_dir(), progress)
            lock = setup.lock(inputs.distribution, lane)
        if lock is None:
            raise EnvironmentFailure(
                f"{lane.tag} cannot be locked: nothing says what its upstream was built with; remove "
                f"{cache_dir() / 'wheels'} and try again"
            )
        write_file(file, str(lock).encode())
        tell(file)


def chosen_lanes(options: VerifyOptions) -> list[str]:
    """The tags of the lanes that would be verified. Raises as ``verify_lanes`` does for wrong options."""
    return [lane.tag for lane in _chosen(options)[2]]


def _stale(
    config: Config, matrix: Matrix, lane: Lane, made: Generated, wanted: Sequence[str]
) -> Sequence[str]:
    """The checks of a lane that are stale, of those that are wanted."""
    return out_of_date(matrix, lane, present(config, lane, backend_files.below(made.folder)), wanted)


def _chosen(options: VerifyOptions) -> tuple[Config, Inputs, list[Lane], list[str]]:
    config, inputs = lane_inputs(options.backend)
    wanted = chosen_checks(config, options.checks, options.static, options.simulate)
    lanes = [inputs.matrix.lane(tag) for tag in options.lanes] or list(inputs.matrix)
    lanes = options.shard.share(lanes) if options.shard is not None else lanes
    return config, inputs, by_need(lanes, wanted) if options.stale else lanes, wanted
