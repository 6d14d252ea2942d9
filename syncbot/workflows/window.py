"""Which releases of upstream a project runs on: what its sources ask that each one lacks, by its own tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.impact.runs import Evidenced
from syncbot.impact.session import backend_of, opened
from syncbot.impact.trees import Trees
from syncbot.limits import WINDOW_RELEASES
from syncbot.project_metadata.conflicting_requirements import Conflict, conflicts
from syncbot.project_metadata.declared_window import DeclaredWindow, declared_window
from syncbot.project_metadata.documents import Documents
from syncbot.project_metadata.followed import followed
from syncbot.project_metadata.stated_requirements import constraints, metadata_requirements, stated_python
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.commit_range import resolve
from syncbot.upstream.following import Source, release_source
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import Upstream, open_source
from syncbot.upstream.release_choice import These
from syncbot.verify.lacking import Lacking, lacking
from syncbot.verify.release_ranges import Borders, borders, in_words, requirement
from syncbot.verify.release_requirements import Requirements, requirements_at
from syncbot.verify.violations import Violation
from syncbot.workflows.project import configured
from syncbot.workflows.window_run import ReleaseRun, WindowRun, run_beside

# So many of the last releases are looked at where a project declares none.
_LAST = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowOptions:
    """``upstream`` is a name, URL or path instead of the one that is configured, or that the project shows;
    of a declared window the newest ``most`` releases are looked at. ``run`` are the seconds of processor for
    the tests where the project is run beside each release, None where it is not."""

    backend: Path = Path()
    upstream: str | None = None
    most: int = WINDOW_RELEASES
    include_tests: bool = False
    run: float | None = None


@dataclass(frozen=True, slots=True)
class JudgedRelease:
    """A release: whether the project ``declared`` it, what of the project does not run on it, what may not,
    why the two cannot be installed beside each other, and what they did where they ``ran``."""

    version: Version
    declared: bool
    breaks: tuple[Violation, ...]
    at_risk: tuple[Violation, ...]
    conflicts: tuple[Conflict, ...]
    ran: ReleaseRun | None = None

    @property
    def runs(self) -> bool:
        """Whether nothing is lacking for certain."""
        return self.shown_by is None

    @property
    def shown_by(self) -> Evidenced | None:
        """Whether reading, running or both show that the project does not run on it; None where it runs."""
        read = bool(self.breaks or self.conflicts)
        if self.ran is not None and self.ran.failures:
            return Evidenced.BOTH if read else Evidenced.RAN
        return Evidenced.READ if read else None


@dataclass(frozen=True, slots=True)
class Window:
    """The releases of an upstream that a project was judged on, oldest first. ``why`` says what shows that
    this is its upstream, ``left_out`` how many declared releases are older than those."""

    project: str
    upstream: str
    why: str
    declared: str
    releases: tuple[JudgedRelease, ...]
    left_out: int = 0
    by_commits: bool = False
    run: WindowRun | None = None

    @property
    def runs(self) -> Mapping[Version, bool]:
        """Whether the project runs on each release."""
        return {each.version: each.runs for each in self.releases}

    @property
    def words(self) -> str:
        """The releases that it runs on, in words; empty for none."""
        return in_words(self.runs)

    @property
    def requirement(self) -> str | None:
        """The requirement that says the same; None where it runs on no release."""
        return requirement(self.upstream, self.runs)

    @property
    def borders(self) -> tuple[Borders, ...]:
        """Where the answer changes."""
        return borders(self.runs)

    @property
    def breaks_promise(self) -> bool:
        """Whether the project does not run on a release that it declares."""
        return any(each.declared and not each.runs for each in self.releases)


def window(options: WindowOptions, meter: Meter = no_meter) -> Window:
    """Return what each release of the declared window, and each newer one, lacks of what the sources ask.
    Without a declared window, the last ten are looked at; what running shows counts as well, if asked for.
    Raises UsageError where nothing shows what the project follows, or there are no releases;
    ConfigurationError, and EnvironmentFailure."""
    config = configured(options.backend)
    own = backend_of(config)
    name, why = _upstream(config, own, options.upstream)
    source = release_source(config, name, cache_dir())
    declared = declared_window(config.backend_path, _distribution(config, source))
    chosen, left_out = _chosen(_versions(config, source, meter), declared, options.most)
    if not chosen:
        raise UsageError(f"{source.name} has no releases here: name another one with --upstream")
    ours = _ours(config.backend_path, _distribution(config, source))
    with open_source(config, source, These(tuple(map(str, chosen))), cache_dir(), meter) as opened_one:
        tags = dict(opened_one.repository.version_tags())
        commits = {str(version): resolve(opened_one.repository, tags[version]) for version in chosen}
        with opened(config, opened_one, own, cache_dir()) as trees:
            told = lacking(trees, commits, lambda alone: _references(alone, declared), cache_dir(), meter)
            ran, run = _run(config, opened_one, trees, commits, told, options.run, meter)
        beside = {name: _beside(ours, opened_one.repository, commit) for name, commit in commits.items()}
    tests = {file.path for file in own.files if file.is_test and not options.include_tests}
    releases = tuple(
        JudgedRelease(
            version,
            bool(declared.requirements) and declared.holds(version),
            *_without(told[str(version)], tests),
            beside[str(version)],
            ran.get(version),
        )
        for version in chosen
    )
    project = Documents(config.backend_path).name or config.backend_path.resolve().name
    return Window(
        project,
        _distribution(config, source),
        why,
        str(declared),
        releases,
        left_out,
        opened_one.kind == "git",
        run,
    )


def _run(
    config: Config,
    followed: Upstream,
    trees: Trees,
    commits: Mapping[str, str],
    told: Mapping[str, Lacking],
    seconds: float | None,
    meter: Meter,
) -> tuple[Mapping[Version, ReleaseRun], WindowRun | None]:
    """The results of running; none where there are no ``seconds`` for it."""
    if seconds is None:
        return {}, None
    releases = {Version(name): commit for name, commit in commits.items()}
    breaks = {Version(name): each.breaks for name, each in told.items()}
    return run_beside(config, followed, trees, releases, breaks, seconds, meter)


def _upstream(config: Config, own: Backend, named: str | None) -> tuple[str, str]:
    """The upstream, and what shows that it is this one."""
    if named is not None:
        return named, "it was named"
    if config.upstream is not None:
        return config.upstream, "syncbot is configured so"
    shown = followed(config.backend_path, (file.text for file in own.files if not file.is_test))
    if shown is None:
        raise UsageError("nothing here shows which package is followed: syncbot window --upstream NAME")
    return shown.name, shown.reason


def _ours(root: Path, upstream: str) -> Requirements:
    """Return a project's requirements, with those of extras that name its upstream."""
    stated = metadata_requirements(root)
    extras = {each.extra for each in stated if each.name == canonicalize_name(upstream)}
    wanted = tuple(s for s in stated if s.extra is None or s.extra in extras)
    return Requirements((*wanted, *constraints(root)), stated_python(root))


