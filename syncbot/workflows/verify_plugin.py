"""Run the releases of somebody else's plugin, as published, on a simulated device, and keep the evidence."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from syncbot import config as configuration
from syncbot.atomic import write_file
from syncbot.config import Config, PluginSettings
from syncbot.errors import ConfigurationError, EnvironmentFailure, UsageError
from syncbot.lanes import plugin_matrix
from syncbot.lanes import present as dependences
from syncbot.lanes.dependence import Present
from syncbot.lanes.evidence import Evidence, PlantedFault
from syncbot.lanes.plugin_matrix import Release
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, no_meter, step
from syncbot.verify import executors
from syncbot.verify.installer import Installer
from syncbot.verify.job import Job
from syncbot.verify.job import jobs as jobs_of
from syncbot.verify.lane_environment import SimulationSetup, lock_file
from syncbot.verify.release_files import open_index, published_source
from syncbot.verify.simulate import Check, Outcome, Subject, batches, checks, recall
from syncbot.verify.told_variables import told_variables
from syncbot.verify.unbuilt_wheel import SOURCES, members, unbuilt_wheel
from syncbot.workflows.evidence import record_release
from syncbot.workflows.lane_checks import MEMORY, LaneCheck, Meters, kept, no_meters
from syncbot.workflows.renewal import Budget

#: Has the check's module run each case with its faults.
_FAULTS = "--faults"


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginOptions:
    """Which releases and which checks, all if none is named; with ``force`` those that passed run again. With
    ``faults`` each case that passes is run with its faults, which it has to notice. With ``stale`` only those
    run of which the matrix says nothing of the sources as they are, with faults and without, within a
    ``budget`` of seconds, if given."""

    backend: Path = Path()
    releases: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    force: bool = False
    faults: bool = False
    stale: bool = False
    budget: float | None = None
    executor: str = executors.DEFAULT


@dataclass(frozen=True, slots=True)
class ReleaseRuns:
    """The runs of one project's plugin; ``config`` has the plugin's settings for those of lanes."""

    config: Config
    settings: PluginSettings
    upstream: str
    cache: Path

    def setup(self, meter: Meter = no_meter) -> SimulationSetup:
        """Return the setup that makes the environments and the wheels of the runs."""
        installer = Installer.of_this_machine(self.cache, self.settings.inherit)
        return SimulationSetup(self.config, self.settings, installer, self.cache, meter)

    @property
    def matrix(self) -> Path:
        """The file of the plugin's releases."""
        return self.config.root / self.settings.matrix

    def present(self, release: Release, sources: str) -> Present:
        """Return the state that the release's checks may depend on."""
        return dependences.present(self.config, release.environment, {}, sources)

    def files(self, release: Release, setup: SimulationSetup) -> tuple[dict[str, bytes], str]:
        """The files of the release's source distribution by path, and its SHA-256."""
        name, version = self.settings.distribution, str(release.version)
        with step(setup.meter, f"{name} {version}: source distribution"):
            source = published_source(name, version, self.config.index, self.cache)
            if source.sha256 is None or source.kind != "sdist":
                raise EnvironmentFailure(
                    f"the package index has no source distribution of {name} {version} with a sha256"
                )
            with closing(open_index(self.config.index)) as index:
                archive = index.download(source, self.cache, setup.meter)
        return members(archive), source.sha256

    def subject(self, release: Release, setup: SimulationSetup) -> Subject:
        """The release's wheel, made of its source distribution, and what stands beside it."""
        settings, name, version = self.settings, self.settings.distribution, str(release.version)
        files, sha256 = self.files(release, setup)
        facts = [sha256, sorted(settings.written.items()), sorted(settings.read.items())]
        digest = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
        folder = self.cache / "lanes" / f"{release.environment.tag}-{digest[:16]}"
        kept = tuple(settings.read.values())
        wheel = unbuilt_wheel(files, name, version, settings.written, kept, folder)
        read = {variable: f"{SOURCES}/{path}" for variable, path in settings.read.items()}
        wheels = setup.wheels(release.environment)
        # Of the lane that jobs are done in: what passed is known by it.
        told = told_variables(settings, release.environment, wheel)
        present = self.present(release, digest)
        return Subject(release.environment.tag, wheel, digest, wheels, setup.beside(), read, told, present)


def verify_plugin(
    options: PluginOptions,
    tell: Callable[[LaneCheck], object] = lambda result: None,
    meters: Meters = no_meters,
) -> tuple[LaneCheck, ...]:
    """Check releases, and write each result into the plugin's matrix as soon as it is known; ``tell`` is
    given it then. Raises UsageError for an unknown release, check or executor, ConfigurationError,
    EnvironmentFailure."""
    runs, chosen = release_runs(options.backend, options.releases)
    file = runs.matrix
    wanted = _chosen(runs.settings, options)
    work = executors.executor(options.executor)
    budget = Budget(options.budget if options.budget is not None else math.inf)
    results = []
    for together in [chosen] if work.spreads else [(release,) for release in chosen]:
        if not budget.has_room:
            break
        rows = [(release, _asked(runs, release, options, wanted)) for release in together]
        rows = [(release, checks) for release, checks in rows if checks]
        for result in _results(runs, rows, budget.within(work.run), options.force, meters):
            record_release(file, result)
            results.append(result)
            tell(result)
    return tuple(results)


