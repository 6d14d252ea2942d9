"""How an upstream is followed: by the commits of a git repository, or by the releases of a package index."""

from __future__ import annotations

import difflib
import logging
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from syncbot.config import Config, UpstreamConfig
from syncbot.errors import UsageError
from syncbot.upstream.git_command import without_credentials
from syncbot.upstream.git_mirror import is_url, unreachable
from syncbot.upstream.import_names import is_distribution
from syncbot.upstream.release_choice import Follow
from syncbot.upstream.releases import Releases

#: What somebody may ask for: the commits, or the releases.
By = Literal["commits", "releases"]
# What a folder holds that git can read: a working tree, or a bare repository.
_REPOSITORY = (".git", "objects")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where an upstream is read: a ``git`` URL or path, else ``releases``. Without ``packages`` they are
    those of its tree."""

    name: str
    packages: tuple[str, ...] = ()
    git: str | None = None
    branch: str | None = None
    releases: Releases | None = None
    web: str | None = None


def followed_source(
    config: Config, name_url_or_path: str | None, cache: Path, by: By | None = None
) -> Source:
    """How the upstream of this name, URL or path is followed; the default one for None. ``git`` and
    ``release`` of the configuration decide it, else ``by``. Where nobody decides, it is the public repository
    if that can be reached, else the releases; a line says which, and why. Raises UsageError for an unknown
    name and for what cannot be followed so."""
    source = release_source(config, name_url_or_path, cache)
    configured = config.upstreams.get(source.name)
    decided = configured is not None and (configured.git or configured.release) is not None
    if source.git is not None:
        if by == "releases":
            raise UsageError(
                f"{source.name} is followed by its git repository: for releases, give the name of its "
                "distribution with --upstream, or write release in place of git into the configuration"
            )
        return source
    assert source.releases is not None
    if by == "releases" or (decided and by is None):
        return source
    address = source.web or source.releases.repository()
    if address is None:
        if by == "commits":
            raise UsageError(
                f"nothing names the git repository of {source.name}: give its URL with --upstream"
            )
        _log.warning("%s is followed by releases: the package index names no git repository", source.name)
        return source
    commits = Source(name=source.name, packages=source.packages, git=address, web=address)
    if by == "commits":
        return commits
    reason = unreachable(address)
    if reason is None:
        _log.warning(
            "%s is followed by the commits of %s (--by releases: by its releases)", source.name, address
        )
        return commits
    _log.warning("%s is followed by releases: %s cannot be reached (%s)", source.name, address, reason)
    return source


def release_source(config: Config, name_url_or_path: str | None, cache: Path) -> Source:
    """The source of what is tied to releases, such as lanes: a configured or named repository, else the
    package index. Raises UsageError for an unknown name."""
    name = name_url_or_path or config.upstream
    if name is None:
        raise UsageError(
            "no upstream is configured: add [tool.syncbot.upstreams.NAME] to pyproject.toml, or give a URL "
            "or a path with --upstream"
        )
    if configured := config.upstreams.get(name):
        return _configured(config, name, configured, cache)
    if is_url(name) or _is_folder(name):
        default = config.upstreams.get(config.upstream or "")
        packages = default.packages if default is not None else ()
        web = default.web if default is not None else None
        return Source(name=_short(name), packages=packages, git=name, web=web)
    _refuse_unknown(config, name)
    return Source(name=name, releases=_releases(config, name, UpstreamConfig(), cache))


def _configured(config: Config, name: str, upstream: UpstreamConfig, cache: Path) -> Source:
    if upstream.git is None:
        releases = _releases(config, upstream.release or name, upstream, cache)
        return Source(name=name, packages=upstream.packages, releases=releases, web=upstream.web)
    git = upstream.git if is_url(upstream.git) else str(config.root / Path(upstream.git).expanduser())
    return Source(name=name, packages=upstream.packages, git=git, branch=upstream.branch, web=upstream.web)


def _releases(config: Config, distribution: str, upstream: UpstreamConfig, cache: Path) -> Releases:
    return Releases(
        distribution,
        cache,
        Follow(upstream.versions, upstream.prereleases),
        config.index,
        config.refresh_hours,
        config.limits.archive_bytes,
    )


def _refuse_unknown(config: Config, name: str) -> None:
    near = difflib.get_close_matches(name, config.upstreams, n=1)
    known = ", ".join(config.upstreams) or "none is configured"
    if near or not is_distribution(name):
        raise UsageError(
            f"{name!r} is neither a configured upstream ({known}) nor a URL nor an existing path: "
            "add [tool.syncbot.upstreams.NAME] to pyproject.toml, or correct the name"
        )


def _is_folder(name: str) -> bool:
    """Whether a name is a path; a folder of the plugin that is called like a distribution is none."""
    path = Path(name)
    return path.exists() and not (
        is_distribution(name) and path.is_dir() and not any((path / mark).exists() for mark in _REPOSITORY)
    )


def _short(source: str) -> str:
    plain = without_credentials(source).partition("?")[0].rstrip("/").removesuffix(".git")
    return re.split(r"[/:]", plain)[-1] or source
