"""``syncbot verify``: does each lane still keep to its upstream's contracts, and does it run?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncbot.cli import options, options_of_runs
from syncbot.cli.progress import meter
from syncbot.configuration_file import chosen_file
from syncbot.errors import UsageError
from syncbot.report.untrusted_text import printable
from syncbot.verify import executors, memory_bound_pool

if TYPE_CHECKING:
    from syncbot.verify.recording.differences import Difference
    from syncbot.workflows.compare_lanes import ComparedCheck
    from syncbot.workflows.verify import VerifyOptions


@click.command(short_help="Check lanes, statically and by simulated runs.")
@options.lanes
@click.option(
    "--check", "checks", multiple=True, metavar="NAME",
    help="Only this check, such as simulate-qwen3-v1 or static. Repeatable.",
)  # fmt: skip
@click.option("--static", is_flag=True, help="Only the static check of contracts, which takes seconds.")
@click.option("--simulate", is_flag=True, help="Only the simulated runs, about a minute each.")
@click.option("--force", is_flag=True, help="Run checks again whose results on the same sources are known.")
@click.option(
    "--stale",
    is_flag=True,
    help="Only checks whose evidence is missing or of other sources; the newest and the oldest lane first.",
)
@options_of_runs.budget
@click.option(
    "--shard",
    metavar="I/N",
    help="Only part I of the lanes shared out in N parts, for N machines: --shard 2/6.",
)
@click.option(
    "--lock", is_flag=True, help="Only write the locks of lanes that have none. Nothing is checked."
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
    help="Check N lanes at a time, each in its own process, as far as memory goes. Example: --jobs 4.",
)  # fmt: skip
@options_of_runs.executor
@click.option(
    "--compare", nargs=2, metavar="LANE LANE",
    help="Only compare what happens in the runs of two lanes: --compare v0.31.0 v0.32.0.",
)  # fmt: skip
@click.option(
    "--tests", is_flag=True,
    help="Only run an overlay package's own tests, on its release and on lanes, and tell what differs.",
)  # fmt: skip
@options_of_runs.test_paths
@click.option(
    "--propose", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="With --tests: write changes of the tests that pin the old upstream, and run these with them.",
)  # fmt: skip
@options.backend
def command(
    jobs: int,
    lock: bool,
    compare: tuple[str, ...] | None,
    stale: bool,
    budget: float | None,
    shard: str | None,
    tests: bool,
    only: tuple[str, ...],
    propose: Path | None,
    **asked: Any,
) -> int:
    """Check every lane and write the evidence into the matrix.

    The static check compares the lane's sources with what its upstream offers. It also shows the functions
    of upstream that the lane copies and that have changed since, with the merge that would refresh each copy.
    The simulated run installs the lane's real upstream, once, and runs the lane's wheel in it without an
    accelerator. An interrupted run goes on where it stopped: what passed on the same sources is known.

    A run that uses more processor time than it may, or none, is unknown: it takes the place of no evidence.

    Example: syncbot verify --lane v0.28.0 --simulate

    --tests runs the own tests of an overlay's package, on the release and on each lane, and groups by cause
    the tests that pass there and not here.

    Example: syncbot verify --lane v0.33.0 --tests
    """
    from syncbot.workflows import renewal
    from syncbot.workflows.verify import VerifyOptions, chosen_lanes, verify_lanes

    part = renewal.shard(shard) if shard is not None else None
    wanted = VerifyOptions(**asked, stale=stale or budget is not None, budget=budget, shard=part)
    if wanted.stale and wanted.force:
        raise UsageError("--force runs what is current: leave out --stale and --budget")
    if budget is not None and (jobs > 1 or lock):
        raise UsageError("--budget is for one check after another: leave out --jobs and --lock")
    if tests or only or propose:
        return _tests(wanted, only, propose, jobs, lock or bool(compare))
    if compare:
        return _compared(compare, wanted, jobs, lock)
    if lock:
        return _locked(wanted)
    if jobs > 1:
        if executors.executor(wanted.executor).spreads:
            raise UsageError(
                f"--executor {wanted.executor} decides itself how many lanes run at a time: leave out --jobs"
            )
        tags = chosen_lanes(wanted)
        if len(tags) > 1:
            return _in_processes(tags, wanted, jobs)
    results = verify_lanes(wanted, lambda result: click.echo(result.as_text()), meter)
    return int(any(result.evidence.status in ("fail", "unknown") for result in results))


def _locked(wanted: VerifyOptions) -> int:
    """Write the locks that are not there."""
    from syncbot.workflows.verify import lock_lanes

    if wanted.checks or wanted.static or wanted.simulate or wanted.force:
        raise UsageError("--lock checks nothing: leave out --check, --static, --simulate and --force")
    lock_lanes(wanted, lambda file: click.echo(printable(str(file))), meter)
    return 0


def _compared(lanes: tuple[str, ...], wanted: VerifyOptions, jobs: int, lock: bool) -> int:
    """Tell what differs between two lanes, each difference once; 1 if anything does."""
    from syncbot.workflows.compare_lanes import CompareOptions, compare_lanes

    if wanted.lanes or wanted.static or lock or jobs > 1 or wanted.executor != executors.DEFAULT:
        raise UsageError(
            "--compare runs two lanes here: leave out --lane, --static, --lock, --jobs and --executor"
        )
    told: set[Difference] = set()

    def tell(result: ComparedCheck) -> None:
        click.echo(result.as_text(told))
        told.update(each.difference for each in result.found)

    asked = CompareOptions(lanes=lanes, checks=wanted.checks, force=wanted.force, backend=wanted.backend)
    return int(any(result.found or result.failures for result in compare_lanes(asked, tell, meter)))


def _tests(wanted: VerifyOptions, only: tuple[str, ...], propose: Path | None, jobs: int, other: bool) -> int:
    """Tell what became of a package's own tests; 1 if a lane loses any that are not the tests' own doing."""
    from syncbot.workflows.lane_suites import SuiteOptions, lane_suites

    other = other or bool(wanted.checks or wanted.static or wanted.simulate or wanted.stale or wanted.shard)
    if other or jobs > 1 or wanted.executor != executors.DEFAULT:
        raise UsageError(
            "--tests takes --lane, --test, --propose and --force alone: leave out the other options"
        )
    asked = SuiteOptions(
        backend=wanted.backend, lanes=wanted.lanes, only=only, force=wanted.force, propose=propose
    )
    reports = lane_suites(asked, lambda report: click.echo(report.as_text()), meter)
    return int(not all(report.passed for report in reports))


def _in_processes(tags: Sequence[str], wanted: VerifyOptions, jobs: int) -> int:
    """Verify each lane in its own process and return the worst exit code; each writes its evidence."""
    from syncbot.workflows.lane_checks import MEMORY

    flags = {"--static": wanted.static, "--simulate": wanted.simulate}
    flags |= {"--force": wanted.force, "--stale": wanted.stale}
    rest = [*(f"--check={name}" for name in wanted.checks), f"--backend={wanted.backend}"]
    rest += [f"--config={file}"] if (file := chosen_file()) is not None else []
    rest += [flag for flag, given in flags.items() if given]
    commands = [[sys.executable, "-P", "-m", "syncbot", "verify", f"--lane={tag}", *rest] for tag in tags]
    return max(memory_bound_pool.run_all(commands, min(jobs, memory_bound_pool.room(MEMORY)), click.echo))
