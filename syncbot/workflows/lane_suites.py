"""Run the tests that a plugin brings along: on the release, on lanes, and what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from syncbot.errors import UsageError
from syncbot.suites.report import SuiteReport
from syncbot.verify.configured_checks import simulation
from syncbot.workflows.lane_checks import LaneCheck, Meters, no_meters
from syncbot.workflows.lane_inputs import lane_inputs
from syncbot.workflows.overlay_suites import Ends, OverlaySuites
from syncbot.workflows.suite_setup import suite_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOptions:
    """Of which lanes (tags), all if none is named, and which tests: those below ``only``, all without any.
    With ``force`` what is known runs again. Changes of tests are proposed in the folder ``propose``."""

    backend: Path = Path()
    lanes: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    force: bool = False
    propose: Path | None = None


def lane_suites(
    options: SuiteOptions,
    tell: Callable[[SuiteReport], object] = lambda report: None,
    meters: Meters = no_meters,
) -> tuple[SuiteReport, ...]:
    """Run a package's own tests on its release and on lanes of it, and write what differs into the matrix;
    of a part of the tests nothing is written. ``tell`` is given each report as soon as it is known. Raises
    UsageError for a project that is no overlay and for an unknown lane, ConfigurationError,
    EnvironmentFailure."""
    reports = []
    for report, _ in _ran(options, meters):
        reports.append(report)
        tell(report)
    return tuple(reports)


def renewed_suites(options: SuiteOptions, meters: Meters = no_meters) -> Iterator[LaneCheck]:
    """Run the same, and yield what the matrix holds of each lane then. Raises as ``lane_suites`` does."""
    yield from (check for _, check in _ran(options, meters) if check is not None)


def _ran(options: SuiteOptions, meters: Meters) -> Iterator[tuple[SuiteReport, LaneCheck | None]]:
    config, inputs = lane_inputs(options.backend)
    if config.overlay is None:
        raise UsageError(
            f"{config.root} is no overlay, whose lanes --tests compares with a published release: "
            "syncbot verify-plugin --tests runs the tests of releases"
        )
    lanes = [inputs.matrix.lane(tag) for tag in options.lanes] or list(inputs.matrix)
    settings = suite_settings(simulation(config))
    runner = OverlaySuites(config, inputs, settings, meters, options.only, options.force)
    base = inputs.matrix.baseline_lane
    made, before = runner.outcome(base)
    if base in lanes:
        report = SuiteReport(base.tag, before, part=bool(options.only))
        yield report, runner.record(base, made, report)
    for lane in lanes:
        if lane.tag != base.tag:
            changed, after = runner.outcome(lane)
            ends = Ends(made, changed)
            report = runner.compared(lane, ends, before, after)
            if options.propose is not None:
                report = runner.proposed(lane, ends, report, options.propose)
            yield report, runner.record(lane, changed, report)
