"""The checks of lanes, static and simulated, run on generated sources; what each of them says."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from syncbot.atomic import write_file
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes import backend_files, debt
from syncbot.lanes import present as dependences
from syncbot.lanes.dependence import Present
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.generate import Generated, Inputs, generate
from syncbot.lanes.matrix import Lane
from syncbot.overlay.settled_debt import Settled, settled
from syncbot.report.untrusted_text import printable
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.verify.configured_checks import simulation, simulations
from syncbot.verify.executors import Run
from syncbot.verify.import_smoke import Imports, imports
from syncbot.verify.installer import Installer
from syncbot.verify.job import Job
from syncbot.verify.job import jobs as jobs_of
from syncbot.verify.lane_environment import SimulationSetup, lock_file
from syncbot.verify.simulate import Check, Outcome, batches, recall
from syncbot.verify.static_check import check_lane

_STATIC = "static"
_IMPORTS = "imports"
_KEPT = 3
#: What a lane's process needs at most: an engine, its reference, and twice that in workers (in bytes).
MEMORY = 4 << 30

#: Opens a meter. None is open where a result is handed over, for a drawn bar and a printed line spoil
#: each other.
Meters = Callable[[], AbstractContextManager[Meter]]


def no_meters() -> AbstractContextManager[Meter]:
    """A meter that shows nothing."""
    return nullcontext(no_meter)


@dataclass(frozen=True, slots=True)
class LaneCheck:
    """The result of one check of a lane. ``known`` is true if it was not run again. ``log`` names the file
    with its output. ``lines`` are all its complaints where the evidence keeps only some; ``notes`` are its
    other remarks; ``present`` is the state that it may depend on."""

    lane: Lane
    check: str
    evidence: Evidence
    known: bool = False
    log: str | None = None
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    present: Present = field(default_factory=Present)

    def as_text(self) -> str:
        """One line, and one below it for each complaint and note."""
        status = self.evidence.status + (" (known)" if self.known else "")
        reason = [self.evidence.details] if self.evidence.details and not self.lines else []
        log = [f"(log: {self.log})"] if self.log else []
        first = "  ".join([self.lane.tag, self.check, status, *reason, *log])
        faults = (f"{name}: {fault.as_text()}" for name, fault in (self.evidence.faults or {}).items())
        return "\n  ".join(
            [printable(first), *map(printable, self.lines), *map(printable, faults), *self.notes]
        )


def chosen_checks(config: Config, names: Sequence[str], static: bool, simulated: bool) -> list[str]:
    """The names of the checks to run, in their order. Raises UsageError for one that does not exist."""
    if names and (static or simulated):
        raise UsageError("--check names the checks: leave out --static and --simulate")
    if static and not simulated:
        return [_STATIC]
    runs = [*_import_check(config), *simulations(config)]
    known = runs if simulated and not static else [_STATIC, *runs]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0)
            raise UsageError(f"there is no check {name!r}; the nearest is {near[0]!r}")
    return [name for name in known if not names or name in names]


@dataclass(frozen=True, slots=True)
class LaneChecker:
    """Runs checks of the lanes of one project. With ``force``, what has passed is run again too."""

    config: Config
    inputs: Inputs
    run: Run
    meters: Meters = no_meters
    force: bool = False

    def results(
        self, lanes: Sequence[Lane], made: Mapping[str, Generated], wanted: Mapping[str, Sequence[str]]
    ) -> Iterator[LaneCheck]:
        """Yield the wanted checks' results on each lane's generated sources; both are by the lane's tag."""
        for lane in lanes:
            if _STATIC in wanted[lane.tag]:
                yield self._static(lane, made[lane.tag])
        for lane in lanes:
            if _IMPORTS in wanted[lane.tag]:
                yield self._imports(lane, made[lane.tag])
        left: list[Job] = []
        for lane in lanes:
            names = [name for name in wanted[lane.tag] if name not in (_STATIC, _IMPORTS)]
            claimed = [name for name in names if self.inputs.matrix.claims(lane, name)]
            known_runs = simulations(self.config) if claimed else {}
            runs = [known_runs[name] for name in claimed if is_run(known_runs[name], lane)]
            if runs:
                known, jobs = self._prepared(lane, made[lane.tag], runs)
                yield from known
                left += jobs
        for job, done in self.run(left, cache_dir(), MEMORY, self.meters):
            file = lock_file(self.config, job.lane)
            if done.lock is not None and not file.exists():
                write_file(file, done.lock.encode())
            for check, outcome in done.outcomes.items():
                # With the lock that it may have brought.
                present = self._present(job.lane, made[job.lane.tag])
                yield _simulated(job.lane, check, outcome, present, known=False)

    def _static(self, lane: Lane, made: Generated) -> LaneCheck:
        with self.meters() as progress, step(progress, f"{lane.tag}: contracts"):
            checked = check_lane(
                self.config, self.inputs.matrix, lane, made.folder, cache_dir(), progress, self.force
            )
        problems = tuple(map(str, checked.problems))
        drifts, notes = checked.drifts, tuple[str, ...]()
        if self.config.overlay is not None:
            held = settled(debt.load(self.config.root / self.config.overlay.debt), checked)
            problems, drifts = held.lines(), held.left
            notes = _owed(held, self.config.overlay.debt)
        present = self._present(lane, made)
        evidence = Evidence(
            status="fail" if problems else "pass",
            command=f"syncbot verify --lane {lane.tag} --static",
            date=checked.moment,
            digest=present.digest(None, None),
            details=_in_short(problems),
        )
        notes = (*notes, *(line for each in drifts for line in each.lines()))
        return LaneCheck(lane, _STATIC, evidence, checked.known, lines=problems, notes=notes, present=present)

    def _imports(self, lane: Lane, made: Generated) -> LaneCheck:
        """Which modules import on the package's own upstream and not in the lane."""
        baseline = self.inputs.matrix.baseline_lane
        folder = self.config.root / self.config.lanes / baseline.tag
        with self.meters() as progress:
            own = self._imported(baseline, generate(self.inputs, baseline, folder), progress)
            here = own if lane.tag == baseline.tag else self._imported(lane, made, progress)
        present = self._present(lane, made)
        lost = {} if here is own else here.lost(own)
        counted = f"{len(own.working) - len(lost)} of {len(own.working)} modules import"
        executed = {
            file: tuple(sorted({*own.executed.get(file, ()), *here.executed.get(file, ())}))
            for file in sorted(own.executed.keys() | here.executed.keys())
        }
        evidence = Evidence(
            status="fail" if lost else "pass",
            command=here.command,
            date=here.moment,
            digest=present.digest(executed, present.environment),
            details=counted,
            simulated_with=lane.simulated_with,
            environment=present.environment,
            executed=executed,
        )
        lines = tuple(f"{name}: {error}" for name, error in lost.items())
        return LaneCheck(
            lane, _IMPORTS, evidence, lines=lines, notes=() if not lines else (counted,), present=present
        )

    def _present(self, lane: Lane, made: Generated) -> Present:
        return dependences.present(self.config, lane, backend_files.below(made.folder))

    def _imported(self, lane: Lane, made: Generated, progress: Meter) -> Imports:
        settings, cache = simulation(self.config), cache_dir()
        installer = Installer.of_this_machine(cache, settings.inherit)
        setup = SimulationSetup(self.config, settings, installer, cache, progress)
        subject = setup.subject(lane, made)
        environment = setup.environment(self.inputs.distribution, lane)
        stand = setup.stand(subject, environment)
        packages = [name.removeprefix("src/") for name in self.config.sources]
        with step(progress, f"{lane.tag}: imports"):
            return imports(stand, settings.imports or "", packages, self.force)

    def _prepared(
        self, lane: Lane, made: Generated, runs: Sequence[Check]
    ) -> tuple[list[LaneCheck], list[Job]]:
        """Return the known results of a lane's simulated runs, and the jobs for the others."""
        settings, cache = simulation(self.config), cache_dir()
        with self.meters() as progress:
            installer = Installer.of_this_machine(cache, settings.inherit)
            setup = SimulationSetup(self.config, settings, installer, cache, progress)
            environment = setup.digest(self.inputs.distribution, lane)
            subject = setup.subject(lane, made)
        known, left = [], []
        for check in runs:
            outcome = None if self.force else recall(subject, check, environment, settings, cache)
            if outcome is None:
                left.append(check)
            else:
                known.append(_simulated(lane, check, outcome, subject.present, known=True))
        rows = batches(left, settings.together)
        return known, jobs_of(self.config, self.inputs.distribution, lane, subject, rows)


