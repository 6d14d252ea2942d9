"""``syncbot verify``: does each lane still keep to its upstream's contracts, and does it run?"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from syncbot import config as configuration
from syncbot.atomic import write_file
from syncbot.cli.progress import meter
from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.lanes import matrix as matrices
from syncbot.lanes import patch_proof, update
from syncbot.lanes.generate import Generated, Inputs, generate
from syncbot.lanes.matrix import Evidence, Lane
from syncbot.patching import model
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.process_lock import held
from syncbot.verify import executors, memory_bound_pool
from syncbot.verify.environment import step
from syncbot.verify.executors import Run
from syncbot.verify.installer import Installer
from syncbot.verify.job import Job
from syncbot.verify.job import jobs as jobs_of
from syncbot.verify.lane_environment import SimulationSetup, simulation
from syncbot.verify.simulate import Check, Outcome, batches, checks, recall
from syncbot.verify.static_check import check_lane

_KEPT = 3
_STATIC = "static"
#: What a lane's process needs at most: an engine, its reference, and twice that in workers (in bytes).
_MEMORY = 4 << 30


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check said of a lane.

    ``known`` is true when it was not run again, ``log`` names the file with what it printed, ``lines``
    are all its complaints where the evidence holds only some, ``notes`` what it saw besides.
    """

    check: str
    evidence: Evidence
    known: bool = False
    log: str | None = None
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@click.command()
@click.option(
    "--lane", "lanes", multiple=True, metavar="TAG", help="Only this lane, such as v0.28.0. Repeatable."
)
@click.option(
    "--check",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only this check, such as simulate-qwen3-v1 or static. Repeatable.",
)
@click.option("--static", is_flag=True, help="Only the static contract check, in seconds.")
@click.option("--simulate", "simulated", is_flag=True, help="Only the simulated runs, a minute a lane.")
@click.option("--force", is_flag=True, help="Run simulated checks again that passed on the same sources.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Lanes at a time, each in a process of its own, as far as memory goes. Example: --jobs 4.",
)
@click.option(
    "--executor",
    type=click.Choice(executors.names()),
    default=executors.DEFAULT,
    show_default=True,
    help="Where simulated runs are done: here, or as tasks on a Ray cluster. Example: --executor ray.",
)
@click.option(
    "--backend",
    "root",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="the current folder",
    help="Root of the backend's repository, such as ../my-backend.",
)
def command(
    lanes: tuple[str, ...],
    names: tuple[str, ...],
    static: bool,
    simulated: bool,
    force: bool,
    jobs: int,
    executor: str,
    root: Path,
) -> int:
    """Check every lane and write the evidence into the matrix.

    The static check compares the lane's sources with what its upstream offers, and shows copies of its
    functions that it has changed since, with the merge that would refresh them. The simulated run
    installs the real upstream of the lane, once, and runs the lane's wheel in it without an accelerator.
    Interrupted, it goes on where it stopped: what passed on the same sources is known and not run again.

    Example: syncbot verify --lane v0.28.0 --simulate
    """
    config = configuration.load(root)
    update.transaction(config).recover()
    inputs = update.inputs_of(config)
    matrix, file = inputs.matrix, config.root / config.matrix
    wanted = _wanted(config, names, static, simulated)
    chosen = [matrix.lane(name) for name in lanes] or list(matrix)
    work = executors.executor(executor)
    if work.spreads and jobs > 1:
        raise UsageError(f"how many lanes --executor {executor} does at a time is up to it: leave out --jobs")
    if jobs > 1 and len(chosen) > 1:
        options = [*(f"--check={name}" for name in names), f"--backend={root}"]
        flags = {"--static": static, "--simulate": simulated, "--force": force}
        options += [flag for flag, given in flags.items() if given]
        return _in_processes([lane.tag for lane in chosen], options, jobs)
    failed = False
    for together in [chosen] if work.spreads else [[lane] for lane in chosen]:
        made = {lane.tag: generate(inputs, lane, config.root / config.lanes / lane.tag) for lane in together}
        for lane, finding in _findings(config, inputs, together, made, wanted, force, work.run):
            _note(file, lane, made[lane.tag], finding)
            click.echo(_line(lane, finding))
            failed = failed or finding.evidence.status == "fail"
    _note_proof(config)
    return 1 if failed else 0


def _in_processes(tags: Sequence[str], options: Sequence[str], jobs: int) -> int:
    """Verify lanes in processes of their own and return the worst exit code; each writes its evidence."""
    commands = [[sys.executable, "-P", "-m", "syncbot", "verify", f"--lane={tag}", *options] for tag in tags]
    return max(memory_bound_pool.run_all(commands, min(jobs, memory_bound_pool.room(_MEMORY)), click.echo))


def _wanted(config: Config, names: Sequence[str], static: bool, simulated: bool) -> list[str]:
    """The names of the checks to run, in their order."""
    if names and (static or simulated):
        raise UsageError("--check names the checks: leave out --static and --simulate")
    if static and not simulated:
        return [_STATIC]
    runs = list(_simulations(config))
    known = runs if simulated and not static else [_STATIC, *runs]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no check {name!r}; there are {', '.join(known)}")
    return [name for name in known if not names or name in names]


def _simulations(config: Config) -> dict[str, Check]:
    """The simulated runs that are configured, by the name of the check."""
    return {f"simulate-{check.name}": check for check in checks(simulation(config))}


