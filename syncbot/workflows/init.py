"""Begin with a project: find what it is, and make the files that syncbot reads. What stands there stays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from syncbot import config as configuration
from syncbot.atomic import write_file
from syncbot.config import Config
from syncbot.contracts.sources import Backend
from syncbot.errors import UsageError
from syncbot.impact.session import backend_of
from syncbot.project_metadata.declared_window import DeclaredWindow, declared_window
from syncbot.project_metadata.documents import Documents
from syncbot.project_metadata.followed import followed, imported_names, pins
from syncbot.project_metadata.requirements import needed
from syncbot.starting_files import texts
from syncbot.starting_files.for_agents import for_agents, section
from syncbot.starting_files.model import Findings, FollowedRelease, StartingFile
from syncbot.starting_files.own_origin import Origin, own_origin
from syncbot.starting_files.release_metadata import UpstreamFacts, release
from syncbot.upstream.cache_folder import cache_dir
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.opening import open_upstream
from syncbot.workflows.first_steps import chosen_pin
from syncbot.workflows.window import WindowOptions, window

_LANES = 4
_WORKFLOW = ".github/workflows/syncbot.yml"
_AT = "for lanes, syncbot init --at VERSION"


@dataclass(frozen=True, slots=True)
class Beginning:
    """The result of init: the facts that were ``found``, each with its reason; the files ``to_write``; the
    existing ones that are kept (``stand``); the ``next`` command; the text that an author may ``add`` to an
    existing AGENTS.md. All paths are below ``root``."""

    root: Path
    found: Sequence[tuple[str, str]]
    to_write: Sequence[StartingFile]
    stand: Sequence[str]
    next: str
    add: str = ""


def begin(
    backend: Path,
    upstream: str | None = None,
    at: str | None = None,
    agents: bool = False,
    meter: Meter = no_meter,
    judged: bool = False,
) -> Beginning:
    """Return what a project is, and the files that are made of it; nothing is written. ``upstream`` is a
    distribution, else the one that the project follows; ``at`` the version of it that the sources are for,
    else the one that the project names; ``agents`` adds what coding agents read. With ``judged`` the releases
    that the project declares are judged, and the requirement that they lead to is proposed. Raises UsageError
    where there are no sources, nothing shows what they follow, or ``at`` is no release; ConfigurationError,
    and EnvironmentFailure."""
    config = configuration.load(backend)
    own = backend_of(config)
    root = config.backend_path
    named = [("packages", _packages(own))]
    shown = followed(root, _shipped(own))
    name = upstream or config.upstream or (shown.name if shown else None)
    if name is None:
        raise UsageError("nothing here shows which package is followed: syncbot init --upstream NAME")
    reason = shown.reason if shown is not None and shown.name == name else "it was named"
    named.append(("upstream", f"{name}: {'syncbot is configured so' if config.upstreams else reason}"))
    with open_upstream(config, name, cache_dir(), ["latest", *([at] if at else [])], meter) as opened:
        facts = UpstreamFacts.of(opened)
    allowed = _allowed(root, name, facts.versions)
    baseline, told = _version(root, name, at, facts.versions, allowed)
    named.append(("version", told))
    named.append(("window", _window(backend, name, declared_window(root, name), judged, meter)))
    tests = _tests(root, config)
    named.append(("tests", ", ".join(tests) or "none"))
    named.append(("CI", ", ".join(_ci(root)) or "none"))
    found = Findings(
        distribution=Documents(root).name,
        package=_main_package(own, Documents(root).name),
        tests=tests,
        upstream=name,
        upstream_packages=facts.packages,
        repository=facts.repository,
        releases=_releases(config, name, facts.versions, allowed, baseline, own, meter),
        baseline=baseline,
    )
    origin = own_origin()
    files = list(_files(config, found, agents, origin))
    new = [file for file in files if not _stands(config, file)]
    stand = [file.path for file in files if file not in new]
    if any(file.path == _WORKFLOW for file in new):
        named.append(
            (
                "syncbot",
                origin.source or f"set the variable SYNCBOT of the repository to {texts.ASKED}: {origin.why}",
            )
        )
    return Beginning(config.root, named, new, stand, _next(baseline), _addition(stand, found))


def _window(backend: Path, name: str, declared: DeclaredWindow, judged: bool, meter: Meter) -> str:
    """Return the declared window of upstream; if ``judged``, with the requirement its releases lead to."""
    said = str(declared) or "none is declared"
    if not judged:
        return f"{said}; on which releases it runs: syncbot window"
    found = window(WindowOptions(backend=backend, upstream=name), meter)
    if found.requirement is None:
        return f"{said}; it runs on none of the releases that were looked at: syncbot window"
    return f"{said}; it runs on {found.words}: write {found.requirement}"


def write(beginning: Beginning) -> None:
    """Write the files that are not there yet. Raises UsageError for one that is, and EnvironmentFailure."""
    for file in beginning.to_write:
        target = beginning.root / file.path
        if target.exists():
            raise UsageError(f"{target} appeared meanwhile: syncbot leaves it as it is")
        write_file(target, file.text.encode())


def _releases(
    config: Config,
    name: str,
    versions: Sequence[Version],
    allowed: Sequence[Version],
    baseline: Version | None,
    own: Backend,
    meter: Meter,
) -> list[FollowedRelease]:
    """The baseline, the newest release, and others that the project's requirement allows, newest first."""
    if baseline is None:
        return []
    newest = [version for version in versions if not version.is_prerelease][-1:]
    others = [version for version in allowed if version not in (baseline, *newest)][-(_LANES - 2) :]
    chosen = sorted({baseline, *newest, *others}, reverse=True)
    imported = {canonicalize_name(name) for file in own.files for name in imported_names(file.text)}
    with open_upstream(config, name, cache_dir(), [str(version) for version in chosen], meter) as opened:
        return [release(opened, version, imported) for version in chosen]


