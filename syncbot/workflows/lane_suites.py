"""Run the tests that a plugin brings along: on the release, on lanes, and what differs between them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from syncbot.atomic import write_file
from syncbot.config import Config, SimulationSettings, SuiteSettings
from syncbot.contracts.source_files import read_backend
from syncbot.errors import ConfigurationError, EnvironmentFailure, UsageError
from syncbot.impact.accelerator import Accelerator
from syncbot.impact.session import opened
from syncbot.lanes import backend_files, evidence_files
from syncbot.lanes import present as dependences
from syncbot.lanes.dependence import Present
from syncbot.lanes.evidence import Evidence, TestedSuite
from syncbot.lanes.generate import Generated, Inputs, generate
from syncbot.lanes.matrix import Lane
from syncbot.suites import classes
from syncbot.suites.classes import Classed, Decisions
from syncbot.suites.differences import Difference, Group, differences, grouped
from syncbot.suites.lane_sources import LaneSources
from syncbot.suites.pointed import Pointed, logs, pointed
from syncbot.suites.report import SuiteReport
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import resolve
from syncbot.upstream.model import Meter, step
from syncbot.upstream.opening import open_range
from syncbot.verify.configured_checks import simulation
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup, lock_file
from syncbot.verify.simulate import Subject
from syncbot.verify.suite.outcomes import SuiteOutcome, as_evidence, evidence_name
from syncbot.verify.suite.run import Suite, SuiteRun
from syncbot.verify.suite.tools import tools
from syncbot.verify.unbuilt_wheel import read_whole
from syncbot.workflows.evidence import record
from syncbot.workflows.lane_checks import LaneCheck, Meters, no_meters
from syncbot.workflows.lane_inputs import lane_inputs
from syncbot.workflows.triage import TriageOptions, triage_logs

#: The name of the check in a matrix.
CHECK = "tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOptions:
    """Of which lanes (tags), all if none is named, and which tests: those below ``only``, all without any.
    With ``force`` what is known runs again."""

    backend: Path = Path()
    lanes: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    force: bool = False


def lane_suites(
    options: SuiteOptions,
    tell: Callable[[SuiteReport], object] = lambda report: None,
    meters: Meters = no_meters,
) -> tuple[SuiteReport, ...]:
    """Run a package's own tests on its release and on lanes of it, and write what differs into the matrix;
    of a part of the tests nothing is written. ``tell`` is given each report as soon as it is known. Raises
    UsageError for a project that is no overlay and for an unknown lane, ConfigurationError,
    EnvironmentFailure."""
    config, inputs = lane_inputs(options.backend)
    if config.overlay is None:
        raise UsageError(
            f"{config.root} is no overlay, whose lanes --tests compares with a published release: "
            "syncbot verify-plugin --tests runs the tests of releases"
        )
    lanes = [inputs.matrix.lane(tag) for tag in options.lanes] or list(inputs.matrix)
    runner = _Lanes(config, inputs, suite_settings(simulation(config)), options, meters)
    base = inputs.matrix.baseline_lane
    made, before = runner.outcome(base)
    reports = []
    if base in lanes:
        report = SuiteReport(base.tag, before, part=bool(options.only))
        runner.record(base, made, report)
        reports.append(report)
        tell(report)
    for lane in lanes:
        if lane.tag != base.tag:
            changed, after = runner.outcome(lane)
            report = runner.compared(lane, changed, after, made, before)
            runner.record(lane, changed, report)
            reports.append(report)
            tell(report)
    return tuple(reports)


def suite_settings(settings: SimulationSettings) -> SuiteSettings:
    """The settings of a plugin's own tests. Raises ConfigurationError where there are none."""
    if settings.tests is None:
        raise ConfigurationError(
            'there is no table "tests": name the folders of the tests in [tool.syncbot.plugin.tests], of an '
            "overlay in [simulate.tests]"
        )
    return settings.tests


def suite_run(
    setup: SimulationSetup,
    subject: Callable[[], Subject],
    distribution: str,
    lane: Lane,
    suite: Suite,
) -> SuiteRun:
    """A suite with all that it needs to be run: its environment, and pytest beside it. The ``subject`` is
    asked for when the environment has its lock, on which what runs depends. Raises ConfigurationError,
    EnvironmentFailure."""
    environment = setup.environment(distribution, lane)
    file = lock_file(setup.config, lane)
    if environment.lock is not None and not file.exists():
        write_file(file, str(environment.lock).encode())
    with tempfile.TemporaryDirectory(prefix="syncbot-project-") as folder:
        # What names requirements stands at the top, or in a folder of that name.
        for path, content in suite.files.items():
            if "/" not in path or path.startswith("requirements/"):
                target = Path(folder, path)
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(content)
        made = tools(Path(folder), suite.settings.requires, environment, setup.installer, setup.cache)
    return SuiteRun(setup.stand(subject(), environment), suite, made)


