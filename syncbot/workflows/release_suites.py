"""Run the tests that a plugin's releases bring along, as published, and keep what became of each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from syncbot.config import SuiteSettings
from syncbot.lanes.evidence_files import FOLDER
from syncbot.lanes.plugin_matrix import Release
from syncbot.suites.report import SuiteReport
from syncbot.verify.lane_environment import SimulationSetup
from syncbot.verify.suite.run import Suite, SuiteRun
from syncbot.workflows.evidence import record_release
from syncbot.workflows.lane_checks import LaneCheck, Meters, no_meters
from syncbot.workflows.lane_suites import SuiteOptions
from syncbot.workflows.suite_setup import CHECK, suite_evidence, suite_run, suite_settings
from syncbot.workflows.verify_plugin import ReleaseRuns, release_runs


def release_suites(
    options: SuiteOptions,
    tell: Callable[[SuiteReport], object] = lambda report: None,
    meters: Meters = no_meters,
) -> tuple[SuiteReport, ...]:
    """Run the tests of releases (``lanes`` are their tags or versions) and write what became of them into the
    plugin's matrix; of a part of the tests nothing is written. ``tell`` is given each report as soon as it is
    known. Raises UsageError for an unknown release, ConfigurationError, EnvironmentFailure."""
    runs, chosen = release_runs(options.backend, options.lanes)
    reports = []
    for release in chosen:
        report = _report(runs, release, options, meters)
        reports.append(report)
        tell(report)
    return tuple(reports)


def release_run(
    runs: ReleaseRuns, release: Release, settings: SuiteSettings, setup: SimulationSetup
) -> SuiteRun:
    """The tests of a release where they can be run. Raises ConfigurationError, EnvironmentFailure."""
    files, _ = runs.files(release, setup)
    written = {path: text.encode() for path, text in runs.settings.written.items()}
    suite = Suite(settings, files | written, _packages(files))
    return suite_run(setup, lambda: runs.subject(release, setup), runs.upstream, release.environment, suite)


def _report(runs: ReleaseRuns, release: Release, options: SuiteOptions, meters: Meters) -> SuiteReport:
    with meters() as meter:
        ready = release_run(runs, release, suite_settings(runs.settings), runs.setup(meter))
        report = SuiteReport(
            release.tag, ready.outcome(options.only, options.force, meter), part=bool(options.only)
        )
    if not report.part:
        folder = runs.matrix.parent / FOLDER / "plugin"
        present = runs.present(release, ready.stand.subject.sources)
        command = f"syncbot verify-plugin --tests --release {release.version}"
        evidence = suite_evidence(report, release, present, command, folder)
        record_release(runs.matrix, LaneCheck(release, CHECK, evidence, present=present))
    return report


def _packages(files: dict[str, bytes]) -> tuple[str, ...]:
    """The packages of a source distribution, as setuptools names them in it."""
    named = [text for path, text in files.items() if PurePosixPath(path).match("*.egg-info/top_level.txt")]
    return tuple(dict.fromkeys(name for text in named for name in text.decode().split()))