def _beside(ours: Requirements, repository: GitRepository, commit: str) -> tuple[Conflict, ...]:
    theirs = requirements_at(repository, commit)
    return conflicts(ours.stated, theirs.stated, ours.python, theirs.python)


def _distribution(config: Config, source: Source) -> str:
    if source.releases is not None:
        return source.releases.distribution
    known = config.upstreams.get(source.name)
    return known.release if known is not None and known.release is not None else source.name


def _versions(config: Config, source: Source, meter: Meter) -> list[Version]:
    """The final releases of an upstream, oldest first."""
    if source.releases is not None:
        return [version for version in source.releases.versions() if not version.is_prerelease]
    with open_source(config, source, These(), cache_dir(), meter) as repository:
        tags = repository.repository.version_tags(repository.head)
    return [version for version, _ in tags if not version.is_prerelease]


def _chosen(known: Sequence[Version], declared: DeclaredWindow, most: int) -> tuple[list[Version], int]:
    """The releases to look at, and how many declared ones are older. A window without an oldest version is
    none: it begins with the last ten."""
    inside = [version for version in known if declared.requirements and declared.holds(version)]
    if not inside or not declared.bounds_below:
        since = list(known[-_LAST:])
        return since, sum(version < since[0] for version in inside)
    newer = [version for version in known if version > inside[-1]]
    return [*inside[-most:], *newer], max(0, len(inside) - most)


def _references(
    alone: Mapping[str, Sequence[Violation]], declared: DeclaredWindow
) -> Mapping[str, Sequence[str]]:
    """Hold each release against the one that the sources fit best: the newest of those, declared ones first.
    That one is held against the next best."""
    ranked = sorted(
        alone,
        key=lambda name: (len(alone[name]), not declared.holds(Version(name)), *_newest_first(name)),
    )
    best = ranked[:1]
    return {name: ranked[1:2] if name in best else best for name in alone}


def _newest_first(name: str) -> tuple[int, ...]:
    return tuple(-part for part in Version(name).release)


def _without(told: Lacking, tests: set[str]) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
    """Return the breaks and the risks, without those in tests."""
    kept = (tuple(v for v in found if v.file not in tests) for found in (told.breaks, told.at_risk))
    breaks, at_risk = kept
    return breaks, at_risk