def suite_evidence(report: SuiteReport, lane: Lane, present: Present, command: str, folder: Path) -> Evidence:
    """The evidence of a report, whose file is written into a folder in the place of the lane's former one."""
    suite = report.suite
    name = evidence_name(lane.tag, suite.digest)
    for former in folder.glob(evidence_name(lane.tag, "?" * 12)):
        if former.name != name:
            former.unlink()
    evidence_files.write_changed(folder / name, as_evidence(lane.tag, suite))
    counted = {str(class_): number for class_, number in report.differences.items()}
    return Evidence(
        status="pass" if report.passed else "fail",
        command=command,
        date=suite.moment,
        digest=present.digest(suite.executed, present.environment),
        details=report.counts,
        simulated_with=lane.simulated_with,
        environment=present.environment,
        executed=suite.executed,
        suite=TestedSuite(
            file=name, counts=suite.counts, differences=counted if report.before is not None else None
        ),
    )


@dataclass(frozen=True, slots=True)
class _Lanes:
    """The suites of one overlay."""

    config: Config
    inputs: Inputs
    settings: SuiteSettings
    options: SuiteOptions
    meters: Meters

    @property
    def packages(self) -> tuple[str, ...]:
        return tuple(name.removeprefix("src/") for name in self.config.sources)

    def outcome(self, lane: Lane) -> tuple[Generated, SuiteOutcome]:
        made = generate(self.inputs, lane, self.config.root / self.config.lanes / lane.tag)
        settings, cache = simulation(self.config), cache_dir()
        with self.meters() as meter:
            installer = Installer.of_this_machine(cache, settings.inherit)
            setup = SimulationSetup(self.config, settings, installer, cache, meter)
            suite = Suite(self.settings, self._files(made), self.packages)
            ready = suite_run(setup, lambda: setup.subject(lane, made), self.inputs.distribution, lane, suite)
            return made, ready.outcome(self.options.only, self.options.force, meter)

    def _files(self, made: Generated) -> dict[str, bytes]:
        """The files of the package with the lane's in their places, and those that its build writes."""
        written = self.config.overlay.written if self.config.overlay is not None else {}
        files = read_whole(self.config.backend_path) | backend_files.below(made.folder)
        return files | {path: text.encode() for path, text in written.items()}

    def compared(
        self, lane: Lane, made: Generated, after: SuiteOutcome, release: Generated, before: SuiteOutcome
    ) -> SuiteReport:
        """The report of a lane beside that of the release."""
        found = differences(before, after)
        decisions = classes.load(self.config.root / self.settings.classes)
        base = self.inputs.matrix.baseline_lane
        with self.meters() as meter:
            groups, classed = self._classed(lane, made, release, found, decisions, meter)
            leads = self._pointed(base, lane, [each.group for each in classed], meter)
        part = bool(self.options.only)
        unused = () if part else tuple(classes.unused(groups, decisions))
        return SuiteReport(
            lane.tag, after, before, base.tag, tuple(found), tuple(classed), leads, unused, part
        )

    def _classed(
        self,
        lane: Lane,
        made: Generated,
        release: Generated,
        found: Sequence[Difference],
        decisions: Decisions,
        meter: Meter,
    ) -> tuple[list[Group], list[Classed]]:
        """The differences by cause, and the same with their classes."""
        if not found:
            return [], []
        config, base = self.config, self.inputs.matrix.baseline_lane
        ends = (str(base.version), str(lane.version))
        old, new = (
            read_backend(each.folder, config.sources, (), config.limits.values) for each in (release, made)
        )
        with (
            step(meter, f"{lane.tag}: classes of differences"),
            open_range(config, None, cache_dir(), *ends, meter) as followed,
            opened(config, followed, new, cache_dir()) as trees,
        ):
            before, after = (trees.tree(resolve(followed.repository, end)) for end in ends)
            universes = trees.with_backend(old, Accelerator()).universe(before), trees.universe(after)
            groups = grouped(found, {*self.packages, *followed.packages}, self.settings.folders)
            was, now = (
                LaneSources(self._files(each), self.packages, followed.packages, universe)
                for each, universe in zip((release, made), universes, strict=True)
            )
            return groups, classes.classed(groups, decisions, was, now, self.settings.folders)

    def _pointed(
        self, base: Lane, lane: Lane, groups: Sequence[Group], meter: Meter
    ) -> Mapping[tuple[str, str], Pointed]:
        """Where groups lead; nothing where upstream's history cannot be searched."""
        with tempfile.TemporaryDirectory(prefix="syncbot-triage-") as folder:
            logged = logs(groups, Path(folder))
            if not logged:
                return {}
            asked = TriageOptions(
                logs=tuple(logged),
                backend=self.options.backend,
                old=str(base.version),
                new=str(lane.version),
            )
            try:
                return pointed(logged, triage_logs(asked, meter))
            except EnvironmentFailure:
                return {}

    def record(self, lane: Lane, made: Generated, report: SuiteReport) -> None:
        """Write what became of all tests into the matrix."""
        if report.part:
            return
        present = dependences.present(self.config, lane, backend_files.below(made.folder))
        folder = (self.config.root / self.config.matrix).parent / evidence_files.FOLDER
        command = f"syncbot verify --tests --lane {lane.tag}"
        evidence = suite_evidence(report, lane, present, command, folder)
        record(self.config, LaneCheck(lane, CHECK, evidence, present=present), made)
