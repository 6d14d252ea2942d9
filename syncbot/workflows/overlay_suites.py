"""The tests of an overlay's release and its lanes: run, compared, recorded, and changes of them proposed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from syncbot.config import Config, SuiteSettings
from syncbot.contracts.source_files import read_backend
from syncbot.errors import EnvironmentFailure
from syncbot.impact.accelerator import Accelerator
from syncbot.impact.session import opened
from syncbot.lanes import backend_files, evidence_files
from syncbot.lanes import present as dependences
from syncbot.lanes.generate import Generated, Inputs, generate
from syncbot.lanes.matrix import Lane
from syncbot.patching.file_rewrites import FileRewrites
from syncbot.suites import classes
from syncbot.suites.classes import Classed, Decisions
from syncbot.suites.differences import Difference, Group, differences, grouped
from syncbot.suites.lane_sources import LaneSources
from syncbot.suites.moved_names import moves
from syncbot.suites.pointed import Pointed, logs, pointed
from syncbot.suites.proposed_tests import Proposal, Proposed, changed, pinning, proposal, write
from syncbot.suites.report import SuiteReport
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import resolve
from syncbot.upstream.model import Meter, step
from syncbot.upstream.opening import open_range
from syncbot.verify.configured_checks import simulation
from syncbot.verify.installer import Installer
from syncbot.verify.lane_environment import SimulationSetup
from syncbot.verify.suite.outcomes import SuiteOutcome
from syncbot.verify.suite.run import Suite
from syncbot.verify.unbuilt_wheel import read_whole
from syncbot.workflows.evidence import record
from syncbot.workflows.lane_checks import LaneCheck, Meters
from syncbot.workflows.suite_setup import CHECK, suite_evidence, suite_run
from syncbot.workflows.triage import TriageOptions, triage_logs


class Ends(NamedTuple):
    """The release and a lane, as they are generated."""

    release: Generated
    lane: Generated


@dataclass(frozen=True, slots=True)
class OverlaySuites:
    """The suites of one overlay: the tests below ``only``, all without any; with ``force`` what is known runs
    again."""

    config: Config
    inputs: Inputs
    settings: SuiteSettings
    meters: Meters
    only: tuple[str, ...] = ()
    force: bool = False

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages of the plugin."""
        return tuple(name.removeprefix("src/") for name in self.config.sources)

    def outcome(self, lane: Lane) -> tuple[Generated, SuiteOutcome]:
        """A lane as it is generated, and what becomes of its tests. Raises ConfigurationError,
        EnvironmentFailure."""
        made = generate(self.inputs, lane, self.config.root / self.config.lanes / lane.tag)
        with self.meters() as meter:
            return made, self._outcome(lane, made, self._files(made), self.only, meter)

    def _outcome(
        self, lane: Lane, made: Generated, files: Mapping[str, bytes], only: Sequence[str], meter: Meter
    ) -> SuiteOutcome:
        settings, cache = simulation(self.config), cache_dir()
        installer = Installer.of_this_machine(cache, settings.inherit)
        setup = SimulationSetup(self.config, settings, installer, cache, meter)
        suite = Suite(self.settings, files, self.packages)
        ready = suite_run(setup, lambda: setup.subject(lane, made), self.inputs.distribution, lane, suite)
        return ready.outcome(only, self.force, meter)

    def _files(self, made: Generated) -> dict[str, bytes]:
        """The files of the package with the lane's in their places, and those that its build writes."""
        written = self.config.overlay.written if self.config.overlay is not None else {}
        files = read_whole(self.config.backend_path) | backend_files.below(made.folder)
        return files | {path: text.encode() for path, text in written.items()}

    def compared(self, lane: Lane, ends: Ends, before: SuiteOutcome, after: SuiteOutcome) -> SuiteReport:
        """The report of a lane beside that of the release."""
        found = differences(before, after)
        decisions = classes.load(self.config.root / self.settings.classes)
        base = self.inputs.matrix.baseline_lane
        groups: list[Group] = []
        classed: list[Classed] = []
        with self.meters() as meter:
            if found:
                with step(meter, f"{lane.tag}: differences"), self._read(lane, ends, meter) as (was, now):
                    groups = grouped(found, {*self.packages, *now.upstream}, self.settings.folders)
                    classed = classes.classed(groups, decisions, was, now, self.settings.folders)
            leads = self._pointed(base, lane, [each.group for each in classed], meter)
        part = bool(self.only)
        unused = () if part else tuple(classes.unused(groups, decisions))
        return SuiteReport(
            lane.tag, after, before, base.tag, tuple(found), tuple(classed), leads, unused, part
        )

    def proposed(self, lane: Lane, ends: Ends, report: SuiteReport, folder: Path) -> SuiteReport:
        """Write proposed changes of the tests that pin the old upstream into a folder, and run these with
        them; the report with what became of that. Raises ConfigurationError, EnvironmentFailure."""
        files, by_file = self._files(ends.lane), pinning(report.groups)
        found: list[Proposal] = []
        with self.meters() as meter:
            with self._read(lane, ends, meter) as (was, now):
                for file in sorted(by_file.keys() & files.keys()):
                    if file.partition("/")[0] not in self.packages:
                        rules = [*moves(files[file], was, now), *report.rewrites(by_file[file].groups)]
                        change = proposal(file, files[file], rules, FileRewrites(cache_dir()))
                        found += [change] if change is not None else []
            write(found, folder / lane.tag)
            asked = sorted({node for each in found for node in by_file[each.file].nodes})
            only = sorted({node.partition("::")[0] for node in asked})
            told = Proposed(folder / lane.tag, tuple(each.file for each in found), tuple(asked))
            if report.before is not None and asked:
                files = changed(files, found)
                done = self._outcome(lane, ends.lane, files, only, meter)
                left = [each for each in differences(report.before, done) if each.node in told.asked]
                with self._read(lane, ends, meter, files) as (was, now):
                    told = replace(told, left=tuple(self._classed(left, was, now)))
        return replace(report, proposed=told)

    def _classed(self, found: Sequence[Difference], was: LaneSources, now: LaneSources) -> list[Classed]:
        groups = grouped(found, {*self.packages, *now.upstream}, self.settings.folders)
        return classes.classed(groups, Decisions(), was, now, self.settings.folders)

    @contextmanager
    def _read(
        self, lane: Lane, ends: Ends, meter: Meter, files: Mapping[str, bytes] | None = None
    ) -> Iterator[tuple[LaneSources, LaneSources]]:
        """The sources of the release and of a lane, each with its upstream; its ``files`` may be given."""
        config = self.config
        versions = (str(self.inputs.matrix.baseline_lane.version), str(lane.version))
        old, new = (read_backend(each.folder, config.sources, (), config.limits.values) for each in ends)
        with (
            open_range(config, None, cache_dir(), *versions, meter) as followed,
            opened(config, followed, new, cache_dir()) as trees,
        ):
            before, after = (trees.tree(resolve(followed.repository, version)) for version in versions)
            universes = trees.with_backend(old, Accelerator()).universe(before), trees.universe(after)
            texts = (self._files(ends.release), files or self._files(ends.lane))
            was, now = (
                LaneSources(text, self.packages, followed.packages, universe)
                for text, universe in zip(texts, universes, strict=True)
            )
            yield was, now

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
                backend=self.config.root,
                old=str(base.version),
                new=str(lane.version),
                rewrites=False,
            )
            try:
                return pointed(logged, triage_logs(asked, meter))
            except EnvironmentFailure:
                return {}

    def record(self, lane: Lane, made: Generated, report: SuiteReport) -> LaneCheck | None:
        """Write what became of all tests into the matrix, and return that; None of a part of them."""
        if report.part:
            return None
        present = dependences.present(self.config, lane, backend_files.below(made.folder))
        folder = (self.config.root / self.config.matrix).parent / evidence_files.FOLDER
        command = f"syncbot verify --tests --lane {lane.tag}"
        evidence = suite_evidence(report, lane, present, command, folder)
        result = LaneCheck(lane, CHECK, evidence, present=present)
        record(self.config, result, made)
        return result
