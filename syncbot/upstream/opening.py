"""From a name, URL or path to an upstream that can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from syncbot.config import Config
from syncbot.errors import UsageError
from syncbot.upstream.following import By, Source, followed_source, release_source
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_mirror import is_url, mirror
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.import_names import import_names, packages_of
from syncbot.upstream.model import Meter, no_meter
from syncbot.upstream.release_choice import Between, These, Wanted
from syncbot.upstream.releases import Releases


@dataclass(frozen=True, slots=True)
class Upstream:
    """An upstream, opened; close it. ``head`` is the newest commit, ``web`` the page for links. One of
    releases has those that were asked for, and no others."""

    name: str
    packages: tuple[str, ...]
    repository: GitRepository
    web: str | None
    kind: Literal["git", "release"]
    head: str

    @property
    def releases(self) -> Mapping[str, str]:
        """The names of releases by the commits that stand for them; none where commits are followed."""
        if self.kind == "git":
            return {}
        return {
            sha: f"{self.name} {tag.removeprefix('v')}"
            for sha, tag in self.repository.tagged_commits().items()
        }

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
    """The upstream of this name, URL or path; the default one for None. Of one without a git repository in
    the configuration, the releases that ``versions`` name, the newest where they name none. A URL or path
    has the default upstream's packages, unless its tree has others alone. Raises UsageError for an unknown
    name or no repository, EnvironmentFailure when a remote or index cannot be reached."""
    source = release_source(config, name_url_or_path, cache)
    return open_source(config, source, These(tuple(versions)), cache, meter)


def open_range(
    config: Config,
    name_url_or_path: str | None,
    cache: Path,
    old: str,
    new: str | None,
    meter: Meter = no_meter,
    by: By | None = None,
) -> Upstream:
    """The same for all that lies between two references, as it is followed
    (`syncbot.upstream.following.followed_source`); the newest commit where ``new`` is None."""
    source = followed_source(config, name_url_or_path, cache, by)
    return open_source(config, source, Between(old, new or "latest"), cache, meter)


def open_source(
    config: Config, source: Source, wanted: Wanted, cache: Path, meter: Meter = no_meter
) -> Upstream:
    """A source, opened; of releases those that are ``wanted``. Raises what `open_upstream` does, and
    UsageError for a period without a release."""
    if source.git is not None:
        return _git(config, source, source.git, cache, meter)
    assert source.releases is not None
    return _history(config, source, source.releases, wanted, meter)


def _history(config: Config, source: Source, releases: Releases, wanted: Wanted, meter: Meter) -> Upstream:
    git_dir = releases.history(wanted, meter)
    if git_dir is None:
        raise UsageError(f"the period has no release of {source.name}: name another one, or --from and --to")
    repository = GitRepository(git_dir, Access.OWN, config.limits.values)
    head = repository.history_head()
    packages = source.packages or import_names(repository.tree(head))
    if not packages:
        repository.close()
        name = source.name
        raise UsageError(
            f"no Python package was found in {name}: write its import name into syncbot.toml: "
            f'upstreams.{name} = {{ release = "{name}", packages = ["NAME"] }}'
        )
    # The commits of releases are made here: no page on the web shows them.
    return Upstream(source.name, packages, repository, None, "release", head)


def _git(config: Config, source: Source, git: str, cache: Path, meter: Meter) -> Upstream:
    access = Access.OWN if is_url(git) else Access.FOREIGN
    repository = GitRepository(mirror(git, cache, meter), access, config.limits.values)
    head = repository.history_head(source.branch)
    there = packages_of(repository.tree(head))
    foreign = bool(there) and not {*source.packages} & {*there}
    packages = there if foreign or not source.packages else source.packages
    return Upstream(source.name, packages, repository, source.web, "git", head)