def release_runs(backend: Path, names: Sequence[str]) -> tuple[ReleaseRuns, tuple[Release, ...]]:
    """The runs of a project's plugin, and the releases of these tags or versions, all without any. Raises
    UsageError for an unknown release, ConfigurationError."""
    config = configuration.load(backend)
    settings = config.plugin
    if settings is None:
        raise ConfigurationError("there is no [tool.syncbot.plugin]: name the plugin's distribution in it")
    matrix = plugin_matrix.load(config.root / settings.matrix)
    if matrix.upstream not in config.upstreams:
        raise ConfigurationError(f"{settings.matrix}: upstream {matrix.upstream!r} is not configured")
    upstream = config.upstreams[matrix.upstream].release or matrix.upstream
    own = config.model_copy(update={"simulate": settings, "locks": settings.locks})
    asked = [matrix.release(name) for name in names] or matrix.releases
    chosen = tuple({release.tag: release for release in asked}.values())
    return ReleaseRuns(own, settings, upstream, cache_dir()), chosen


def _chosen(settings: PluginSettings, options: PluginOptions) -> dict[str, Check]:
    plain = checks(settings)
    faulty = tuple(Check(each.case, each.runner, (_FAULTS,)) for each in plain)
    runs = (*plain, *faulty) if options.stale else faulty if options.faults else plain
    names, known = options.checks, {_name(check): check for check in runs}
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"there is no check {unknown[0]!r}; there are {', '.join(known)}")
    return {name: check for name, check in known.items() if not names or name in names}


def _name(check: Check) -> str:
    """The check's name in the matrix."""
    return f"{'faults' if _FAULTS in check.arguments else 'simulate'}-{check.case}-{check.runner}"


def _asked(
    runs: ReleaseRuns, release: Release, options: PluginOptions, wanted: dict[str, Check]
) -> list[Check]:
    """The checks of a release. Faults that nobody named are put into what passes without any."""
    if options.stale:
        # Of a release that never ran, every check is missing; else the matrix has those that are claimed.
        now = release.marked(runs.present(release, release.sources or ""))
        claimed = now.checks or [name for name, check in wanted.items() if _FAULTS not in check.arguments]
        return [wanted[name] for name in wanted if name in claimed and _is_stale(now, name)]
    passed = {name for name, evidence in release.checks.items() if evidence.status == "pass"}
    unnamed = options.faults and not options.checks
    return [
        check for check in wanted.values() if not unnamed or _name(Check(check.case, check.runner)) in passed
    ]


def _is_stale(release: Release, check: str) -> bool:
    return release.shown(check) in ("stale", "unknown")


def _results(
    runs: ReleaseRuns,
    asked: Sequence[tuple[Release, Sequence[Check]]],
    run: executors.Run,
    force: bool,
    meters: Meters,
) -> Iterator[LaneCheck]:
    """Yield the results of the requested checks of each release."""
    jobs: list[Job] = []
    # By the sources that a job runs on: two releases may be made for one upstream.
    of_sources: dict[str, Release] = {}
    for release, wanted in asked:
        with meters() as progress:
            setup = runs.setup(progress)
            environment = setup.digest(runs.upstream, release.environment)
            subject = runs.subject(release, setup)
        of_sources[subject.sources] = release
        left = []
        for check in wanted:
            outcome = None if force else recall(subject, check, environment, runs.settings, runs.cache)
            if outcome is None:
                left.append(check)
            else:
                yield _said(release, check, outcome, subject.present, known=True)
        rows = batches(left, runs.settings.together)
        jobs += jobs_of(runs.config, runs.upstream, release.environment, subject, rows)
    for job, done in run(jobs, runs.cache, MEMORY, meters):
        file = lock_file(runs.config, job.lane)
        if done.lock is not None and not file.exists():
            write_file(file, done.lock.encode())
        for check, outcome in done.outcomes.items():
            # With the lock that it may have brought.
            release = of_sources[job.sources]
            yield _said(release, check, outcome, runs.present(release, job.sources), known=False)


def _faults(outcome: Outcome) -> dict[str, PlantedFault] | None:
    found = outcome.result.get("faults")
    if not isinstance(found, dict):
        return None
    return {str(name): PlantedFault.model_validate(said) for name, said in found.items()}


def _said(release: Release, check: Check, outcome: Outcome, present: Present, known: bool) -> LaneCheck:
    refused = outcome.result.get("unsupported")
    evidence = Evidence(
        status="unsupported" if refused and not outcome.passed else outcome.status,
        command=outcome.command,
        date=outcome.moment,
        digest=present.digest(outcome.executed, present.environment),
        details=str(refused) if refused else outcome.reason or None,
        simulated_with=release.simulated_with,
        environment=present.environment,
        executed=kept(outcome),
        faults=_faults(outcome),
    )
    return LaneCheck(release, _name(check), evidence, known, outcome.log, present=present)
