"""Compare what happens in the simulated runs of two lanes, and say who is suspected of each difference."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from syncbot.config import Config
from syncbot.contracts.source_files import read_backend
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.session import opened
from syncbot.lanes.generate import Generated, Inputs, generate
from syncbot.lanes.matrix import Lane
from syncbot.report.untrusted_text import printable
from syncbot.triage.silent_changes import SilentChanges, Suspect, outermost
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import between
from syncbot.upstream.model import step
from syncbot.upstream.opening import open_range
from syncbot.verify.configured_checks import simulation, simulations
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup
from syncbot.verify.recording.differences import Difference, What, differences
from syncbot.verify.recording.recorded_run import Recording, recorded
from syncbot.verify.simulate import Check, PreparedRun
from syncbot.workflows.lane_checks import Meters, chosen_checks, is_run, no_meters
from syncbot.workflows.lane_inputs import lane_inputs

_LANES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Two lanes (tags) and the names of simulated checks, all that both lanes have if none is named. With
    ``force``, runs are recorded again that are known."""

    lanes: tuple[str, ...]
    checks: tuple[str, ...] = ()
    force: bool = False
    backend: Path = Path()


@dataclass(frozen=True, slots=True)
class Explained:
    """A difference between two runs, and who is suspected. ``reached_from`` are the outermost functions of
    upstream that led to the call."""

    difference: Difference
    suspects: tuple[Suspect, ...]
    reached_from: tuple[str, ...] = ()

    def lines(self) -> tuple[str, ...]:
        """The difference, and one line for each suspect below it."""
        outside = f" (reached from {', '.join(self.reached_from)})" if self.reached_from else ""
        named = [f"  suspected: {suspect}" for suspect in self.suspects] or [
            f"  nobody is suspected{outside}"
        ]
        return (str(self.difference), *named)


@dataclass(frozen=True, slots=True)
class ComparedCheck:
    """The differences between the runs of a check on two lanes. ``failures`` say which run failed and why;
    unless both came to their end, they are not ``compared``. ``unread`` are the parts of calls that could not
    be read."""

    check: str
    found: tuple[Explained, ...] = ()
    failures: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    compared: bool = True

    def as_text(self, told: Collection[Difference] = ()) -> str:
        """One line, and those of each difference that is not ``told`` already."""
        fresh = [each for each in self.found if each.difference not in told]
        known = len(self.found) - len(fresh)
        count = f"{len(self.found)} differences" if len(self.found) != 1 else "1 difference"
        said = count if self.compared else "cannot be compared"
        lines = [f"{self.check}  {said}{f', {known} of them told above' if known else ''}", *self.failures]
        lines += [line for each in fresh for line in each.lines()]
        lines += [f"a call could not be read: {each}" for each in self.unread]
        return "\n  ".join(map(printable, lines))


def compare_lanes(
    options: CompareOptions,
    tell: Callable[[ComparedCheck], object] = lambda result: None,
    meters: Meters = no_meters,
) -> tuple[ComparedCheck, ...]:
    """Run each check on both lanes, and compare what happened; ``tell`` is given each result. Raises
    UsageError for an unknown lane or check, ConfigurationError, and EnvironmentFailure."""
    config, inputs = lane_inputs(options.backend)
    if len(set(options.lanes)) != _LANES:
        raise UsageError("name two different lanes to compare")
    old, new = (inputs.matrix.lane(tag) for tag in options.lanes)
    wanted = _checks(config, options.checks, (old, new))
    made = {lane.tag: generate(inputs, lane, config.root / config.lanes / lane.tag) for lane in (old, new)}
    sources = {
        tag: read_backend(each.folder, config.sources, (), config.limits.values) for tag, each in made.items()
    }
    sides = config.upstreams[inputs.matrix.upstream].packages, sources[old.tag].packages
    stands = [_stand(config, inputs, lane, made[lane.tag], meters) for lane in (old, new)]
    failed, runs = [], []
    for name, check in wanted.items():
        before, after = (_recorded(stand, check, sides, options.force, meters) for stand in stands)
        told = ((old, before), (new, after))
        failures = tuple(f"{lane.tag}: {run.failure}" for lane, run in told if run.failure)
        if before.ended and after.ended:
            runs.append((ComparedCheck(name, failures=failures), before, after))
        else:
            failed.append(ComparedCheck(name, failures=failures, compared=False))
            tell(failed[-1])
    compared = []
    differ = any(differences(before, after) for _, before, after in runs)
    looked_for = _suspects(config, inputs, (old, new), sources, meters) if differ else nullcontext()
    with looked_for as changes:
        for begun, before, after in runs:
            compared.append(_compared(begun, changes, before, after))
            tell(compared[-1])
    return (*failed, *compared)


