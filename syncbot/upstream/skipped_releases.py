"""What stands for several releases says so: of a range of releases only some may have been imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from packaging.version import Version

from syncbot.upstream.model import Commit


def with_skipped(
    commits: Iterable[Commit], tags: Mapping[str, str], listed: Sequence[Version]
) -> tuple[Commit, ...]:
    """The commits of releases, whose subject names the first of the releases that were skipped before each.
    ``tags`` are by commit, ``listed`` all versions on the index; pre-releases do not count."""
    final = sorted(version for version in listed if not version.is_prerelease)
    return tuple(_named(commit, tags, final) for commit in commits)


def _named(commit: Commit, tags: Mapping[str, str], final: Sequence[Version]) -> Commit:
    if commit.sha not in tags or not commit.parents or commit.parents[0] not in tags:
        return commit
    before, last = Version(tags[commit.parents[0]]), Version(tags[commit.sha])
    first = next((version for version in final if before < version < last), None)
    if first is None:
        return commit
    distribution, _, version = commit.subject.rpartition(" ")
    return replace(commit, subject=f"{distribution} {first} to {version}")
