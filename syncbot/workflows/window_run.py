"""A project, run beside each release of its window: imports and tests, in an environment for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from packaging.version import Version

from syncbot.config import Config
from syncbot.impact.runs import Ran, RunFailure
from syncbot.impact.statement_lines import Statements
from syncbot.impact.trees import Trees
from syncbot.project_metadata.installed_with import installed_with
from syncbot.running.commands import Pairing, unguarded
from syncbot.running.ends import distribution_of, published
from syncbot.running.environment import NotInstallable, installed
from syncbot.running.failures import Lost, Told, told
from syncbot.running.model import Ending
from syncbot.running.nearest_first import nearest_first
from syncbot.running.on_releases import OnRelease, on_releases
from syncbot.running.project_copy import Project, project_of
from syncbot.triage.diagnosis import Origin
from syncbot.triage.guilty_commits import environmental
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter
from syncbot.upstream.opening import Upstream
from syncbot.verify.installer import Installer
from syncbot.verify.violations import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRun:
    """A project, run beside a release. ``modules`` and ``tests`` work; so many are ``lost``: they fail here
    each time, and work on another release or come through a line that breaks by reading. ``failures`` are
    those of them that say something of the project, ``uncounted`` are about what a test itself does, or about
    the environment. ``notes`` say what of the project's wishes was not installed; ``not_installed`` says why
    nothing could be."""

    modules: int = 0
    modules_lost: int = 0
    tests: int = 0
    tests_lost: int = 0
    failures: tuple[RunFailure, ...] = ()
    uncounted: tuple[RunFailure, ...] = ()
    flaky: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    not_installed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRun:
    """A project, run beside all releases: ``own`` fails and works on none of them, for no reason that reading
    knows: no matter of upstream. Of so many ``files`` of tests the budget left some out (``files_left``).
    ``notes`` are facts to know."""

    own: tuple[RunFailure, ...] = ()
    files: int = 0
    files_left: int = 0
    notes: tuple[str, ...] = ()


def run_beside(
    config: Config,
    followed: Upstream,
    trees: Trees,
    commits: Mapping[Version, str],
    breaks: Mapping[Version, Sequence[Violation]],
    budget: float,
    meter: Meter,
) -> tuple[Mapping[Version, ReleaseRun], WindowRun]:
    """Run the modules and the tests of a project beside the releases of some commits, of which reading says
    what ``breaks``. The tests have ``budget`` seconds of processor together, and those near such lines
    are run first. Raises UsageError where the index does not have the upstream, EnvironmentFailure."""
    project = project_of(trees.backend)
    newest = commits[max(commits)]
    distribution = distribution_of(config, followed, newest)
    pairings, refused = _installed(config, followed, distribution, project, commits, meter)
    breaking = {violation.file for several in breaks.values() for violation in several}
    files = nearest_first(project, frozenset(trees.tree(newest).modules), breaking)
    found = on_releases({str(version): one for version, one in pairings.items()}, files, budget, meter)
    read = _Read(project, Statements(trees.backend), breaks, {*trees.packages, *trees.backend.packages})
    dead = [*read.dead(found.dead_modules, Ran.MODULE), *read.dead(found.dead_tests, Ran.TEST)]
    ran = {
        version: _release_run(found.releases[str(version)], pairing, read, read.explained(version, dead))
        for version, pairing in pairings.items()
    } | {version: ReleaseRun(not_installed=reason) for version, reason in refused.items()}
    own = tuple(_usual(each) for each in dead if not read.explains(each))
    return ran, WindowRun(own=own, files=len(files), files_left=found.files_left, notes=unguarded())


@dataclass(frozen=True, slots=True)
class _Read:
    """A project as reading knows it: its statements, what breaks in it by release, and the packages of
    both."""

    project: Project
    statements: Statements
    breaks: Mapping[Version, Sequence[Violation]]
    packages: Collection[str]

    def told(self, endings: Mapping[str, Ending], what: Ran) -> list[Told]:
        """Return the facts of the tracebacks of modules or tests."""
        return [self._one(name, ending, what) for name, ending in endings.items()]

    def dead(self, names: Mapping[str, Mapping[str, Ending]], what: Ran) -> Iterator[Mapping[Version, Told]]:
        """Yield the facts of each traceback of a module or test that works beside no release, by release."""
        for name, endings in names.items():
            yield {Version(release): self._one(name, ending, what) for release, ending in endings.items()}

    def explains(self, dead: Mapping[Version, Told]) -> bool:
        """Whether, wherever something fails that works beside no release, it comes through a statement that
        breaks there."""
        return all(self._comes_through(version, told) for version, told in dead.items())

    def explained(self, version: Version, dead: Sequence[Mapping[Version, Told]]) -> list[Told]:
        """The failures beside this release of what works beside none, and whose cause is known."""
        return [each[version] for each in dead if version in each and self.explains(each)]

    def counts(self, told: Told) -> bool:
        """Whether a failure says something of the project, and not of a test or of the environment."""
        outside = (
            told.failure is not None
            and environmental(told.failure, self.packages).origin is Origin.ENVIRONMENT
        )
        return not (told.tests_only or outside)

    def _one(self, name: str, ending: Ending, what: Ran) -> Told:
        paths = {file.module: f"{self.project.prefix}{file.path}" for file in self.project.backend.files}
        file = paths[name] if what is Ran.MODULE else name.partition("::")[0]
        return told(Lost(what, name, file, ending), self.project)

    def _comes_through(self, version: Version, told: Told) -> bool:
        breaking = {(v.file, self.statements.start(v.file, v.line)) for v in self.breaks[version]}
        return any((at.file, self.statements.start(at.file, at.line)) in breaking for at in told.own)


def _installed(
    config: Config,
    followed: Upstream,
    distribution: str,
    project: Project,
    versions: Collection[Version],
    meter: Meter,
) -> tuple[dict[Version, Pairing], dict[Version, str]]:
    """The project beside each release, as one installs them today; why others cannot be installed."""
    cache = cache_dir()
    wheels = published(config, distribution)
    wanted = installed_with(project.root, distribution)
    installer = Installer.of_this_machine(cache)
    first = tuple(dict.fromkeys((*followed.packages, *project.imported)))
    pairings, refused = {}, {}
    for version in sorted(versions):
        if version not in wheels:
            refused[version] = "the package index has no wheel of it"
            continue
        try:
            made = installed(distribution, str(version), wanted, None, installer, cache, meter)
        except NotInstallable as error:
            refused[version] = str(error)
        else:
            pairings[version] = Pairing(project, made, None, first, installer, cache)
    return pairings, refused


def _usual(dead: Mapping[Version, Told]) -> RunFailure:
    """The failure with the error that most releases have."""
    errors = Counter(each.run.error for each in dead.values())
    most = errors.most_common(1)[0][0]
    return next(each.run for each in dead.values() if each.run.error == most)


def _release_run(found: OnRelease, pairing: Pairing, read: _Read, dead: Sequence[Told]) -> ReleaseRun:
    modules = read.told(found.modules_lost, Ran.MODULE) + [t for t in dead if t.run.what is Ran.MODULE]
    tests = read.told(found.tests_lost, Ran.TEST) + [t for t in dead if t.run.what is Ran.TEST]
    lost = [*modules, *tests]
    return ReleaseRun(
        modules=found.modules,
        modules_lost=len(modules),
        tests=found.tests,
        # A file that cannot be collected here counts as its tests beside another release.
        tests_lost=sum(found.tests_missed.get(each.run.name, 1) for each in tests),
        failures=tuple(each.run for each in lost if read.counts(each)),
        uncounted=tuple(each.run for each in lost if not read.counts(each)),
        flaky=found.flaky,
        hanging=found.hanging,
        notes=pairing.installed.notes,
    )
