"""From a name, URL or path to an upstream that can be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from packaging.version import InvalidVersion, Version

from syncbot.config import Config, UpstreamConfig
from syncbot.errors import UsageError
from syncbot.upstream.git_command import Access, without_credentials
from syncbot.upstream.git_mirror import is_url, mirror
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.release_choice import Follow
from syncbot.upstream.releases import import_releases

# Folders at the top of many projects that hold Python files but are not what is shipped.
_NOT_SHIPPED = frozenset({"benchmarks", "docs", "examples", "scripts", "test", "tests", "tools"})
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
    ``versions`` are imported. A URL or path has the default upstream's packages, unless its tree has others
    alone. Raises UsageError for an unknown name or no repository, EnvironmentFailure when a remote or index
    cannot be reached."""
    name = name_url_or_path or config.upstream
    if name is None:
        raise UsageError(
            "no upstream is configured: add [tool.syncbot.upstreams.NAME] to pyproject.toml, or give a URL "
            "or a path with --upstream"
        )
    if configured := config.upstreams.get(name):
        return _configured(config, name, configured, cache, versions, meter)
    if not is_url(name) and not Path(name).exists():
        known = ", ".join(config.upstreams) or "none is configured"
        raise UsageError(
            f"{name!r} is neither a configured upstream ({known}) nor a URL nor an existing path: "
            "add [tool.syncbot.upstreams.NAME] to pyproject.toml, or correct the name"
        )
    default = config.upstreams.get(config.upstream or "")
    return _git(config, _name(name), name, default, None, cache, meter)


def _configured(
    config: Config, name: str, upstream: UpstreamConfig, cache: Path, versions: Sequence[str], meter: Meter
) -> Upstream:
    if upstream.git is not None:
        source = upstream.git if is_url(upstream.git) else str(config.root / Path(upstream.git).expanduser())
        return _git(config, name, source, upstream, upstream.branch, cache, meter)
    assert upstream.release is not None
    wanted = [version for version in map(_version, versions) if version is not None]
    follow = Follow(upstream.versions, upstream.prereleases) if upstream.versions or not wanted else None
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
    there = _packages(repository, head)
    foreign = bool(there) and upstream is not None and not set(upstream.packages) & {*there}
    packages = there if upstream is None or foreign else upstream.packages
    web = upstream.web if upstream else None
    return Upstream(name, packages, repository, web, "git", head)


def _packages(repository: GitRepository, head: str) -> tuple[str, ...]:
    """The import packages at the top of a tree, or below ``src``."""
    paths = (path.split("/") for path in repository.tree(head) if path.endswith("/__init__.py"))
    tops = {
        parts[1] if parts[0] == "src" else parts[0]
        for parts in paths
        if len(parts) == 2 + (parts[0] == "src")
    }
    return tuple(sorted(top for top in tops - _NOT_SHIPPED if top.isidentifier()))


def _name(source: str) -> str:
    plain = without_credentials(source).partition("?")[0].rstrip("/").removesuffix(".git")
    return re.split(r"[/:]", plain)[-1] or source


def _version(ref: str) -> Version | None:
    try:
        return None if _SHA.fullmatch(ref) else Version(ref)
    except InvalidVersion:
        return None