def _compared(
    begun: ComparedCheck, changes: SilentChanges | None, before: Recording, after: Recording
) -> ComparedCheck:
    """The check with what differs between its two runs; ``changes`` is None where nothing does."""
    found = tuple(_explained(changes, before, after)) if changes is not None else ()
    return replace(begun, found=found, unread=tuple(sorted(before.unread | after.unread)))


def _checks(config: Config, names: Sequence[str], lanes: Sequence[Lane]) -> dict[str, Check]:
    """The simulated checks that both lanes have, by name. Raises UsageError where there is none."""
    runs = simulations(config)
    chosen = chosen_checks(config, names, static=False, simulated=not names)
    if others := [name for name in chosen if name not in runs and names]:
        raise UsageError(f"{others[0]} is no simulated check: there is nothing to record")
    run = [name for name in chosen if name in runs and all(is_run(runs[name], lane) for lane in lanes)]
    both = {name: runs[name] for name in run}
    if not both:
        tags = " and ".join(lane.tag for lane in lanes)
        raise UsageError(f"none of these checks is run on both {tags}")
    return both


def _stand(config: Config, inputs: Inputs, lane: Lane, made: Generated, meters: Meters) -> PreparedRun:
    settings, cache = simulation(config), cache_dir()
    with meters() as progress:
        installer = Installer.of_this_machine(cache, settings.inherit)
        setup = SimulationSetup(config, settings, installer, cache, progress)
        environment = setup.environment(inputs.distribution, lane)
        return setup.stand(setup.subject(lane, made), environment)


def _recorded(
    stand: PreparedRun, check: Check, sides: tuple[Sequence[str], Sequence[str]], force: bool, meters: Meters
) -> Recording:
    with meters() as progress, step(progress, f"{stand.subject.lane}: {check}"):
        return recorded(stand, check, *sides, force)


@contextmanager
def _suspects(
    config: Config, inputs: Inputs, lanes: Sequence[Lane], sources: Mapping[str, Backend], meters: Meters
) -> Iterator[SilentChanges]:
    """Yield the findings of the static analysis in the range between the lanes, from the older one on."""
    older, newer = sorted(lanes, key=lambda lane: lane.version)
    versions, cache = (str(older.version), str(newer.version)), cache_dir()
    with (
        meters() as progress,
        open_range(config, inputs.matrix.upstream, cache, *versions, progress, "releases") as upstream,
        opened(config, upstream, sources[older.tag], cache) as trees,
    ):
        span = between(upstream.repository, *versions)
        with step(progress, "impacts of the range"):
            found = analyse(trees, span, AnalysisCache(cache / "analyses")).impacts
        yield SilentChanges(trees, span, found, sources[older.tag], sources[newer.tag])


def _explained(changes: SilentChanges, before: Recording, after: Recording) -> Iterator[Explained]:
    led = {name: {*before.led.get(name, ()), *after.led.get(name, ())} for name in {*before.led, *after.led}}
    for difference in differences(before, after):
        runs = [run.called[difference.name] for run in (before, after) if difference.name in run.called]
        callers = {caller for call in runs for caller in call.callers}
        if difference.what in (What.CALLERS, What.NEVER_CALLED, What.NEWLY_CALLED):
            callers = {*difference.before, *difference.after}
        yield Explained(difference, changes.suspects(difference, callers, led), outermost(callers, led))