def _version(
    root: Path, name: str, at: str | None, versions: Sequence[Version], allowed: Sequence[Version]
) -> tuple[Version | None, str]:
    """The release that the sources are for, None where nothing shows it, and how that is known."""
    if at is not None:
        return _named(at, name, versions), f"{at}: it was named"
    pin = chosen_pin(pins(root, canonicalize_name(name)))
    if pin is None:
        return None, f"no file names one: {_AT}"
    if pin.bound and allowed:
        pin = replace(pin, version=str(allowed[-1]))
    baseline = _released(pin.version, versions)
    return baseline, _told(pin.version, pin.file, baseline)


def _named(at: str, name: str, versions: Sequence[Version]) -> Version:
    with suppress(ValueError):
        if (version := Version(at)) in versions:
            return version
    such = f", such as {versions[-1]}" if versions else ": its releases are not followed here"
    raise UsageError(f"--at {at} is no release of {name}: name one{such}")


def _allowed(root: Path, name: str, versions: Sequence[Version]) -> list[Version]:
    """The releases that the project's first requirement allows, where that has an upper bound."""
    wanted = [each.specifier for each in needed(root) if each.name == canonicalize_name(name)]
    if not wanted or not any(one.operator in ("<", "<=", "~=") for one in wanted[0]):
        return []
    return [version for version in versions if version in wanted[0] and not version.is_prerelease]


def _released(pinned: str, versions: Sequence[Version]) -> Version | None:
    """The newest release that is no newer than a pinned version; None for a commit."""
    try:
        wanted = Version(pinned)
    except ValueError:
        return None
    return max((version for version in versions if version <= wanted), default=None)


def _told(pinned: str, file: str, baseline: Version | None) -> str:
    if baseline is None:
        return f"{pinned}, which {file} names and the package index does not have: {_AT}"
    if str(baseline) != pinned:
        return f"{baseline}, the newest release up to {pinned}, which {file} names"
    return f"{pinned}: {file} names it"


def _shipped(own: Backend) -> Iterator[bytes]:
    return (file.text for file in own.files if not file.is_test)


def _packages(own: Backend) -> str:
    shipped = [file for file in own.files if not file.is_test]
    names = sorted({file.module.partition(".")[0] for file in shipped})
    return f"{', '.join(names)} ({len(shipped)} file{'s' * (len(shipped) != 1)})"


def _main_package(own: Backend, distribution_name: str | None) -> str:
    """The package that is called as the distribution is, else the one with the most files."""
    names = [file.module.partition(".")[0] for file in own.files if not file.is_test]
    wanted = canonicalize_name(distribution_name or "")
    same = [name for name in names if canonicalize_name(name) == wanted]
    return same[0] if same else max(sorted(set(names)), key=names.count)


def _tests(root: Path, config: Config) -> list[str]:
    listed = config.tests if "tests" in config.model_fields_set else (*config.tests, "test")
    return [name for name in listed if any((root / name).rglob("*.py"))]


def _ci(root: Path) -> list[str]:
    places = (".github/workflows", ".gitlab-ci.yml", ".circleci", "Jenkinsfile", ".buildkite")
    return [place for place in places if (root / place).exists()]


def _addition(stand: Sequence[str], found: Findings) -> str:
    return section(found) if "AGENTS.md" in stand else ""


def _files(config: Config, found: Findings, agents: bool, origin: Origin) -> Iterator[StartingFile]:
    yield StartingFile("syncbot.toml", texts.configuration(found), "which upstream is followed, and how")
    matrix = texts.matrix(found)
    if matrix is not None:
        lanes = ", ".join(str(release.version) for release in found.releases)
        yield StartingFile(config.matrix, matrix, f"lanes {lanes}; the sources are for {found.baseline}")
    elsewhere = [place for place in _ci(config.backend_path) if not place.startswith(".github")]
    if not elsewhere or (config.backend_path / ".github").exists():
        flow = texts.workflow(found, origin.source)
        yield StartingFile(_WORKFLOW, flow, "the report of each morning, as an issue")
    if agents:
        yield from for_agents(found)


def _stands(config: Config, file: StartingFile) -> bool:
    if file.path == "syncbot.toml" and config.model_fields_set - {"root", "backend", "apart"}:
        return True
    return (config.root / file.path).exists()


def _next(baseline: Version | None) -> str:
    return "syncbot check" if baseline is not None else "syncbot check --from latest~1 --to latest"