def _is_run(check: Check, lane: Lane) -> bool:
    """Whether the lane's row leaves that check in."""
    if lane.refuses(f"simulate-{check.name}"):
        return False
    return lane.simulate is None or check.runner in lane.simulate.get(check.case, ())


def _findings(
    config: Config,
    inputs: Inputs,
    lanes: Sequence[Lane],
    made: Mapping[str, Generated],
    wanted: Sequence[str],
    force: bool,
    run: Run,
) -> Iterator[tuple[Lane, Finding]]:
    # No meter is open where a finding is handed over, for a drawn bar and a printed line spoil each other.
    if _STATIC in wanted:
        for lane in lanes:
            yield lane, _static(config, inputs, lane, made[lane.tag])
    left: list[Job] = []
    for lane in lanes:
        runs = [name for name in wanted if name != _STATIC and _is_run(_simulations(config)[name], lane)]
        if runs:
            known, jobs = _prepared(config, inputs, lane, made[lane.tag], runs, force)
            for finding in known:
                yield lane, finding
            left += jobs
    for job, done in run(left, cache_dir(), _MEMORY, meter):
        for check, outcome in done.outcomes.items():
            yield job.lane, _finding(job.lane, check, outcome, known=False)


def _static(config: Config, inputs: Inputs, lane: Lane, made: Generated) -> Finding:
    with meter() as progress, step(progress, f"{lane.tag}: contracts"):
        checked = check_lane(config, inputs.matrix, lane, made.folder, cache_dir(), progress)
    problems = checked.problems
    evidence = Evidence(
        status="fail" if problems else "pass",
        command=f"syncbot verify --lane {lane.tag} --static",
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        digest=made.digest,
        details=_in_short(problems),
    )
    drift = tuple(line for each in checked.drifts for line in each.lines())
    return Finding(_STATIC, evidence, lines=problems, notes=drift)


def _in_short(problems: Sequence[str]) -> str | None:
    """What the matrix keeps of a list of problems; the whole list is printed, and found again at will."""
    if len(problems) <= _KEPT:
        return "; ".join(problems) or None
    return "; ".join([*problems[:_KEPT], f"and {len(problems) - _KEPT} more"])


def _prepared(
    config: Config, inputs: Inputs, lane: Lane, made: Generated, names: Sequence[str], force: bool
) -> tuple[list[Finding], list[Job]]:
    """What is known of simulated runs of a lane, and the jobs for the others."""
    runs = _simulations(config)
    settings, cache = simulation(config), cache_dir()
    with meter() as progress:
        workshop = SimulationSetup(config, settings, Installer.of_this_machine(cache), cache, progress)
        environment = workshop.digest(inputs.distribution, lane)
        subject = workshop.subject(lane, made)
    known, left = [], []
    for name in names:
        outcome = None if force else recall(subject, runs[name], environment, settings, cache)
        if outcome is None:
            left.append(runs[name])
        else:
            known.append(_finding(lane, runs[name], outcome, known=True))
    rows = batches(left, settings.together)
    return known, jobs_of(config, inputs.distribution, lane, subject, rows)


def _finding(lane: Lane, check: Check, outcome: Outcome, known: bool) -> Finding:
    evidence = Evidence(
        status="pass" if outcome.passed else "fail",
        command=outcome.command,
        date=outcome.moment,
        digest=outcome.sources,
        details=outcome.reason or None,
        simulated_with=lane.simulated_with,
    )
    return Finding(f"simulate-{check.name}", evidence, known, outcome.log)


def _note(file: Path, lane: Lane, made: Generated, finding: Finding) -> None:
    """Write one piece of evidence at once, so that an interrupted run keeps what it found.

    The matrix is read again each time: a check takes minutes, in which it may have been edited, or
    written by a `syncbot verify` of another lane.
    """
    with _writing(file):
        matrix = matrices.load(file)
        current = matrix.lane(lane.tag)
        before = current.checks.get(finding.check)
        evidence = finding.evidence
        if before is not None and _same(before, evidence):
            # The same check said the same of the same sources: the first date stands, and the file too.
            evidence = before
        current = current.model_copy(update={"sources": made.digest, "patches": made.patches})
        updated = matrix.with_lane(current).with_evidence(lane.tag, finding.check, evidence)
        if updated != matrix:
            matrices.save(updated, file)


def _note_proof(config: Config) -> None:
    """Write into the patch files which checks prove them, from the matrix as it is now."""
    with _writing(config.root / config.matrix):
        folder = config.root / config.patches
        changes = patch_proof.changes(model.load(folder), matrices.load(config.root / config.matrix), folder)
        for path, content in changes.items():
            write_file(path, content)


def _writing(file: Path) -> AbstractContextManager[int]:
    """One process at a time writes evidence into a matrix and what follows from it."""
    lock = hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:16]
    return held(cache_dir() / "locks" / lock)


def _same(one: Evidence, other: Evidence) -> bool:
    return one.model_copy(update={"date": other.date}) == other


def _line(lane: Lane, finding: Finding) -> str:
    status = finding.evidence.status + (" (known)" if finding.known else "")
    reason = [finding.evidence.details] if finding.evidence.details and not finding.lines else []
    log = [f"(log: {finding.log})"] if finding.log else []
    first = "  ".join([lane.tag, finding.check, status, *reason, *log])
    return "\n  ".join([first, *finding.lines, *finding.notes])
