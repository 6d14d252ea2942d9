"""From a name, URL or path to an upstream that can be read."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from packaging.version import InvalidVersion, Version

from syncbot.config import Config, UpstreamConfig
from syncbot.errors import UsageError
from syncbot.upstream.commit_range import is_latest
from syncbot.upstream.git_command import Access, without_credentials
from syncbot.upstream.git_mirror import is_url, mirror
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.import_names import import_names, is_distribution, packages_of
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.release_choice import Follow
from syncbot.upstream.releases import import_releases

# What a folder holds that git can read: a working tree, or a bare repository.
_REPOSITORY = (".git", "objects")
# An abbreviated sha may look like a version: 1234567, 12a4567.
_SHA = re.compile(r"[0-9a-f]{7,}")


@dataclass(frozen=True, slots=True)
class Upstream:
    """An upstream, opened; close it. ``head`` is the newest followed commit, ``web`` the page for links."""

    name: str
    packages: tuple[str, ...]
    repository: GitRepository
    web: str | None
    kind: Literal["git", "release"]
    head: str

    def __enter__(self) -> Upstream:
        return self

    def __exit__(self, *_: object) -> None:
        self.repository.close()


def open_upstream(
    config: Config,
    name_url_or_path: str | None,
    cache: Path,
    versions: Sequence[str] = (),
    meter: Meter = no_meter,
) -> Upstream:
    """The upstream of this name, URL or path; the default one for None. Of an upstream of releases, those of
    ``versions`` are imported, and the newest where one of these is ``latest``. A URL or path has the default
    upstream's packages, unless its tree has others alone; a distribution of the package index has those of
    its newest release. Raises UsageError for an unknown name or no repository, EnvironmentFailure when a
    remote or index cannot be reached."""
    name = name_url_or_path or config.upstream
    if name is None:
        raise UsageError(
            "no upstream is configured: add [tool.syncbot.upstreams.NAME] to pyproject.toml, or give a URL "
            "or a path with --upstream"
        )
    if configured := config.upstreams.get(name):
        return _configured(config, name, configured, cache, versions, meter)
    if not is_url(name) and not _is_folder(name):
        return _distribution(config, name, cache, versions, meter)
    default = config.upstreams.get(config.upstream or "")
    return _git(config, _name(name), name, default, None, cache, meter)


def _is_folder(name: str) -> bool:
    """Whether a name is a path; a folder of the plugin that is called like a distribution is none."""
    path = Path(name)
    return path.exists() and not (
        is_distribution(name) and path.is_dir() and not any((path / mark).exists() for mark in _REPOSITORY)
    )


def _distribution(config: Config, name: str, cache: Path, versions: Sequence[str], meter: Meter) -> Upstream:
    """A distribution of the package index that nobody configured."""
    near = difflib.get_close_matches(name, config.upstreams, n=1)
    known = ", ".join(config.upstreams) or "none is configured"
    if near or not is_distribution(name):
        raise UsageError(
            f"{name!r} is neither a configured upstream ({known}) nor a URL nor an existing path: "
            "add [tool.syncbot.upstreams.NAME] to pyproject.toml, or correct the name"
        )
    unknown = UpstreamConfig(release=name, packages=("unknown",))
    opened = _configured(config, name, unknown, cache, versions, meter)
    packages = import_names(opened.repository.tree(opened.head))
    if not packages:
        opened.repository.close()
        raise UsageError(
            f"no Python package was found in {name}: write its import name into syncbot.toml: "
            f'upstreams.{name} = {{ release = "{name}", packages = ["NAME"] }}'
        )
    return replace(opened, packages=packages)


def _configured(
    config: Config, name: str, upstream: UpstreamConfig, cache: Path, versions: Sequence[str], meter: Meter
) -> Upstream:
    if upstream.git is not None:
        source = upstream.git if is_url(upstream.git) else str(config.root / Path(upstream.git).expanduser())
        return _git(config, name, source, upstream, upstream.branch, cache, meter)
    assert upstream.release is not None
    wanted = [version for version in map(_version, versions) if version is not None]
    newest = upstream.versions or not wanted or any(map(is_latest, versions))
    follow = Follow(upstream.versions, upstream.prereleases) if newest else None
    git_dir = import_releases(
        *(upstream.release, cache, wanted, follow, config.index, config.refresh_hours, meter),
        config.limits.archive_bytes,
    )
    repository = GitRepository(git_dir, Access.OWN, config.limits.values)
    # The commits of releases are made here: no page on the web shows them.
    return Upstream(name, upstream.packages, repository, None, "release", repository.history_head())


def _git(
    config: Config,
    name: str,
    source: str,
    upstream: UpstreamConfig | None,
    branch: str | None,
    cache: Path,
    meter: Meter,
) -> Upstream:
    access = Access.OWN if is_url(source) else Access.FOREIGN
    repository = GitRepository(mirror(source, cache, meter), access, config.limits.values)
    head = repository.history_head(branch)
    there = packages_of(repository.tree(head))
    foreign = bool(there) and upstream is not None and not set(upstream.packages) & {*there}
    packages = there if upstream is None or foreign else upstream.packages
    web = upstream.web if upstream else None
    return Upstream(name, packages, repository, web, "git", head)


def _name(source: str) -> str:
    plain = without_credentials(source).partition("?")[0].rstrip("/").removesuffix(".git")
    return re.split(r"[/:]", plain)[-1] or source


def _version(ref: str) -> Version | None:
    try:
        return None if _SHA.fullmatch(ref) else Version(ref)
    except InvalidVersion:
        return None