def _import_check(config: Config) -> list[str]:
    """The check of imports, where the configuration names the module that does it."""
    return [_IMPORTS] if config.overlay is not None and simulation(config).imports else []


def is_run(check: Check, lane: Lane) -> bool:
    """Return whether the lane's row leaves that check in."""
    if lane.refuses(f"simulate-{check.name}"):
        return False
    return lane.simulate is None or check.runner in lane.simulate.get(check.case, ())


def _simulated(lane: Lane, check: Check, outcome: Outcome, present: Present, known: bool) -> LaneCheck:
    evidence = Evidence(
        status=outcome.status,
        command=outcome.command,
        date=outcome.moment,
        digest=present.digest(outcome.executed, present.environment),
        details=outcome.reason or None,
        simulated_with=lane.simulated_with,
        environment=present.environment,
        executed=kept(outcome),
    )
    return LaneCheck(lane, f"simulate-{check.name}", evidence, known, outcome.log, present=present)


def kept(outcome: Outcome) -> dict[str, tuple[str, ...]] | None:
    """Return the executed functions by file, as the evidence keeps them; None if they are not known."""
    if outcome.executed is None:
        return None
    return {file: tuple(names) for file, names in sorted(outcome.executed.items())}


def _owed(held: Settled, file: str) -> tuple[str, ...]:
    """Return a line that counts the findings of the package itself; nothing if there are none."""
    owed = len(held.owed)
    many = "finding is" if owed == 1 else "findings are"
    return (f"{owed} {many} of the package itself: {file}",) if owed else ()


def _in_short(problems: Sequence[str]) -> str | None:
    """Return the problems of a list that the matrix keeps; the whole list is printed, and found again."""
    if len(problems) <= _KEPT:
        return "; ".join(problems) or None
    return "; ".join([*problems[:_KEPT], f"and {len(problems) - _KEPT} more"])
